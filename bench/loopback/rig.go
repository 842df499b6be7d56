package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// rig is the processes that a run needs: the simulated server, the proxy, the floors and the peers.
type rig struct {
	o        options
	pairs    []pair // that the proxy must have routes for
	dir      string // for configuration, logs and the binary
	binary   string // of the proxy
	upstream *child
	children map[string]*child // targets that run, by key
	peers    map[string]*peer
	versions []string // of what was compared
	absent   []string // peers that could not be measured, and why
	profiles []profile
}

// newRig builds the proxy, installs the peers and starts the simulated server.
func newRig(ctx context.Context, p *plan, progress io.Writer) (*rig, error) {
	g := &rig{o: p.o, binary: p.o.sabir, children: map[string]*child{}, peers: map[string]*peer{}}
	seen := map[string]bool{}
	for _, c := range p.cells {
		if strings.HasPrefix(c.Target, sabir) && !seen[c.stream()] {
			seen[c.stream()] = true
			g.pairs = append(g.pairs, c.pair)
		}
	}
	var err error
	if g.dir, err = os.MkdirTemp("", "sabir-loopback-"); err != nil {
		return nil, err
	}
	if err = g.build(ctx); err == nil && p.o.over != "" {
		err = g.writeCertificate()
	}
	if err == nil {
		err = g.installPeers(ctx, p.cells, progress)
	}
	if err == nil {
		g.upstream, err = startRole(ctx, g.dir, "upstream", spec{Dialects: p.dialects})
	}
	if err != nil {
		g.stopAll()
		return nil, err
	}
	return g, nil
}

func (g *rig) build(ctx context.Context) error {
	if g.binary != "" || g.o.inside {
		return nil
	}
	g.binary = filepath.Join(g.dir, "sabir")
	build := exec.CommandContext(ctx, "go", "build", "-tags=grpcnotrace", "-trimpath", "-ldflags=-s -w", "-o", g.binary, "github.com/sabir-proxy/sabir/cmd/sabir")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build the proxy (run this from the repository): %w\n%s", err, out)
	}
	return nil
}

// key tells children apart: a splice knows one pair only, a peer with two uses is one process.
func (c *cell) key() string {
	if c.Target == splice {
		return splice + " " + c.stream()
	}
	for _, pe := range allPeers {
		if pe.title() == c.Target {
			return pe.name
		}
	}
	return strings.TrimSuffix(c.Target, strings.TrimPrefix(upkept, sabir))
}

// target returns what a cell is measured on, started.
func (g *rig) target(ctx context.Context, c *cell, fresh bool) (target, error) {
	t := target{name: c.Target, addr: g.upstream.addr, path: "/" + c.From, answer: c.pair.to}
	if c.key() == sabir {
		t.path += "/" + c.To
	}
	if pe := g.peers[c.Target]; pe != nil && pe.path != "" {
		t.path = pe.path
	}
	switch {
	case strings.HasPrefix(c.Mode, peersFlow):
		t.post = g.postFor(c)
	case c.key() == sabir && g.o.route != "" && bodies[c.To] != "": // what is set on a route may be about runs, which only a request begins
		t.post = &post{dialect: c.To, model: "m"}
	}
	if c.Target == direct {
		return t, nil
	}
	if fresh {
		g.stop(c)
	}
	ch := g.children[c.key()]
	if ch == nil {
		var err error
		if ch, err = g.start(ctx, c); err != nil {
			return t, err
		}
		g.children[c.key()] = ch
	}
	t.addr, t.admin, t.pid, t.tls = ch.addr, ch.admin, ch.pid(), g.o.over != ""
	if g.o.over == overHTTP2 {
		t.http2 = newHTTP2()
	}
	return t, nil
}

// warm runs one short stream, so that nothing is measured that happens only once.
func (g *rig) warm(ctx context.Context, t target, c *cell) error {
	if c.Mode == size {
		return nil
	}
	return warm(ctx, t)
}

