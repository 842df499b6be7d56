package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/bench"
)

// Modes of measurement.
const (
	flowing   = "flowing"
	segmented = "segmented"
	paced     = "paced"
	slow      = "slow"
)

// pair is a translation.
type pair struct{ from, to *hub.Dialect }

func (p pair) String() string { return p.from.Name + " → " + p.to.Name }

// usual are the pairs that are measured without -from and -to, as far as their dialects exist.
var usual = [][2]string{{"evolve", "agui"}, {"agentevent", "agui"}, {"agui", "evolve"}, {"agui", "agui"}}

func pairs(from, to string) (all []pair, err error) {
	if from != "" {
		f, err := adapters.Lookup(from)
		if err != nil {
			return nil, err
		}
		t, err := adapters.Lookup(to)
		return []pair{{f, t}}, err
	}
	for _, names := range usual {
		f, err1 := adapters.Lookup(names[0])
		t, err2 := adapters.Lookup(names[1])
		if err1 == nil && err2 == nil {
			all = append(all, pair{f, t})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("none of the usual pairs of dialects exists; choose one with -from and -to")
	}
	return all, nil
}

// cell is one line of the report: a target under one kind of load.
type cell struct {
	Mode    string   `json:"mode"`
	Target  string   `json:"target"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Streams int      `json:"streams"`
	Samples []sample `json:"samples"`

	pair  pair
	call  call
	d     time.Duration
	quiet float64
}

// plan is what will be measured, and the processes that it needs.
type plan struct {
	o        options
	pairs    []pair
	cells    []*cell
	dir      string // for configuration, logs and the binary
	upstream *child
	children map[string]*child // by target and, for a splice, pair
}

func newPlan(o options) (*plan, error) {
	all, err := pairs(o.from, o.to)
	if err != nil {
		return nil, err
	}
	p := &plan{o: o, pairs: all, children: map[string]*child{}}
	if o.mode == flowing && !o.segmented || o.mode == "all" {
		p.addFlowing(flowing)
	}
	if o.mode == flowing && o.segmented || o.mode == "all" {
		p.addFlowing(segmented)
	}
	if o.mode == paced || o.mode == "all" {
		p.addPaced()
	}
	if o.mode == slow || o.mode == "all" {
		p.addSlow()
	}
	return p, nil
}

// addFlowing measures every pair beside its splice; copies beside a reverse proxy of the same bytes.
func (p *plan) addFlowing(mode string) {
	c := call{events: p.o.events, segmented: mode == segmented}
	base := cell{Mode: mode, Streams: or(p.o.streams, 64), call: c, d: or(p.o.duration, p.brief(2*time.Second, 300*time.Millisecond))}
	all := p.pairs
	if mode == segmented && p.o.short {
		all = all[:1]
	}
	p.add(base, "direct", all[0])
	p.add(base, "raw", all[0])
	for _, pr := range all {
		p.addWithFloor(base, pr)
	}
}

func (p *plan) addWithFloor(base cell, pr pair) {
	if pr.from == pr.to {
		p.add(base, "reverse", pr)
	} else if _, ok := splicePair(pr); ok {
		p.add(base, "splice", pr)
	}
	p.add(base, "sabir", pr)
}

func splicePair(pr pair) (s spliceScript, ok bool) {
	const two = 2 // the first delta opens the text; the second is like all others
	from, err1 := bench.NewScript(pr.from, two)
	to, err2 := bench.NewScript(pr.to, two)
	if err1 != nil || err2 != nil {
		return s, false
	}
	return newSpliceScript(from, to)
}

func (p *plan) addPaced() {
	c := call{interval: time.Duration(float64(time.Second) / p.o.rate)}
	base := cell{Mode: paced, Streams: or(p.o.streams, p.briefCount(500, 200)), call: c, d: or(p.o.duration, p.brief(10*time.Second, 3*time.Second))}
	first := p.pairs[0]
	p.add(base, "direct", first)
	p.addFirst(base)
}

func (p *plan) addSlow() {
	c := call{interval: time.Second}
	p.addFirst(cell{Mode: slow, Streams: or(p.o.streams, 2000), call: c, d: or(p.o.duration, p.brief(10*time.Second, 2*time.Second))})
}

// addFirst measures the first pair, and a copy if there is one, beside what passes bytes through: where little happens,
// pairs do not differ.
func (p *plan) addFirst(base cell) {
	first, last := p.pairs[0], p.pairs[len(p.pairs)-1]
	if !p.o.short {
		p.add(base, "raw", first)
	}
	p.add(base, "reverse", pair{first.from, first.from})
	p.add(base, "sabir", first)
	if last.from == last.to && last != first && !p.o.short {
		p.add(base, "sabir", last)
	}
}

// add adds a line for a target. What copies bytes is given a pair of equal dialects.
func (p *plan) add(base cell, target string, pr pair) {
	if target == "direct" || target == "raw" {
		pr.to = pr.from
	}
	base.Target, base.pair, base.From, base.To = target, pr, pr.from.Name, pr.to.Name
	base.quiet = p.o.quiet
	p.cells = append(p.cells, &base)
}

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

func (p *plan) brief(long, short time.Duration) time.Duration {
	if p.o.short {
		return short
	}
	return long
}

func (p *plan) briefCount(long, short int) int {
	if p.o.short {
		return short
	}
	return long
}

// rounds is how often a cell is measured.
func (p *plan) rounds(mode string) int {
	switch {
	case p.o.rounds > 0:
		return p.o.rounds
	case !p.o.short:
		return 5
	case mode == paced || mode == slow:
		return 1
	}
	return 3
}

// measure makes all measurements, round by round.
func (p *plan) measure(ctx context.Context, progress io.Writer) (*report, error) {
	var err error
	if p.dir, err = os.MkdirTemp("", "sabir-loopback-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(p.dir)
	defer p.stopAll()
	if err := p.prepare(ctx); err != nil {
		return nil, err
	}
	r := newReport(p)
	for round := 0; ; round++ {
		done := true
		for _, c := range p.cells {
			if round >= p.rounds(c.Mode) {
				continue
			}
			done = false
			s, err := p.quietSample(ctx, c)
			if err != nil {
				return nil, fmt.Errorf("%s, %s, %s: %w", c.Mode, c.Target, c.pair, err)
			}
			c.Samples = append(c.Samples, s)
			fmt.Fprintf(progress, "round %d: %-9s %-8s %s\n", round+1, c.Mode, c.Target, s.summary())
		}
		if done {
			r.sum()
			return r, nil
		}
	}
}

// quietTries is how often -quiet makes a measurement again.
const quietTries = 2

func (p *plan) quietSample(ctx context.Context, c *cell) (best sample, err error) {
	for try := range quietTries + 1 {
		s, err := p.sample(ctx, c)
		if err != nil {
			return s, err
		}
		if try == 0 || s.Bad > 0 || s.Others < best.Others {
			best = s
		}
		if p.o.quiet <= 0 || best.Others <= p.o.quiet || best.Bad > 0 {
			break
		}
	}
	return best, nil
}

// sample measures a cell once.
func (p *plan) sample(ctx context.Context, c *cell) (sample, error) {
	fresh := c.Mode == slow // memory never comes back quite as it was
	t, err := p.target(ctx, c, fresh)
	if err != nil {
		return sample{}, err
	}
	if fresh {
		defer p.stop(c)
	}
	m := func() *meter { return newMeter(t.pid, p.processes()) }
	if c.Mode == flowing || c.Mode == segmented {
		s := flow(ctx, t, c.call, c.Streams, c.d, m, runtime.NumCPU())
		return s, ctx.Err()
	}
	pc := newPacing(c.Streams, c.call.interval, c.d)
	call := c.call
	call.events, call.base = pc.events(call.interval), time.Now().UnixMicro()
	var idle int64
	if fresh {
		sleep(ctx, usualRest)
		if idle, err = resident(t.pid); err != nil {
			idle = 0
		}
	}
	s := pace(ctx, t, call, pc, idle, m, runtime.NumCPU())
	return s, ctx.Err()
}

func (p *plan) processes() []int {
	all := []int{os.Getpid(), p.upstream.pid()}
	for _, c := range p.children {
		all = append(all, c.pid())
	}
	return all
}

// prepare builds the proxy and starts the simulated server.
func (p *plan) prepare(ctx context.Context) (err error) {
	if p.o.sabir == "" && p.o.profile == "" {
		p.o.sabir = filepath.Join(p.dir, "sabir")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.o.sabir, "github.com/sabir-proxy/sabir/cmd/sabir")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("cannot build the proxy (run this from the repository): %w\n%s", err, out)
		}
	}
	if p.upstream, err = startRole(ctx, p.dir, "upstream", spec{}); err != nil {
		return err
	}
	return nil
}

// key tells children apart.
func (c *cell) key() string {
	if c.Target == "splice" {
		return "splice " + c.pair.String()
	}
	return c.Target
}

// target returns what a cell is measured on, started and warm.
func (p *plan) target(ctx context.Context, c *cell, fresh bool) (target, error) {
	t := target{name: c.Target, addr: p.upstream.addr, path: "/" + c.From, answer: c.pair.to}
	if c.Target == "direct" {
		return t, nil
	}
	if c.Target == "sabir" {
		t.path += "/" + c.To
	}
	if fresh {
		p.stop(c)
	}
	ch := p.children[c.key()]
	if ch == nil {
		var err error
		if ch, err = p.start(ctx, c); err != nil {
			return t, err
		}
		p.children[c.key()] = ch
	}
	t.addr, t.pid = ch.addr, ch.pid()
	return t, warm(ctx, t)
}

func (p *plan) start(ctx context.Context, c *cell) (*child, error) {
	s := spec{Upstream: p.upstream.addr}
	switch c.Target {
	case "splice":
		s.Splice, _ = splicePair(c.pair)
	case "sabir":
		return p.startSabir(ctx)
	}
	return startRole(ctx, p.dir, c.Target, s)
}

func (p *plan) startSabir(ctx context.Context) (*child, error) {
	file := filepath.Join(p.dir, "sabir.yaml")
	if err := os.WriteFile(file, []byte(p.config()), 0o600); err != nil {
		return nil, err
	}
	if p.o.profile == "" {
		return start(exec.CommandContext(ctx, p.o.sabir, "serve", "--config", file), filepath.Join(p.dir, "sabir.log"))
	}
	profile := fmt.Sprintf("%s-%d.pprof", p.o.profile, time.Now().Unix())
	return startRole(ctx, p.dir, "sabir", spec{Config: file, Profile: profile})
}

// config is the configuration of the proxy: all defaults, but for free ports and room for the streams.
func (p *plan) config() string {
	var b strings.Builder
	b.WriteString("listen: 127.0.0.1:0\nadmin: \"\"\nlimits: {streams: 0}\nupstreams:\n")
	seen := map[string]bool{}
	for _, pr := range p.pairs {
		if !seen[pr.from.Name] {
			seen[pr.from.Name] = true
			fmt.Fprintf(&b, "  %s: {url: http://%s/%s, dialect: %s}\n", pr.from.Name, p.upstream.addr, pr.from.Name, pr.from.Name)
		}
	}
	b.WriteString("routes:\n")
	for _, pr := range p.pairs {
		fmt.Fprintf(&b, "  - {path: /%s/%s, upstream: %s, client: %s}\n", pr.from.Name, pr.to.Name, pr.from.Name, pr.to.Name)
	}
	return b.String()
}

func (p *plan) stop(c *cell) {
	if ch := p.children[c.key()]; ch != nil {
		ch.stop()
		delete(p.children, c.key())
	}
}

func (p *plan) stopAll() {
	for _, c := range p.cells {
		p.stop(c)
	}
	if p.upstream != nil {
		p.upstream.stop()
	}
}
