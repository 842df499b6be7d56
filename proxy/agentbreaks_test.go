package proxy

import (
	"net/http"
	"strings"
	"testing"
)

// Ways in which a server breaks when it is asked for something.
func oops(p *peer) { p.answer("500 Oops", "Content-Length: 0") }

func cutsOff(p *peer) { p.reset() }

func cutsAnswer(p *peer) {
	p.answer("200 OK", "Content-Length: 10")
	p.send("[")
	p.reset()
}

// TestListeningServersBreak: whichever of the requests around a run the server fails at, the client learns that by the status, and reads nothing
// of a run.
func TestListeningServersBreak(t *testing.T) {
	t.Parallel()
	resolved := func(ids ...string) string {
		return aguiBody("t1", turn1+askedCall, `,"resume":[{"interruptId":"`+
			strings.Join(ids, `#c1","status":"resolved","payload":{"approved":true}},{"interruptId":"`)+`#c1","status":"resolved","payload":{"approved":true}}]`)
	}
	first, one, two := aguiBody("t1", turn1), resolved("per_1"), resolved("per_1", "per_3")
	for what, row := range map[string]struct {
		at     string
		how    func(*peer)
		body   string
		status int
		code   string
	}{
		"the questions that are open":     {"/permission", oops, one, 502, "upstream_status"},
		"cut in the middle of them":       {"/permission", cutsAnswer, one, 502, "upstream_reset"},
		"the answer":                      {"/per_1/reply", oops, one, 502, "upstream_status"},
		"another answer":                  {"/per_3/reply", oops, two, 502, "upstream_status"},
		"cut at another answer":           {"/per_3/reply", cutsOff, two, 502, "upstream_reset"},
		"what ends the run before":        {"/abort", oops, first, 502, "upstream_status"},
		"cut at what ends the run before": {"/abort", cutsOff, first, 502, "upstream_reset"},
		"the stream":                      {"/event", oops, first, 502, "upstream_status"},
		"the session":                     {"/api/session", oops, first, 502, "upstream_status"},
		"cut at the session":              {"/api/session", cutsOff, first, 502, "upstream_reset"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := newOpenCode(t, func(string, string) string { return busUser() + busPart(callStart) + busAsk })
			o.answered = busPart(callEnd) + busText("Done.") + busIdle
			r := start(t, o.config("agui"))
			if row.body != first {
				r.post("/run", first)
			}
			o.set(func() { o.breaks, o.how = row.at, row.how })
			resp, got := r.post("/run", row.body)
			if resp.StatusCode != row.status || resp.Header.Get("X-Sabir-Error") != row.code {
				t.Errorf("status %d, %s: %s", resp.StatusCode, resp.Header.Get("X-Sabir-Error"), got)
			}
		})
	}
}

// TestListeningServersForget: a question that the server has taken back while another one was answered holds nothing up.
func TestListeningServersForget(t *testing.T) {
	t.Parallel()
	o := newOpenCode(t, func(string, string) string { return busUser() + busPart(callStart) + busAsk })
	o.answered = busPart(callEnd) + busText("Done.") + busIdle
	r := start(t, o.config("agui"))
	r.post("/run", aguiBody("t1", turn1))
	o.set(func() {
		o.breaks, o.how = "/per_3/reply", func(p *peer) { p.answer("404 Not Found", "Content-Length: 0") }
	})
	const both = `,"resume":[{"interruptId":"per_1#c1","status":"resolved","payload":{"approved":true}},{"interruptId":"per_3#c1","status":"resolved","payload":{"approved":true}}]`
	if resp, got := r.post("/run", aguiBody("t1", turn1+askedCall, both)); resp.StatusCode != 200 || !strings.Contains(got, "Done.") {
		t.Errorf("status %d: %s", resp.StatusCode, got)
	}
}

// TestListeningServersBreakWhenAnswered: a run whose question cannot be answered in place of its client fails.
func TestListeningServersBreakWhenAnswered(t *testing.T) {
	t.Parallel()
	for allow, how := range map[string]func(*peer){"allow": oops, "deny": cutsOff} {
		o := newOpenCode(t, func(string, string) string { return busUser() + busPart(callStart) + busAsk })
		o.breaks, o.how = "/per_1/reply", how
		r := start(t, strings.Replace(o.config("openai-chat"), "requests:", "asks: {without: "+allow+"}, requests:", 1))
		_, got := r.post("/run", `{"stream":true,"model":"a/b","messages":[{"role":"user","content":"hello"}]}`)
		if code := map[string]string{"allow": "upstream_status", "deny": "upstream_reset"}[allow]; !strings.Contains(got, `"code":"`+code+`"`) {
			t.Errorf("%s: %s", allow, got)
		}
		if n := r.metric("sabir_asks_total", "outcome=allowed") + r.metric("sabir_asks_total", "outcome=denied"); n != 0 {
			t.Errorf("%s: %v answers are counted", allow, n)
		}
	}
}

