//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// soakCase is how an agent behaves, and how often.
type soakCase struct {
	name  string
	share int
	want  want
	play  func(p *peer, r *rand.Rand)
}

var soakCases = []soakCase{
	{"good", 70, works, func(p *peer, r *rand.Rand) { p.paced(p.good(), 4+r.IntN(30), 100*time.Millisecond) }},
	{"large", 5, works, func(p *peer, _ *rand.Rand) {
		p.paced(speak(p.dialect, hello, strings.Repeat("many words ", 4000)), 8, 50*time.Millisecond)
	}},
	{"cut", 8, fails, func(p *peer, r *rand.Rand) {
		half := p.half()
		p.openStream()
		p.piece(half[:1+r.IntN(len(half)-1)])
	}},
	{"reset", 5, fails, func(p *peer, _ *rand.Rand) {
		p.openStream()
		p.piece(p.half())
		time.Sleep(200 * time.Millisecond)
		p.reset()
	}},
	{"silent", 4, fails, func(p *peer, _ *rand.Rand) { p.openStream(); p.piece(p.half()); p.silence() }},
	{"refusing", 5, fails, func(p *peer, _ *rand.Rand) { p.head("500 Internal Server Error", "Content-Length: 4"); p.say("oops") }},
	{"no answer", 3, fails, func(p *peer, _ *rand.Rand) { p.silence() }},
}

// overSocket reports whether the request asks for a WebSocket.
func (p *peer) overSocket() bool { return p.req.Header.Get("Sec-WebSocket-Key") != "" }

func (p *peer) openStream() {
	if p.overSocket() {
		p.upgrade()
	} else {
		p.ok()
	}
}

// piece writes a part of a stream: messages, or bytes.
func (p *peer) piece(text string) {
	if p.overSocket() {
		p.text(messages(dialect(p.dialect).Framing, text)...)
	} else {
		p.chunk(text)
	}
}

// paced writes a stream in n pieces, which end anywhere but in the middle of a message of a WebSocket.
func (p *peer) paced(body string, n int, every time.Duration) {
	p.openStream()
	if p.overSocket() {
		for _, m := range messages(dialect(p.dialect).Framing, body) {
			p.text(m)
			time.Sleep(every)
		}
		p.bye()
		return
	}
	for size := 1 + len(body)/n; body != ""; time.Sleep(every) {
		at := min(size, len(body))
		p.chunk(body[:at])
		body = body[at:]
	}
	p.chunk("")
	p.keep = true
}

// load begins streams at a rate, by chance, until the end, and waits for the last.
func (s *soak) load(until time.Time) {
	r := newRandom(s.opt.seed, "soak load")
	var all sync.WaitGroup
	for next := time.Now(); next.Before(until) && s.ctx.Err() == nil; {
		next = next.Add(pause(r, time.Duration(float64(time.Second)/s.rate)))
		time.Sleep(time.Until(next))
		n, seed, leaves := r.IntN(100), r.Uint64(), r.IntN(100) < 5
		route := soakRoutes[r.IntN(len(soakRoutes))]
		all.Go(func() {
			c := caseOf(n)
			s.stream(c, route.path, route.pair, rand.New(rand.NewPCG(seed, 1)), leaves)
		})
	}
	all.Wait()
}

// caseOf is the case that stands for a number below 100.
func caseOf(n int) *soakCase {
	for i := range soakCases {
		if n -= soakCases[i].share; n < 0 {
			return &soakCases[i]
		}
	}
	panic("BUG: the shares of the cases do not add up to 100")
}

// stream makes one request, and judges what comes.
func (s *soak) stream(c *soakCase, path string, p pair, r *rand.Rand, leaves bool) {
	sc := s.rig.agent.add(func(q *peer) { c.play(q, r) })
	defer sc.remove()
	field := s.credentials(path)
	begun := time.Since(s.begun)
	s.count(1)
	if leaves {
		s.leave(path, sc, field)
		s.outcome(c.name, "the client left")
		return
	}
	a := s.rig.process.ask(path+"?script="+sc.id, streamWanted, field)
	s.outcome(c.name, s.verdict(c, p, a, begun))
	if called := sc.called.Load(); called > 1 {
		s.fault("%s on %s: the agent was asked %d times", c.name, path, called)
	}
}

// leave reads a little, and closes the connection.
func (s *soak) leave(path string, sc *script, field string) {
	conn, err := s.rig.process.dial()
	if err != nil {
		return // a connection is refused while something goes wrong
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, request("POST", path+"?script="+sc.id, s.rig.process.addr, "left", streamWanted, field))
	_ = conn.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	_, _ = bufio.NewReader(conn).Peek(64)
}

// verdict is how a stream ended, and a fault where it should not have.
func (s *soak) verdict(c *soakCase, p pair, a *answer, begun time.Duration) string {
	b := &badStream{name: c.name + ", " + p.String(), begun: begun, took: time.Since(s.begun) - begun, answer: a}
	trouble := time.Duration(s.troubled.Load()) >= begun
	switch {
	case a.status >= 300 && (c.want == fails || trouble):
		return "refused"
	case a.err != nil && trouble:
		return "cut"
	case a.err != nil:
		b.what = fmt.Sprintf("no whole answer: status %d, %v", a.status, a.err)
	case c.want == fails:
		if err := a.honest(p.to); err != nil {
			s.fault("%s: %v", b.name, err)
		}
		return "ended with an error"
	case a.whole(p):
		return "whole"
	case trouble && a.honest(p.to) == nil:
		return "ended with an error"
	default:
		b.what = fmt.Sprintf("it should have worked: status %d: %q", a.status, clip(string(a.body), 300))
	}
	s.bad(b)
	return "failed"
}

func (s *soak) outcome(name, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outcomes[name+": "+what]++
}
