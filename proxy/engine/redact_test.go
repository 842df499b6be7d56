package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/redact"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// secret is what must not leave, in the pieces of a stream. The second form is how it stands in arguments.
const (
	secret  = "sk-live_0123456789ABCDEF"
	escaped = `sk\\u002dlive_0123456789ABCDEF`
)

// leaking is a stream with the secret in every place, cut where there are deltas.
func leaking(at int) []hub.Event {
	b := func(s string) []byte { return []byte(s) }
	ev := func(k hub.Kind, id, text string) hub.Event { return hub.Event{Kind: k, ID: b(id), Text: b(text)} }
	start := func(id string, c hub.Chan) hub.Event { return hub.Event{Kind: hub.TextStart, ID: b(id), Chan: c} }
	value := []byte(`{"a":["` + secret + `"],"` + secret + `":1}`)
	cut := escaped[:at]
	if i := len(cut); i > 2 && i < 9 { // no delta ends in an escape of its own
		cut = escaped[:2+(i-2)/2*2]
	}
	argsOf := strings.TrimPrefix(escaped, cut)
	more := func(m hub.More) *hub.More { return &m }
	return []hub.Event{
		{Kind: hub.RunStart, ID: b("r"), Ref: b("t")},
		start("re", hub.Reasoning), ev(hub.TextDelta, "re", "I think "+secret[:at]), ev(hub.TextDelta, "re", secret[at:]+" is it"), ev(hub.TextEnd, "re", ""),
		start("an", hub.AnswerText), ev(hub.TextDelta, "an", "It is "+secret[:at]), ev(hub.TextDelta, "an", secret[at:]+" indeed"), ev(hub.TextEnd, "an", ""),
		{Kind: hub.ToolStart, ID: b("c"), Name: b("look"), Title: b("Look for " + secret)},
		ev(hub.ToolArgs, "c", `{\"q\":\"x `+cut), ev(hub.ToolArgs, "c", argsOf+`\"}`),
		{Kind: hub.ToolReady, ID: b("c"), Name: b("look"), Value: b(`{"q":"x ` + strings.ReplaceAll(escaped, `\\`, `\`) + `"}`)},
		{Kind: hub.ToolUpdate, ID: b("c"), Text: b("found " + secret)},
		{Kind: hub.ToolOutput, ID: b("c"), Chan: hub.Result, Text: b("part " + secret[:at])},
		{Kind: hub.ToolOutput, ID: b("c"), Chan: hub.Result, Text: b(secret[at:] + " part")},
		{Kind: hub.ToolEnd, ID: b("c"), Name: b("look"), Status: hub.StatusOK, Text: b("part " + secret + " part")},
		{Kind: hub.Plan, More: more(hub.More{Items: []hub.PlanItem{{ID: b("1"), Content: b("use " + secret), Status: b("pending")}}})},
		{Kind: hub.Data, Name: b("state"), Op: hub.Set, Value: value},
		{Kind: hub.Source, ID: b("s"), Title: b(secret), More: more(hub.More{File: hub.FileRef{URL: b("https://example.com/?k=" + secret), Name: b(secret)}})},
		{Kind: hub.Notice, Level: hub.LevelInfo, Text: b("note " + secret)},
		{Kind: hub.RunEnd, Status: hub.StatusFailed, More: more(hub.More{Err: b("failed with " + secret), ErrCode: b("quota")})},
	}
}

// wireOf writes a stream as an agent of a dialect does.
func wireOf(d *hub.Dialect, evs []hub.Event) []byte {
	seq, enc, out := sequencer.New(sequencer.Config{}), d.NewEncoder(d.Defaults()), wire.NewOut(d.Framing)
	normal := append(seq.Push(nil, evs, 0), seq.Flush(nil, nil)...)
	for i := range normal {
		enc.Encode(out, &normal[i])
	}
	enc.Finish(out)
	return out.Buf
}

// shown is all that a client of a dialect can put together from what it gets.
func shown(d *hub.Dialect, data []byte) string {
	split, dec := wire.NewSplitter(d.Framing, 0), policy.NewDecoder(d, d.Defaults())
	texts := map[string]string{}
	var evs []hub.Event
	for {
		rec, n, err := split.Split(data, true)
		if n == 0 || err != nil {
			break
		}
		if data = data[n:]; rec.Data == nil {
			continue
		}
		evs, _ = dec.Decode(evs[:0], rec)
		for i := range evs {
			key := fmt.Sprint(evs[i].Kind, string(evs[i].ID), evs[i].Chan)
			texts[key] += string(evs[i].Text)
		}
	}
	return strings.ReplaceAll(fmt.Sprint(texts), `\\u002d`, "-")
}

// leaks reports whether the secret left.
func leaks(d *hub.Dialect, data []byte) bool {
	whole := strings.NewReplacer(`\\u002d`, "-", `\u002d`, "-").Replace(string(data))
	return strings.Contains(whole, secret) || strings.Contains(shown(d, data), secret)
}

// codec translates streams of an agent for a client.
func codec(from, to *hub.Dialect, rules *redact.Rules) *engine.Codec {
	return engine.NewCodec(engine.Config{From: from, FromOptions: from.Defaults(), To: to, ToOptions: to.Defaults(), Redact: rules}, wire.Auto)
}

// through is what a client gets of a stream.
func through(t *testing.T, k *engine.Codec, data []byte) []byte {
	t.Helper()
	k.Reset()
	var out []byte
	for used := -1; used != 0; {
		n, err := k.Feed(data, true)
		if err != nil {
			t.Fatal(err)
		}
		used, data = n, data[n:]
		out = append(out, k.Take()...)
	}
	_ = k.Finish(nil)
	return append(out, k.Take()...)
}

// TestNothingLeaves: a secret, cut at every byte of its deltas, in every place of a stream, leaves in no dialect from any other,
// whichever of them are the same; without redaction it does.
func TestNothingLeaves(t *testing.T) {
	t.Parallel()
	rules, err := redact.New(redact.Builtin(), false, nil)
	if err != nil {
		t.Fatal(err)
	}
	agents, clients := sides()
	for _, from := range agents {
		wires := make([][]byte, len(secret))
		for at := 1; at < len(secret); at++ {
			wires[at] = wireOf(from, leaking(at))
		}
		for _, to := range clients {
			open, guarded := codec(from, to, nil), codec(from, to, rules)
			if !leaks(to, through(t, open, wires[1])) {
				t.Errorf("%s to %s: it does not leave without redaction either", from.Name, to.Name)
			}
			for at := 1; at < len(secret); at++ {
				if out := through(t, guarded, wires[at]); leaks(to, out) {
					t.Fatalf("%s to %s: cut at %d, it left:\n%s", from.Name, to.Name, at, out)
				}
			}
		}
	}
}

// sides are the dialects of agents whose streams can be made here, and those of clients.
func sides() (agents, clients []*hub.Dialect) {
	for _, d := range adapters.All() {
		if d.NewEncoder == nil {
			continue
		}
		if clients = append(clients, d); d.NewDecoder != nil {
			agents = append(agents, d)
		}
	}
	return agents, clients
}

// TestBlockedRuns: what ends a run ends it with an error, in every dialect, and its client gets neither the secret nor the rest.
func TestBlockedRuns(t *testing.T) {
	t.Parallel()
	rules, err := redact.New(nil, false, []redact.Pattern{{Name: "rm", Expr: `rm -rf /`, Tools: []string{"bash"}, Block: true}})
	if err != nil {
		t.Fatal(err)
	}
	call := func(name string) []hub.Event {
		return []hub.Event{
			{Kind: hub.RunStart, ID: []byte("r")}, {Kind: hub.ToolStart, ID: []byte("c"), Name: []byte(name)},
			{Kind: hub.ToolArgs, ID: []byte("c"), Text: []byte(`{\"cmd\":\"rm -r`)}, {Kind: hub.ToolArgs, ID: []byte("c"), Text: []byte(`f /home\"}`)},
			{Kind: hub.ToolReady, ID: []byte("c"), Name: []byte(name), Value: []byte(`{"cmd":"rm -rf /home"}`)},
			{Kind: hub.ToolEnd, ID: []byte("c"), Name: []byte(name), Text: []byte("all gone")}, {Kind: hub.RunEnd, Status: hub.StatusDone},
		}
	}
	agents, clients := sides()
	for _, pair := range across(agents, clients) {
		for name, blocked := range map[string]bool{"bash": true, "echo": false} {
			d, data := pair[0], wireOf(pair[0], call(name))
			k := codec(d, pair[1], rules)
			blocked := blocked && strings.Contains(shown(d, data)+string(data), "rm -r") // some have no form for calls of the agent
			_, err := k.Feed(data, true)
			var f *hub.Failure
			if err != nil {
				f = hub.Fail(hub.CodeBlocked, err)
			}
			end := k.Finish(f)
			out := string(k.Take())
			if got := end != nil && end.Code == hub.CodeBlocked; got != blocked {
				t.Errorf("%s to %s: a call of %s ends with %v", d.Name, pair[1].Name, name, end)
			}
			if blocked && (strings.Contains(out, "all gone") || strings.Contains(out, "-rf /")) {
				t.Errorf("%s to %s: the client got\n%s", d.Name, pair[1].Name, out)
			}
		}
	}
}

// across are all pairs of an agent and a client.
func across(agents, clients []*hub.Dialect) (pairs [][2]*hub.Dialect) {
	for _, from := range agents {
		for _, to := range clients {
			pairs = append(pairs, [2]*hub.Dialect{from, to})
		}
	}
	return pairs
}