// TestListeningServersAllow: a question that is allowed in place of a client is answered so, and counted.
func TestListeningServersAllow(t *testing.T) {
	t.Parallel()
	for allow, want := range map[string][2]string{"allow": {"once", "allowed"}, "deny": {"reject", "denied"}} {
		o := newOpenCode(t, func(string, string) string { return busUser() + busPart(callStart) + busAsk })
		o.answered = busPart(callEnd) + busText("Done.") + busIdle
		r := start(t, strings.Replace(o.config("openai-chat"), "requests:", "asks: {without: "+allow+"}, requests:", 1))
		if _, got := r.post("/run", `{"stream":true,"model":"a/b","messages":[{"role":"user","content":"hello"}]}`); !strings.Contains(got, "Done.") {
			t.Errorf("%s: %s", allow, got)
		}
		if got := o.seen(map[string]string{}); !strings.Contains(got, `{"reply":"`+want[0]+`"}`) {
			t.Errorf("%s: asked %s", allow, got)
		}
		if n, all := r.metric("sabir_asks_total", "outcome="+want[1]), r.metric("sabir_asks_total"); n != 1 || all != 1 {
			t.Errorf("%s: %v of %v answers are %s", allow, n, all, want[1])
		}
	}
}

// TestListeningServersAskAgain: each question is answered once, also where another one follows the answer.
func TestListeningServersAskAgain(t *testing.T) {
	t.Parallel()
	o := newOpenCode(t, func(string, string) string { return busUser() + busPart(callStart) + busAsk })
	o.answered = strings.Replace(busAsk, "per_1", "per_3", 1)
	o.breaks, o.how = "/per_3/reply", func(p *peer) {
		p.answer("200 OK", "Content-Length: 2")
		p.send("{}")
		o.set(func() {
			for bus := range o.buses {
				bus.chunk(strings.ReplaceAll(busPart(callEnd)+busText("Done.")+busIdle, "SESSION", o.last))
			}
		})
	}
	r := start(t, strings.Replace(o.config("openai-chat"), "requests:", "asks: {without: allow}, requests:", 1))
	if _, got := r.post("/run", `{"stream":true,"model":"a/b","messages":[{"role":"user","content":"hello"}]}`); !strings.Contains(got, "Done.") {
		t.Error(got)
	}
	if got := o.seen(map[string]string{}); strings.Count(got, "/per_1/reply") != 1 {
		t.Errorf("asked %s", got)
	}
	if n := r.metric("sabir_asks_total", "outcome=allowed"); n != 2 {
		t.Errorf("%v answers are counted", n)
	}
}

// TestSessionsBreak: a server that is cut off while a session is opened, or where one that it has lost is opened anew, fails.
func TestSessionsBreak(t *testing.T) {
	t.Parallel()
	for what, messages := range map[string]string{"new": turn1, "lost": turn2} {
		a := newAgent(t, func(p *peer) {
			for req := p.request(); req != nil; req = p.request() {
				if strings.HasSuffix(req.URL.Path, "/sessions") {
					p.reset()
					return
				}
				p.answer("404 Not Found", "Content-Length: 0")
			}
		})
		r := start(t, (&keeper{agent: a}).config("adk", "", "agui"))
		if resp, got := r.post("/run", aguiBody("t1", messages)); resp.StatusCode != 502 || resp.Header.Get("X-Sabir-Error") != "upstream_reset" {
			t.Errorf("%s: status %d: %s", what, resp.StatusCode, got)
		}
	}
}

// TestBackgroundAgentBreaks: an agent that runs in the background and fails when it is asked to begin is not asked for more.
func TestBackgroundAgentBreaks(t *testing.T) {
	t.Parallel()
	for what, row := range map[string]struct {
		begins func(*peer)
		code   string
	}{
		"refuses":    {oops, "upstream_status"},
		"cuts off":   {cutsAnswer, "upstream_reset"},
		"leads away": {func(p *peer) { p.ok(); p.finish(`{"id":"..","status":"in_progress"}`) }, "upstream_malformed"},
	} {
		a := newAgent(t, func(p *peer) {
			for req := p.request(); req != nil; req = p.request() {
				if req.Method != http.MethodPost {
					t.Errorf("%s: the agent is asked for %s", what, req.RequestURI)
				}
				row.begins(p)
			}
		})
		r := startBackground(t, a)
		if resp, got := r.post("/run", chatRequest); resp.StatusCode != 502 || resp.Header.Get("X-Sabir-Error") != row.code {
			t.Errorf("%s: status %d, %s: %s", what, resp.StatusCode, resp.Header.Get("X-Sabir-Error"), got)
		}
	}
}
