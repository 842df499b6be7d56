package proxy

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestGrace: a run without a client ends when the time for that is over, and not before.
func TestGrace(t *testing.T) {
	t.Parallel()
	const grace = 2 * time.Second // a busy machine comes back within it
	a, _, gone := gatedAgent(t)
	r := resuming(t, a, "agui", fmt.Sprintf("grace: %s, ttl: 200ms", grace))
	c, resp := r.openRun()
	had := firstHalf(t, resp)
	c.reset()
	await(t, "the client to be gone", func() bool { return r.logs.FilterMessage("run read").Len() == 1 })
	back := r.dial()
	back.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(had))
	back.response()
	time.Sleep(grace + grace/4) // longer than the run goes on without a client
	if len(gone) > 0 {
		t.Error("the run has ended under its client")
	}
	left := time.Now()
	back.reset()
	<-gone
	if took := time.Since(left); took < grace*3/4 {
		t.Errorf("it ended after %v", took)
	}
	if end := r.awaitEnds(1); end["ending"] != "run_unread" {
		t.Errorf("log: %v", end)
	}
	if r.metric("sabir_resume_grace_total", "end=returned") != 1 || r.metric("sabir_resume_grace_total", "end=expired") != 1 {
		t.Error("what became of the run without a client is not counted")
	}
	await(t, "the run to be forgotten", func() bool { return r.metric("sabir_resume_runs")+r.metric("sabir_resume_log_bytes") == 0 })
	r.call(t, 404, alice, "GET", "/run?last_event_id="+lastID(had), "")
}

// TestGraceReported: a client that joins a run which was ended for lack of a reader gets that error, and not a failure of the agent.
func TestGraceReported(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	r := resuming(t, a, "agui", "grace: 100ms")
	c, resp := r.openRun()
	had := firstHalf(t, resp)
	c.reset()
	<-gone
	if end := r.awaitEnds(1); end["ending"] != "run_unread" {
		t.Errorf("log: %v", end)
	}
	rest := r.call(t, 200, alice, "GET", "/run?last_event_id="+lastID(had), "")
	if !strings.Contains(rest, `"code":"run_unread"`) || strings.Contains(rest, "agent server") {
		t.Errorf("the end is %s", rest)
	}
}

// TestStopShared: a client that is gone can end its run, and no other.
func TestStopShared(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	r := resuming(t, a, "agui", "grace: 1m")
	_, resp := r.openRun()
	run := resp.Header.Get(runHeader)
	firstHalf(t, resp)
	r.call(t, 404, bob+"\r\nX-Sabir-Run: "+run, "DELETE", "/run", "")
	if got := r.call(t, 204, alice+"\r\nX-Sabir-Run: "+run, "DELETE", "/run", ""); got != "" {
		t.Errorf("it says %s", got)
	}
	<-gone
	rest, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(rest), "RUN_") {
		t.Errorf("%v: the client does not learn that the run has ended: %s", err, rest)
	}
	r.call(t, 405, alice, "DELETE", "/run", "")
}

// TestChallengeOfSharedRun: the credentials that an agent wants are named to a client of a run that may be resumed, too.
func TestChallengeOfSharedRun(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("401 Unauthorized", "Content-Length: 0", `WWW-Authenticate: Bearer realm="agent"`, "WWW-Authenticate: Basic")
		}
	})
	r := resuming(t, a, "agui", "grace: 1m")
	resp, body := r.post("/run", resumeClients[0].body)
	if got := resp.Header.Values("WWW-Authenticate"); resp.StatusCode != 401 || len(got) != 2 || got[0] != `Bearer realm="agent"` || got[1] != "Basic" {
		t.Errorf("status %d, %v: %s", resp.StatusCode, got, body)
	}
	r.awaitEnds(1)
}

// TestRefusalAtOtherReplica: a client that waits at another replica for a run that the agent refuses gets the same answer: its status, what
// credentials the agent wants, and when to ask again.
func TestRefusalAtOtherReplica(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ status, field, name string }{
		{"401 Unauthorized", `WWW-Authenticate: Bearer realm="agent"`, "WWW-Authenticate"},
		{"429 Too Many Requests", "Retry-After: 7", "Retry-After"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			asked, end := make(chan struct{}), make(chan struct{})
			refuse := sync.OnceFunc(func() { close(end) })
			a := newAgent(t, func(p *peer) {
				p.request()
				close(asked)
				<-end
				p.answer(c.status, "Content-Length: 0", c.field)
			})
			one, two := twoReplicas(t, a, "1m")
			t.Cleanup(refuse)
			first, second := one.dial(), two.dial()
			first.ask("POST", "/run", resumeClients[0].body, repeated)
			<-asked
			second.ask("POST", "/run", resumeClients[0].body, repeated)
			await(t, "the run to be read at the other replica", func() bool { return two.metric("sabir_resume_runs", "state=live") == 1 })
			refuse()
			here, body := first.whole()
			there, same := second.whole()
			want := strings.TrimPrefix(c.field, c.name+": ")
			if here.StatusCode/100 != 4 || there.StatusCode != here.StatusCode || here.Header.Get(c.name) != want || there.Header.Get(c.name) != want {
				t.Errorf("status %d, %v, and at the other replica %d, %v; want %s", here.StatusCode, here.Header, there.StatusCode, there.Header, c.field)
			}
			if body != same {
				t.Errorf("the body is %s, and at the other replica %s", body, same)
			}
		})
	}
}

// TestFailsBeforeItBegins: what an agent refuses is a status for the client that asks, as it is without resume.
func TestFailsBeforeItBegins(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.answer("429 Too Many Requests", "Content-Length: 0", "Retry-After: 7")
		}
	})
	r := resuming(t, a, "agui", "grace: 1m")
	r.call(t, 429, alice, "POST", "/run", resumeClients[0].body, `"code":"upstream_busy"`)
	r.awaitEnds(1)
}
