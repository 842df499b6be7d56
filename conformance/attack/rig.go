package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// rig is a proxy with hostile upstreams behind it.
type rig struct {
	suite   *suite
	agent   *agent
	process *process
}

// pair is an agent server's dialect and a client's.
type pair struct{ from, to string }

func (p pair) String() string { return p.from + "/" + p.to }

// usualPairs are the routes of the rig: translations between different shapes of dialects, and copies.
var usualPairs = []pair{
	{"openai-chat", "agui"}, {"evolve", "agui"}, {"agui", "aisdk"}, {"anthropic", "openai-chat"}, {"langgraph", "agui"},
	{"openai-responses", "anthropic"}, {"acp", "agui"}, {"agui", "claude-cli"}, {"agui", "openai-responses"},
	{"agui", "agui"}, {"openai-chat", "openai-chat"}, {"anthropic", "anthropic"}, {"aisdk", "aisdk"},
}

// Paths of routes are the pair, after where the upstream is asked: by HTTP or by WebSocket.
const (
	byHTTP      = "/http/"
	byWebSocket = "/ws/"
	canaryPath  = "/canary"
)

// pairsBy are the pairs whose upstreams can be asked that way: a socket carries no names of events.
func pairsBy(by string) []pair {
	if by == byHTTP {
		return usualPairs
	}
	return slices.DeleteFunc(slices.Clone(usualPairs), func(p pair) bool { return p.from == "langgraph" })
}

// configuration is that of a proxy with a route for each pair. Its times are short: what must end, ends soon.
func configuration(a *agent, pairs []pair) string {
	var b strings.Builder
	b.WriteString(`listen: 127.0.0.1:0
admin: 127.0.0.1:0
limits: {record: 1MiB}
timeouts: {connect: 2s, first_byte: 3s, idle: 3s, read: 3s, write: 3s, keepalive: 1s, drain: 2s}
`)
	up, routes := "upstreams:\n", "routes:\n"
	known := map[string]bool{}
	for _, p := range pairs {
		if !known[p.from] {
			known[p.from] = true
			up += fmt.Sprintf("  http-%s: {url: 'http://%s/%s', dialect: %s}\n", p.from, a.addr, p.from, p.from)
			up += fmt.Sprintf("  ws-%s: {url: 'ws://%s/%s', dialect: %s}\n", p.from, a.addr, p.from, p.from)
		}
		routes += fmt.Sprintf("  - {path: %s%s, upstream: http-%s, client: %s, requests: {mode: pass}}\n", byHTTP, p, p.from, p.to)
		routes += fmt.Sprintf("  - {path: %s%s, upstream: ws-%s, client: %s, requests: {mode: pass}}\n", byWebSocket, p, p.from, p.to)
	}
	up += fmt.Sprintf("  canary: {url: 'http://%s/openai-chat', dialect: openai-chat}\n", a.addr)
	routes += fmt.Sprintf("  - {path: %s, upstream: canary, client: agui, requests: {mode: pass}}\n", canaryPath)
	b.WriteString(up + routes)
	return b.String()
}

func newRig(s *suite) (*rig, error) { return s.newRig(usualPairs, processOptions{}) }

// newRig starts a proxy with routes for these pairs.
func (s *suite) newRig(pairs []pair, o processOptions) (*rig, error) {
	a, err := newAgent()
	if err != nil {
		return nil, err
	}
	return s.rigWith(a, configuration(a, pairs), o)
}

// rigWith starts a proxy with a configuration in front of an agent.
func (s *suite) rigWith(a *agent, config string, o processOptions) (*rig, error) {
	p, err := s.startProcess(config, o)
	if err != nil {
		a.close()
		return nil, err
	}
	return &rig{s, a, p}, nil
}

func (r *rig) close() {
	if r.process.alive() {
		r.process.kill()
	}
	r.agent.close()
}

// watch is what is looked at while an attack goes on.
type watch struct {
	rig    *rig
	before state
	canary *canary
}

// watch begins to look at the process: its state before the attack, the peak of its memory, and a canary.
func (r *rig) watch(t *trial) (*watch, error) {
	r.process.log.reset()
	before, err := r.process.state()
	if err != nil {
		return nil, err
	}
	if err := resetPeak(r.process.pid()); err != nil {
		return nil, err
	}
	c, err := r.startCanary()
	if err != nil {
		return nil, fmt.Errorf("a well-behaved stream does not begin: %w", err)
	}
	return &watch{r, before, c}, nil
}

// How much may stay behind after an attack: connections that a pool keeps, and those of metrics.
const (
	spareGoroutines = 40
	spareFiles      = 80
	settleTime      = 30 * time.Second

	// idleWorkers are goroutines that the HTTP server keeps for a while after a flood of connections; the short form does
	// not wait for their end.
	idleWorkers = 2000
)

// judge looks at the process after an attack.
func (w *watch) judge(t *trial) {
	w.canary.judge(t)
	if !w.rig.process.alive() {
		t.fault("the process has died: %s", tail(w.rig.process.log.all(), 1500))
		return
	}
	w.judgeMemory(t)
	var after state
	var err error
	workers := t.pick(idleWorkers, 0)
	settled := eventually(t.ctx, settleTime, func() bool {
		after, err = w.rig.process.state()
		return err == nil && after.stream == 0 && after.goroutines <= w.before.goroutines+spareGoroutines+workers && after.files <= w.before.files+spareFiles
	})
	if !settled {
		t.fault("%v later it still has %d streams, %d goroutines (before: %d), %d files (before: %d); %v", settleTime,
			after.stream, after.goroutines, w.before.goroutines, after.files, w.before.files, err)
	}
	if t.alone {
		t.figure("goroutines", "%d before, %d after", w.before.goroutines, after.goroutines)
		t.figure("files", "%d before, %d after", w.before.files, after.files)
	}
	if log := w.rig.process.log.all(); strings.Contains(log, "BUG") || strings.Contains(log, "panic") {
		at := max(strings.Index(log, "BUG"), strings.Index(log, "panic"))
		t.fault("the log tells of a fault of its own: %s", clip(log[max(0, at-100):], 1200))
	}
	if err := w.rig.probe(); err != nil {
		t.fault("a well-behaved request afterwards: %v", err)
	}
}

func (w *watch) judgeMemory(t *trial) {
	most, err := peak(w.rig.process.pid())
	if err != nil {
		t.fault("its memory cannot be read: %v", err)
		return
	}
	allowed := t.memory
	if allowed == 0 {
		allowed = defaultGrowth
	}
	grown := most - w.before.resident
	t.figure("memory", "+%s of %s allowed", mib(max(grown, 0)), mib(allowed))
	if grown > allowed {
		t.fault("memory rose by %s, from %s; %s is allowed", mib(grown), mib(w.before.resident), mib(allowed))
	}
}

func tail(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
