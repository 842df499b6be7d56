package proxy

import (
	"strings"
	"testing"
)

// lineMail and what follows say an address in two deltas.
const (
	lineMail   = `{"kind":"text.delta","id":"p1","text":"Write to jane@exa"}`
	lineDomain = `{"kind":"text.delta","id":"p1","text":"mple.com!"}`
)

const redactAll = "redact: {builtin: [emails, cards], patterns: [{name: bomb, regexp: 'kaboom', action: block}]}\n"

// TestRedaction: on a route with redact a stream is translated even between clients and agents that speak alike, and what is found is masked
// and counted; without it, it leaves.
func TestRedaction(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"native", "twin", "agui"} {
		a := newAgent(t, streaming(lines(lineStart, lineMail, lineDomain, lineEnd)))
		r := start(t, simple(a.url(), "", "", "client: "+client+"\n"+redactAll))
		_, got := r.post("/run", "{}")
		if strings.Contains(got, "jane@exa") || strings.Contains(got, "mple.com") || !strings.Contains(got, "[redacted:emails]!") {
			t.Errorf("%s: left\n%s", client, got)
		}
		if end := r.awaitEnds(1); end["ending"] != "done" || end["redactions"] != int64(1) {
			t.Errorf("%s: %v", client, end)
		}
		if n := r.metric("sabir_redactions_total", "route=/run", "name=emails", "action=mask"); n != 1 {
			t.Errorf("%s: %v redactions are counted", client, n)
		}
		open := start(t, simple(a.url(), "", "", "client: "+client+"\n"))
		if _, got := open.post("/run", "{}"); !strings.Contains(got, "jane@exa") {
			t.Errorf("%s: without redaction, nothing leaves: %s", client, got)
		}
		open.awaitEnds(1)
	}
}

// TestBlocked: a match that ends the run is an error for the client, and the upstream is given up.
func TestBlocked(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lines(lineStart, lineHello, `{"kind":"text.delta","id":"p1","text":" kab"}`))
		p.chunk(lines(`{"kind":"text.delta","id":"p1","text":"oom and more "}`))
		p.request() // stays open
	})
	r := start(t, simple(a.url(), "", "", "client: native\n"+redactAll))
	_, got := r.post("/run", "{}")
	if strings.Contains(got, "oom") || !strings.Contains(got, "content_blocked") || !strings.Contains(got, "Hello") {
		t.Errorf("the client got\n%s", got)
	}
	if end := r.awaitEnds(1); end["ending"] != "content_blocked" {
		t.Errorf("%v", end)
	}
	if r.metric("sabir_redactions_total", "name=bomb", "action=block") != 1 || r.metric("sabir_upstream_cancels_total", "by=proxy") != 1 {
		t.Error("it is not counted")
	}
}

// TestRedactedErrors: what an agent says of its failure is searched where it is exposed, also as the body of a refusal in the same dialect,
// which passes on other routes.
func TestRedactedErrors(t *testing.T) {
	t.Parallel()
	failing := newAgent(t, streaming(lines(lineStart, `{"kind":"run.end","status":"failed","err":"ask jane@example.com"}`)))
	refusing := newAgent(t, func(p *peer) {
		p.request()
		p.answer("400 Bad Request", "Content-Length: 21")
		p.send("ask jane@example.com!")
	})
	for _, a := range []*agent{failing, refusing} {
		r := start(t, simple(a.url(), "", "", "client: native\nerrors: {expose: true}\n"+redactAll))
		if _, got := r.post("/run", "{}"); strings.Contains(got, "jane") {
			t.Errorf("left: %s", got)
		}
		r.awaitEnds(1)
	}
}

// TestRedactedRunsComeBack: what is kept for clients that come back is redacted already, and matches are counted once.
func TestRedactedRunsComeBack(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineMail, lineDomain, lineEnd)))
	r := start(t, simple(a.url(), "", "request: '{\"q\":\"$input\"}'\n", "client: agui\nresume: {grace: 1s}\n"+redactAll))
	body := `{"threadId":"t1","runId":"r1","messages":[{"id":"m","role":"user","content":"Hi"}],"tools":[],"context":[],"state":null,"forwardedProps":null}`
	resp, got := r.post("/run", body)
	_, again := r.post("/run", body, runHeader+": "+resp.Header.Get(runHeader))
	for _, text := range []string{got, again} {
		if strings.Contains(text, "jane") || !strings.Contains(text, "[redacted:emails]") {
			t.Errorf("left: %s", text)
		}
	}
	r.awaitEnds(1)
	if n := r.metric("sabir_redactions_total"); n != 1 {
		t.Errorf("%v redactions are counted", n)
	}
}

