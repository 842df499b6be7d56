package demo

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/valyala/fasthttp"
)

// errBroken is what a broken connection looks like to who reads from it.
var errBroken = errors.New("the connection was reset")

// replay is the body of a run: it gives one record after the other when its time has come.
type replay struct {
	ctx   context.Context
	s     *scenario
	speed float64 // 2 is twice as fast; 0 does not wait
	next  int
	rest  []byte
}

// Read implements io.Reader. It never joins records: each is sent as it comes.
func (r *replay) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next == len(r.s.records) {
			if r.s.cut {
				return 0, errBroken
			}
			return 0, io.EOF
		}
		if err := r.wait(r.s.records[r.next].after); err != nil {
			return 0, err
		}
		r.rest = r.s.records[r.next].data
		r.next++
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *replay) wait(d time.Duration) error {
	if r.speed == 0 {
		return r.ctx.Err()
	}
	timer := time.NewTimer(time.Duration(float64(d) / r.speed))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// agent is a server that answers every call with a scenario.
type agent struct {
	all    []*scenario
	usual  *scenario // unless ?scenario= asks for another
	speed  float64
	ctx    context.Context
	server fasthttp.Server
}

// serve answers on ln until ctx is done.
func (a *agent) serve(ctx context.Context, ln net.Listener) error {
	a.ctx = ctx
	a.server = fasthttp.Server{Name: "agent", Handler: a.handle, CloseOnShutdown: true, Logger: quiet{}}
	failed := make(chan error, 1)
	go func() { failed <- a.server.Serve(ln) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	down, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = a.server.ShutdownWithContext(down) // what is still open is cut
	return <-failed
}

func (a *agent) handle(ctx *fasthttp.RequestCtx) {
	s := a.usual
	if name := ctx.QueryArgs().Peek("scenario"); len(name) > 0 {
		var err error
		if s, err = find(a.all, string(name)); err != nil {
			ctx.Error(err.Error(), fasthttp.StatusNotFound)
			return
		}
	}
	ctx.SetContentType("application/x-ndjson")
	ctx.SetBodyStream(&replay{ctx: a.ctx, s: s, speed: a.speed}, -1)
}

// quiet drops the complaints of a server about clients that leave and connections that it breaks itself.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
