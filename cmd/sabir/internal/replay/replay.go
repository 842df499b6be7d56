// Package replay is an agent that says what recordings say, with their pauses, and chooses among them by the request.
//
// It speaks native, so that the proxy in front of it serves any dialect. script.go makes native records of a recording, question.go
// compares requests.
package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// Agent is a server that answers every request with a recording.
type Agent struct {
	Scripts []*Script
	Speed   float64   // 2 is twice as fast
	Log     io.Writer // a line for each answer

	next   atomic.Int64 // for requests that none was recorded for
	ctx    context.Context
	server fasthttp.Server
}

// Serve answers on ln until ctx is done.
func (a *Agent) Serve(ctx context.Context, ln net.Listener) error {
	a.ctx = ctx
	a.server = fasthttp.Server{Name: "replay", Handler: a.handle, CloseOnShutdown: true, Logger: quiet{}}
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

func (a *Agent) handle(ctx *fasthttp.RequestCtx) {
	s, why := a.choose(questionIn(ctx.PostBody()))
	fmt.Fprintf(a.Log, "answered with %s, %s\n", filepath.Base(s.File), why)
	ctx.SetContentType("application/x-ndjson")
	ctx.SetBodyStream(&player{ctx: a.ctx, script: s, speed: a.Speed, begun: time.Now()}, -1)
}

// choose finds the recording that answers a request: the one of the same conversation, else of the same last question, else the next.
func (a *Agent) choose(q question) (*Script, string) {
	for _, s := range a.Scripts {
		if q.known() && s.question.all == q.all {
			return s, "recorded for this conversation"
		}
	}
	for _, s := range a.Scripts {
		if q.known() && s.question.last == q.last {
			return s, "recorded for this question"
		}
	}
	n := a.next.Add(1) - 1
	return a.Scripts[n%int64(len(a.Scripts))], "the next one, as none was recorded for this question"
}

// errCut is what a stream that was cut looks like to who reads from it.
var errCut = errors.New("the recorded stream was cut here")

// player is the body of an answer: each part when its time has come.
type player struct {
	ctx    context.Context
	script *Script
	speed  float64
	begun  time.Time
	next   int
	rest   []byte
}

// Read implements io.Reader.
func (p *player) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.next == len(p.script.parts) {
			if p.script.cut {
				return 0, errCut
			}
			return 0, io.EOF
		}
		part := p.script.parts[p.next]
		if err := p.wait(part.at); err != nil {
			return 0, err
		}
		p.rest = part.data
		p.next++
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *player) wait(at time.Duration) error {
	timer := time.NewTimer(time.Until(p.begun.Add(time.Duration(float64(at) / p.speed))))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// quiet drops the complaints of a server about clients that leave and connections that it breaks itself.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
