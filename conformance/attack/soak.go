//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// soak is a long run under mixed load, with all guards on, while something goes wrong now and then. Its process must stay flat.
type soak struct {
	*trial
	judges  *judges
	names   *nameServer
	cert    *certificate
	clock   seam
	spans   *judge
	config  []byte
	begun   time.Time
	samples []sample

	troubled atomic.Int64 // until when streams may end with an error, in nanoseconds since begun
	mu       sync.Mutex
	outcomes map[string]int
	events   map[string]int
	badOnes  map[string]int // good streams that failed, by what they got and whose fault it is
	late     *lateness

	rate, most float64 // of streams that begin in a second, and what the machine can serve; 0: not measured
}

// sample is the state of the process at a time.
type sample struct {
	at    time.Duration
	state state
	begun int // streams so far
}

const soakKey = "a-key-of-the-soak-that-is-long-enough"

// soakRoutes are the pairs of the load: translations, copies, and those behind a guard of their own.
var soakRoutes = []struct {
	path, upstream, client, more string
	pair
}{
	{"/keys", "http", "agui", ", auth: [keys], redact: {builtin: [keys, cards, emails, ips]}", pair{"openai-chat", "agui"}},
	{"/jwt", "http", "aisdk", ", auth: [jwt], limits: {rate: 1000/s, principal: {rate: 1000/s, streams: 5000, tokens_per_minute: 100000000}}", pair{"openai-chat", "aisdk"}},
	{"/forward", "http", "openai-responses", ", auth: [forward]", pair{"openai-chat", "openai-responses"}},
	{"/resume", "http", "agui", ", auth: [keys], resume: {grace: 2s, ttl: 10s}", pair{"openai-chat", "agui"}},
	{"/copy", "http", "openai-chat", ", auth: [keys]", pair{"openai-chat", "openai-chat"}},
	{"/socket", "socket", "anthropic", ", auth: [keys]", pair{"openai-chat", "anthropic"}},
	{"/anthropic", "anthropic", "openai-chat", ", auth: [keys], redact: {builtin: [keys]}", pair{"anthropic", "openai-chat"}},
	{"/agui", "agui", "claude-cli", ", auth: [keys]", pair{"agui", "claude-cli"}},
	{"/langgraph", "langgraph", "agui", ", auth: [keys]", pair{"langgraph", "agui"}},
	{"/acp", "acp", "gemini", ", auth: [keys]", pair{"acp", "gemini"}},
}

// yaml is the configuration: all guards are on.
func (s *soak) yaml(a *agent, port string) string {
	sum := sha256.Sum256([]byte(soakKey))
	c := s.judges.config()
	c.top = s.cert.yaml() + c.top + fmt.Sprintf("  keys: [{name: web, sha256: %s}]\n", hex.EncodeToString(sum[:])) +
		fmt.Sprintf("audit: {path: '%s', chain: true}\n", filepath.Join(s.suite.dir, "soak.jsonl")) +
		fmt.Sprintf("tracing: {endpoint: 'http://%s', queue: 256}\n", s.spans.addr) +
		"limits: {streams: 5000, rate: 2000/s, principal: {streams: 5000}}\nstore: {bytes: 32MiB}\n"
	c.timeouts = "connect: 2s, first_byte: 4s, idle: 4s, read: 5s, write: 4s, keepalive: 1s, drain: 5s, idle_connection: 2s"
	c.others, c.more = "", ""
	for _, u := range []string{"openai-chat", "anthropic", "agui", "langgraph", "acp"} {
		name := u
		if u == "openai-chat" {
			name = "http"
		}
		c.others += fmt.Sprintf("  %s: {url: 'http://agent.test:%s/%s', dialect: %s}\n", name, port, u, u)
	}
	c.others += fmt.Sprintf("  socket: {url: 'ws://agent.test:%s/openai-chat', dialect: openai-chat}\n", port)
	for _, r := range soakRoutes {
		c.more += fmt.Sprintf("  - {path: %s, upstream: %s, client: %s, requests: {mode: pass}%s}\n", r.path, r.upstream, r.client, r.more)
	}
	return c.text(a)
}

// runSoak makes the run, and returns what came of it.
func runSoak(ctx context.Context, st *suite) (*soakReport, error) {
	a := &attack{name: "soak", tries: "mixed load with trouble at random", alone: true}
	s := &soak{
		trial:    &trial{attack: a, ctx: ctx, opt: st.opt, suite: st, random: newRandom(st.opt.seed, "soak")},
		outcomes: map[string]int{}, events: map[string]int{}, badOnes: map[string]int{}, clock: seam{filepath.Join(st.dir, "clock")},
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	defer s.stop()
	empty, err := s.rig.process.state()
	if err != nil {
		return nil, err
	}
	s.late = &lateness{pid: s.rig.process.pid()}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go s.late.run(watching)
	if s.rate = st.opt.rate; s.rate == 0 {
		if s.most, err = s.capacity(); err != nil {
			return nil, err
		}
		s.rate = s.most / 2
	}
	s.late.forget()
	s.begun = time.Now()
	until := s.begun.Add(st.opt.time)
	var all sync.WaitGroup
	all.Go(func() { s.load(until) })
	all.Go(func() { s.trouble(until) })
	all.Go(func() { s.measure(until) })
	all.Wait()
	return s.report(empty), ctx.Err()
}

// start makes all servers and the process.
func (s *soak) start() (err error) {
	if s.judges, err = newJudges(); err != nil {
		return err
	}
	if s.names, err = newNameServer(); err != nil {
		return err
	}
	if s.spans, err = newJudge(takesAll); err != nil {
		return err
	}
	if s.cert, err = newCertificate(s.suite.dir); err != nil {
		return err
	}
	a, err := newAgent()
	if err != nil {
		return err
	}
	_, port, _ := net.SplitHostPort(a.addr)
	err = errors.Join(s.clock.set(0), a.also("tcp", "127.0.0.2:"+port))
	s.names.says(leads([4]byte{127, 0, 0, 1}))
	if err != nil {
		return err
	}
	config := s.yaml(a, port)
	s.config = []byte(config)
	s.rig, err = s.suite.rigWith(a, config, processOptions{seams: true, env: []string{
		"SABIR_ATTACK_CLOCK=" + s.clock.file, "SABIR_ATTACK_DNS=" + s.names.conn.LocalAddr().String(),
	}})
	if err == nil {
		s.rig.process.dial = func() (net.Conn, error) { return dialTLS(s.rig.process.addr) }
	}
	return err
}

func (s *soak) stop() {
	s.rig.close()
	s.judges.close()
	s.spans.die()
	s.names.conn.Close()
}

// measure takes samples until the end.
func (s *soak) measure(until time.Time) {
	every := max(time.Second, s.opt.time/240)
	for tick := time.NewTicker(every); time.Now().Before(until) && s.ctx.Err() == nil; {
		<-tick.C
		st, err := s.rig.process.state()
		if err != nil {
			s.fault("the state of the process cannot be read: %v", err)
			continue
		}
		s.mu.Lock()
		s.samples = append(s.samples, sample{time.Since(s.begun), st, int(s.tried)})
		s.mu.Unlock()
	}
}

// median of what the samples say.
func median(all []sample, value func(state) float64) float64 {
	values := make([]float64, 0, len(all))
	for _, one := range all {
		values = append(values, value(one.state))
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// pause is a random time around a mean.
func pause(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(mean))
}
