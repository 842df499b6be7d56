package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// internals are texts of faults that must not reach a client; each holds the mark, which no id holds: those are in small letters.
var internals = []string{
	`getaddrinfo ENOTFOUND MARK.db.internal`, `connect ECONNREFUSED 2001:db8::MARK:5432 fe80::1`, `open \/srv\/MARK\/agent.py: no such file`,
	`C:\\MARK\\agent.py`, `Incorrect API key: sk-MARK1234567890abcdef`, `MARK`, `say \"MARK\" \u00fc\nnext line`,
}

// faults are the endings of a run that has exposed its internals wherever it can.
func faults(text string) map[string][]hub.Event {
	more := func() *hub.More {
		return &hub.More{Err: []byte(text), ErrCode: []byte("MARK_code")}
	}
	body := func(evs ...hub.Event) []hub.Event {
		return append([]hub.Event{
			{Kind: hub.RunStart, ID: []byte("r1")},
			{Kind: hub.TextStart, ID: []byte("p1")},
			{Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte("Hello")},
			{Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte(", world")},
			{Kind: hub.TextEnd, ID: []byte("p1")},
		}, evs...)
	}
	end := func(s hub.Status) hub.Event { return hub.Event{Kind: hub.RunEnd, Status: s, More: more()} }
	failed := end(hub.StatusFailed)
	failed.Name, failed.Value, failed.More.Meta = []byte("MARK: why"), []byte(`{"detail":"MARK"}`), []byte(`{"stack":"MARK"}`)
	done := hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone}
	return map[string][]hub.Event{
		"failed":    body(failed),
		"at once":   {{Kind: hub.RunStart, ID: []byte("r1")}, failed},
		"cancelled": body(end(hub.StatusCancelled)),
		"truncated": body(end(hub.StatusTruncated)),
		"limit":     body(end(hub.StatusLimit)),
		"notice": body(hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: []byte(text), Name: []byte("MARK")},
			hub.Event{Kind: hub.Notice, Level: hub.LevelWarning, Text: []byte(text)}, done),
		"sub-agent": body(hub.Event{Kind: hub.AgentStart, ID: []byte("l1"), Name: []byte("helper")},
			hub.Event{Kind: hub.AgentEnd, ID: []byte("l1"), Status: hub.StatusError, Text: []byte(text), More: more()}, done),
	}
}

// written is a run as an encoder writes it.
func written(d *hub.Dialect, evs []hub.Event) string {
	out := wire.NewOut(d.Framing)
	enc := d.NewEncoder(d.Defaults())
	for _, ev := range sequencer.Number(evs) {
		enc.Encode(out, &ev)
	}
	enc.Finish(out)
	return string(out.Buf)
}

// saysAsContent reports whether a stream has the mark where its dialect has answers, data or refusals: what it has no other
// place for.
func saysAsContent(d *hub.Dialect, body string) bool {
	split, dec := wire.NewSplitter(d.Framing, 0), d.NewDecoder(d.Defaults())
	var evs []hub.Event
	says := func() bool {
		for i := range evs {
			ev := &evs[i]
			kept := *ev
			isFault := engine.Concealer{}.Event(&kept)
			if said := fmt.Sprintf("%s", []any{kept.ID, kept.Ref, kept.Name, kept.Title, kept.Text, kept.Value, hub.Why(&kept)}); strings.Contains(said, "MARK") && !isFault {
				return true
			}
		}
		return false
	}
	for buf := []byte(body); ; {
		rec, n, _ := split.Split(buf, true)
		if n == 0 {
			break
		}
		if buf = buf[n:]; rec.Data == nil {
			continue
		}
		if evs, _ = dec.Decode(evs[:0], rec); says() {
			return true
		}
	}
	evs = dec.Finish(evs[:0], nil)
	return says()
}

