//go:build linux

package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// badStream is a good stream that failed, and what was seen of it.
type badStream struct {
	name        string
	begun, took time.Duration
	answer      *answer
	what        string
	line        string // of the proxy's log
}

// Whose fault a bad stream is.
const (
	byHarness = "the soak's own servers or clients were late"
	byMachine = "the proxy waited for a processor"
	byProxy   = "neither was late"
)

// timeouts of the soak's configuration that can run out while something is late.
const (
	decides  = time.Second
	connects = 2 * time.Second
	answers  = 4 * time.Second
)

// ranOut is the timeout that an answer may be due to.
func (b *badStream) ranOut() time.Duration {
	switch {
	case b.answer.status == http.StatusServiceUnavailable:
		return decides
	case strings.Contains(b.line, `"cause":"dial `):
		return connects
	case b.answer.err != nil && isTimeout(b.answer.err):
		return answerLimit
	}
	return answers
}

// fault says whose: being late, while the stream was open, for the whole of the timeout explains that it ran out, and being late for less does not.
func (b *badStream) fault(late, proxy time.Duration) string {
	switch limit := b.ranOut() * 9 / 10; {
	case late >= limit:
		return byHarness
	case proxy >= limit:
		return byMachine
	}
	return byProxy
}

// bad prints a fault of a good stream as it comes, and counts it. Only what no lateness explains is a fault of the proxy; the others are in the
// report beside it.
func (s *soak) bad(b *badStream) {
	now := time.Now()
	time.Sleep(2 * time.Second) // until the log has it; to search it again and again would make this process late
	b.line = s.rig.process.log.line(b.answer.id)
	late, proxy := s.late.between(now.Add(-b.took), now)
	kind := fmt.Sprintf("status %d, %s", b.answer.status, endingOf(b.line))
	whose := b.fault(late, proxy)
	fmt.Fprintf(s.suite.out, "%v after %v: %s, begun %v before: %s\n  %s: the soak was late by %v, the proxy waited for %v, %s\n  %s\n", now.Format(time.TimeOnly),
		now.Sub(s.begun).Round(time.Second), b.name, b.took.Round(time.Millisecond), clip(b.what, 300), whose, late.Round(time.Millisecond), proxy.Round(time.Millisecond), loadOf(), clip(b.line, 900))
	s.mu.Lock()
	s.badOnes[kind+": "+whose]++
	s.mu.Unlock()
	if whose == byProxy {
		s.fault("%s, begun after %v: %s", b.name, b.begun.Round(time.Second), b.what)
	}
}