func (g *rig) start(ctx context.Context, c *cell) (*child, error) {
	s := spec{Upstream: g.upstream.addr}
	switch {
	case g.peers[c.Target] != nil:
		return g.startPeer(ctx, g.peers[c.Target])
	case c.Target == splice:
		s.Splice, _ = splicePair(c.pair)
	case c.key() == sabir:
		return g.startSabir(ctx, "")
	}
	return startRole(ctx, g.dir, c.Target, s)
}

// startSabir starts the proxy; with a file for a profile, inside this program.
func (g *rig) startSabir(ctx context.Context, profile string) (*child, error) {
	if err := os.WriteFile(g.configFile(), []byte(g.configText()), 0o600); err != nil {
		return nil, err
	}
	if profile == "" && !g.o.inside {
		return start(exec.CommandContext(ctx, g.binary, "serve", "--config", g.configFile()), filepath.Join(g.dir, "sabir.log"))
	}
	return startRole(ctx, g.dir, sabir, spec{Config: g.configFile(), Profile: profile})
}

func (g *rig) configFile() string { return filepath.Join(g.dir, "sabir.yaml") }

// configText is the configuration of the proxy: all defaults, but for free ports, room for the streams and for records
// that hold 50 MB of arguments, long timeouts for a server with ten thousand clients at once, and what flags add.
func (g *rig) configText() string {
	var b strings.Builder
	b.WriteString("listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\nlimits: {streams: 0, record: 128MiB}\ntimeouts: {connect: 1m, first_byte: 2m}\nupstreams:\n")
	seen := map[string]bool{}
	for _, pr := range g.pairs {
		if !seen[pr.from.Name] {
			seen[pr.from.Name] = true
			fmt.Fprintf(&b, "  %s: {url: http://%s/%s, dialect: %s}\n", pr.from.Name, g.upstream.addr, pr.from.Name, pr.from.Name)
		}
	}
	b.WriteString("routes:\n")
	for _, pr := range g.pairs {
		fmt.Fprintf(&b, "  - {path: /%s/%s, upstream: %s, client: %s, %s}\n", pr.from.Name, pr.to.Name, pr.from.Name, pr.to.Name, g.o.route)
	}
	b.WriteString(g.secureSettings() + g.o.settings + "\n")
	return b.String()
}

// size looks at an idle process and its program.
func (g *rig) size(ctx context.Context, t target, c *cell, m func() *meter) (sample, error) {
	var s sample
	start := m()
	sleep(ctx, c.d)
	start.fill(&s, 1)
	n, err := familyResident(t.pid)
	if err != nil {
		return sample{Idle: -1, Binary: -1}, nil //nolint:nilerr // it cannot be measured on this system
	}
	s.Idle = float64(n) / 1e6
	if info, err := os.Stat(g.binary); err == nil {
		s.Binary = float64(info.Size()) / 1e6
	}
	return s, ctx.Err()
}

func (g *rig) processes() []int {
	all := []int{os.Getpid()} // and so all that it has started
	return all
}

func (g *rig) stop(c *cell) { g.stopKey(c.key()) }

func (g *rig) stopKey(key string) {
	if ch := g.children[key]; ch != nil {
		ch.stop()
		delete(g.children, key)
	}
}

func (g *rig) stopTargets() {
	for key := range g.children {
		g.stopKey(key)
	}
}

func (g *rig) stopAll() {
	g.stopTargets()
	if g.upstream != nil {
		g.upstream.stop()
	}
	_ = os.RemoveAll(g.dir)
}

// profileName is where a profile is kept.
func (g *rig) profileName(mode string) string {
	name := g.o.profile
	if name == "" {
		name = filepath.Join(g.dir, "cpu")
	}
	return fmt.Sprintf("%s-%s-%d.pprof", name, mode, time.Now().Unix())
}
