package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy"
)

// Live is a demo that serves: an agent, and the real proxy in front of it.
type Live struct {
	Clients  net.Listener // Serve closes it
	Speed    float64      // of the replay: 1 is a human pace, 2 twice as fast
	Scenario string       // replayed when a request asks for none
	Version  string
	Style    term.Style

	scenarios    []*scenario
	usual        *scenario
	agent, admin net.Listener
}

// Serve tells on w what to try and what has happened, and returns when ctx is done and all streams have ended.
func (l *Live) Serve(ctx context.Context, w io.Writer) error {
	defer l.close()
	if err := l.prepare(); err != nil {
		return err
	}
	cfg, err := l.configuration()
	if err != nil {
		return err
	}
	server, err := proxy.New(cfg, newReporter(w, l.Style), l.Version)
	if err != nil {
		return err
	}
	server.InspectAlways()
	server.ShowPage(l.frontEnds())
	l.welcome(w)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The agent outlives the proxy, so that what is still running is ended by the proxy.
	behind, end := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	var errs [3]error
	running.Go(func() {
		errs[0] = (&agent{all: l.scenarios, usual: l.usual, speed: l.Speed}).serve(behind, l.agent)
		cancel()
	})
	running.Go(func() { errs[1] = server.ServeAdmin(behind, l.admin); cancel() })
	errs[2] = server.Serve(ctx, l.Clients)
	end()
	running.Wait()
	return errors.Join(errs[:]...)
}

// prepare reads the recordings and takes an address for the agent and one for operators.
func (l *Live) prepare() (err error) {
	if l.scenarios, err = scenarios(); err != nil {
		return err
	}
	if l.usual, err = find(l.scenarios, l.Scenario); err != nil {
		return err
	}
	if l.agent, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	l.admin, err = net.Listen("tcp", "127.0.0.1:0")
	return err
}

func (l *Live) close() {
	for _, ln := range []net.Listener{l.Clients, l.agent, l.admin} {
		if ln != nil {
			ln.Close() // for the second time, if it was served
		}
	}
}

// configuration is that of the proxy: a path for each dialect, and one where the client chooses.
func (l *Live) configuration() (*config.Config, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "listen: %q\nadmin: %q\ninspect: content\n", l.Clients.Addr(), l.admin.Addr()) // [::] is a list unless it is quoted
	b.WriteString("timeouts: {drain: 0s}\ncors: {origins: ['*']}\n")                               // whoever leaves a demo does not want to wait
	fmt.Fprintf(&b, "upstreams:\n  agent: {url: 'http://%s/stream', dialect: %s, options: {browser: true}}\n", l.agent.Addr(), dialect)
	b.WriteString("routes:\n")
	for _, d := range clients() {
		fmt.Fprintf(&b, "  - {path: /%s, upstream: agent, client: %[1]s}\n", d.Name)
	}
	fmt.Fprintf(&b, "  - {path: /%s, upstream: agent, client: auto, default: %s}\n", config.Auto, usualClient)
	return config.Parse("demo.yaml", []byte(b.String()), new(adapters.Catalog), nil)
}