// TestNotExposed lets nothing through of what an agent says of its faults, in no dialect on either side, nor where the
// stream is copied; the client gets a text of ours, a code and the request id.
func TestNotExposed(t *testing.T) {
	t.Parallel()
	all := adapters.All()
	for _, from := range all {
		if from.NewDecoder == nil || from.NewEncoder == nil {
			continue
		}
		t.Run(from.Name, func(t *testing.T) {
			t.Parallel()
			bodies := map[string]string{}
			for i, text := range internals {
				for name, evs := range faults(text) {
					if body := written(from, evs); !saysAsContent(from, body) {
						bodies[fmt.Sprint(name, " ", i)] = body
					}
				}
			}
			if from.Name != "pydantic" && len(bodies) < 3*len(internals) { // pydantic has answers only
				t.Errorf("only %d streams tell a fault", len(bodies))
			}
			a := newAgent(t, func(p *peer) {
				for req := p.request(); req != nil; req = p.request() {
					p.ok()
					p.finish(bodies[req.Header.Get("Idempotency-Key")])
				}
			})
			yaml := fmt.Sprintf("listen: 127.0.0.1:0\nupstreams:\n  agent: {url: %s, dialect: %s}\nroutes:\n", a.url(), from.Name)
			for _, to := range all {
				if to.NewEncoder != nil {
					yaml += fmt.Sprintf("  - {path: /%s, upstream: agent, client: %s}\n", to.Name, to.Name)
				}
			}
			r := start(t, yaml)
			c := r.dial()
			for _, to := range all {
				if to.NewEncoder == nil {
					continue
				}
				for name, body := range bodies {
					if from != to && !strings.HasSuffix(name, " 0") { // one text is enough: the events are the same
						continue
					}
					c.ask("POST", "/"+to.Name, "{}", "Idempotency-Key: "+name, "X-Request-Id: id-77")
					resp, got := c.whole()
					if strings.Contains(fmt.Sprint(resp.Header, got), "MARK") {
						t.Errorf("%s to %s: the client of\n%s\nreads\n%s", name, to.Name, body, got)
					}
					if strings.HasPrefix(name, "failed") && !strings.Contains(got, "The agent reported an error. Request ID: id-77") {
						t.Errorf("%s to %s: there is no text of ours in\n%s", name, to.Name, got)
					}
				}
			}
		})
	}
}

// TestContentIsNoFault lets through what an agent says to its user: answers, results of tools that failed, and why it
// refuses.
func TestContentIsNoFault(t *testing.T) {
	t.Parallel()
	const text = `see http:\/\/MARK.example\/x`
	a := newAgent(t, streaming(lines(lineStart, `{"kind":"text.delta","id":"p1","text":"`+text+`"}`,
		`{"kind":"tool.start","id":"t1","name":"fetch"}`, `{"kind":"tool.ready","id":"t1","name":"fetch","value":{}}`,
		`{"kind":"tool.end","id":"t1","name":"fetch","status":"error","err":"`+text+`"}`,
		`{"kind":"notice","level":"info","text":"`+text+`"}`,
		`{"kind":"run.end","status":"refused","err":"`+text+`"}`)))
	for _, to := range []string{"native", "twin"} {
		r := start(t, simple(a.url(), "", "", "client: "+to+"\n"))
		if _, got := r.post("/run", "{}"); strings.Count(got, text) != 4 {
			t.Errorf("%s: %s", to, got)
		}
	}
}

// TestCopiedFaults keeps everything of a copied stream but the fault, and tells the log that the agent failed.
func TestCopiedFaults(t *testing.T) {
	t.Parallel()
	const notice = `{"kind":"notice","level":"warning","text":"slow disk","own":1}`
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineWorld, notice, lineHello, `{"kind":"run.end","status":"failed","err":"no disk"}`)))
	r := start(t, simple(a.url(), "", "", "client: native\n"))
	_, got := r.post("/run", "{}", "X-Request-Id: i")
	want := lines(lineStart, lineHello, lineWorld, strings.Replace(notice, "slow disk", "The agent reported a problem. Request ID: i", 1), lineHello,
		`{"kind":"run.end","status":"failed","err":"The agent reported an error. Request ID: i","err_code":"agent_error"}`)
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if end := r.awaitEnds(1); end["ending"] != "agent_error" || end["records"] != int64(6) {
		t.Errorf("log %v", end)
	}
	whole := start(t, simple(a.url(), "", "", "client: native\nerrors: {expose: true}\n"))
	if _, got := whole.post("/run", "{}"); !strings.Contains(got, "slow disk") || !strings.Contains(got, `"err":"no disk"}`) {
		t.Errorf("exposed: %s", got)
	}
}

// TestAgentErrorsInTheLog: what a failed agent says is kept from clients; operators find it in the log if they ask for it.
func TestAgentErrorsInTheLog(t *testing.T) {
	t.Parallel()
	failed := lines(lineStart, lineHello, `{"kind":"run.end","status":"failed","err":"no host db.internal"}`)
	for client, route := range map[string]string{"translated": "client: agui\n", "copied": "client: native\n"} {
		for keys, want := range map[string]string{"": "", "log: {upstream_errors: true}\n": "no host db.internal"} {
			a := newAgent(t, streaming(failed))
			r := start(t, simple(a.url(), keys, "", route))
			if _, body := r.post("/run", "{}"); strings.Contains(body, "db.internal") {
				t.Errorf("%s %s: the client reads %s", client, keys, body)
			}
			if got := toString(r.awaitEnds(1)["agent_error"]); got != want {
				t.Errorf("%s %s: the log says %q, want %q", client, keys, got, want)
			}
			r.close()
		}
	}
}