// TestRedactedLog: what was found does not stand in the log either, where that may have what agents say of their failures.
func TestRedactedLog(t *testing.T) {
	t.Parallel()
	failing := newAgent(t, streaming(lines(lineStart, `{"kind":"run.end","status":"failed","err":"ask jane@example.com"}`)))
	refusing := newAgent(t, func(p *peer) {
		p.request()
		p.answer("400 Bad Request", "Content-Length: 22")
		p.send(`ask "jane@example.com"`)
	})
	for a, field := range map[*agent]string{failing: "agent_error", refusing: "cause"} {
		r := start(t, simple(a.url(), "log: {upstream_errors: true}", "", "client: native\n"+redactAll))
		r.post("/run", "{}")
		said, _ := r.awaitEnds(1)[field].(string)
		if strings.Contains(said, "jane") || !strings.Contains(said, "[redacted:emails]") {
			t.Errorf("%s is %q", field, said)
		}
		if n := r.metric("sabir_redactions_total", "name=emails"); n != 1 {
			t.Errorf("%s: %v redactions are counted", field, n)
		}
	}
}

// TestRedactedCut: half a secret does not leave where the stream breaks off in it, and a whole one is masked there.
func TestRedactedCut(t *testing.T) {
	t.Parallel()
	for _, card := range []string{"4111 1111 1111 11", "4111 1111 1111 1111"} {
		for _, said := range []string{
			lines(lineStart, `{"kind":"text.delta","id":"p1","text":"Pay with `+card+`"}`),
			lines(lineStart, `{"kind":"tool.start","id":"c1","name":"pay"}`, `{"kind":"tool.args","id":"c1","text":"{\"card\":\"`+card+`"}`),
			lines(lineStart, `{"kind":"tool.start","id":"c1","name":"pay"}`, `{"kind":"tool.ready","id":"c1","name":"pay","value":{}}`,
				`{"kind":"tool.output","chan":"stdout","id":"c1","text":"with `+card+`"}`),
		} {
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				p.chunk(said)
				p.reset()
			})
			r := start(t, simple(a.url(), "", "", "client: native\n"+redactAll))
			_, got := r.post("/run", "{}")
			whole := len(card) == len("4111 1111 1111 1111")
			if strings.Contains(got, "4111") || strings.Contains(got, "[redacted:cards]") != whole || !strings.Contains(got, "upstream_reset") {
				t.Errorf("left of %s:\n%s", card, got)
			}
		}
	}
}

// TestRedactedLimit: half a secret does not leave where a limit of tokens ends the run in it, in whatever order the agent's dialect says so.
func TestRedactedLimit(t *testing.T) {
	t.Parallel()
	half := `{"kind":"text.delta","id":"p1","text":"Pay with 4111 1111 1111"}`
	end := `{"kind":"run.end","status":"length"}`
	usage := `{"kind":"usage","scope":"run","usage":{"in":1,"out":2,"total":3}}`
	for _, said := range []string{
		lines(lineStart, half, end),
		lines(lineStart, half, `{"kind":"text.end","id":"p1"}`, end),
		lines(lineStart, half, `{"kind":"text.end","id":"p1"}`, usage, end),
	} {
		a := newAgent(t, streaming(said))
		r := start(t, simple(a.url(), "", "", "client: native\n"+redactAll))
		_, got := r.post("/run", "{}")
		if strings.Contains(got, "4111") || !strings.Contains(got, "Pay with ") || !strings.Contains(got, "[redacted:cards]") || !strings.Contains(got, `"status":"length"`) {
			t.Errorf("left of %s:\n%s", said, got)
		}
		r.awaitEnds(1)
		if n := r.metric("sabir_redactions_total", "name=cards"); n != 1 {
			t.Errorf("%v redactions are counted", n)
		}
	}
}

// TestRedactActions: a match counts by what becomes of it, which a pattern says for itself where it differs from the route.
func TestRedactActions(t *testing.T) {
	t.Parallel()
	for action, own := range map[string]string{"mask": "block", "block": "mask"} {
		a := newAgent(t, streaming(lines(lineStart, `{"kind":"text.delta","id":"p1","text":"one kaboom two "}`, lineEnd)))
		r := start(t, simple(a.url(), "", "", "client: native\nredact: {action: "+action+", patterns: [{name: own, regexp: kaboom, action: "+own+"}, {name: plain, regexp: two}]}\n"))
		r.post("/run", "{}")
		r.awaitEnds(1)
		if n := r.metric("sabir_redactions_total", "name=own", "action="+own); n != 1 {
			t.Errorf("%s: %v matches of the pattern are counted as %s", action, n, own)
		}
		if n := r.metric("sabir_redactions_total", "name=plain", "action="+action); n != 1 {
			t.Errorf("%v matches of the other are counted as %s", n, action)
		}
	}
}
