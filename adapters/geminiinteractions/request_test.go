package geminiinteractions

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// TestAsks: who is asked is a model or an agent, as the options say; an agent takes no settings.
func TestAsks(t *testing.T) {
	f := func(asks string, change func(*hub.Request), want, losses string) {
		t.Helper()
		o, problems := Dialect.ParseOptions(map[string]any{optionAsks: asks})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		req := &hub.Request{
			Model: []byte("x"), Upstream: o, Messages: []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte("Hi")}}}},
		}
		change(req)
		var l hub.Losses
		got, err := Dialect.Requests.AppendRequest(nil, req, &l)
		const input = `"input":[{"type":"user_input","content":[{"type":"text","text":"Hi"}]}]`
		if want = strings.Replace(want, "INPUT", input, 1); err != nil || string(got) != want || strings.Join(l.Names, " ") != losses {
			t.Errorf("%s: %s, %v, losses %q\nwant %s", asks, got, err, l.Names, want)
		}
	}
	hot := func(req *hub.Request) { req.Settings.Temperature = []byte("1") }
	f("model", hot, `{"model":"x",INPUT,"generation_config":{"temperature":1},"store":false,"stream":true}`, "")
	f("agent", hot, `{"agent":"x",INPUT,"store":false,"stream":true}`, "settings.temperature")
	f("model", func(req *hub.Request) {
		req.Settings = hub.Settings{Effort: []byte("none"), Budget: []byte("9"), TopK: []byte("3")}
		req.Choice.Mode = hub.ChoiceRequired // of no function
	}, `{"model":"x",INPUT,"generation_config":{"thinking_level":"minimal","thinking_summaries":"auto"},"store":false,"stream":true}`,
		"settings.budget settings.effort settings.tool_choice settings.top_k")
	f("model", func(req *hub.Request) {
		req.Partial, req.Previous, req.AskWhole = true, []byte("v1_a"), true
		req.Messages[0].Parts = append(req.Messages[0].Parts, hub.Part{Kind: hub.PartReasoning, Text: []byte("hm")}, hub.Part{Kind: hub.PartData})
	}, `{"model":"x",INPUT,"previous_interaction_id":"v1_a","stream":false}`, "messages.reasoning messages.data")
}

// TestStrictAndNames: the API has no place for that a function's schema is strict, and for the name of a format.
func TestStrictAndNames(t *testing.T) {
	f := func(strict, name, losses string) {
		t.Helper()
		req := &hub.Request{Model: []byte("x")}
		req.Tools.Define(hub.Tool{Name: []byte("look"), Strict: []byte(strict)})
		req.Settings.Format = hub.Format{Kind: hub.FormatSchema, Name: []byte(name), Schema: []byte("{}"), Strict: []byte(strict)}
		var l hub.Losses
		if _, err := Dialect.Requests.AppendRequest(nil, req, &l); err != nil || strings.Join(l.Names, " ") != losses {
			t.Errorf("strict %s, name %q: %v, losses %q, want %q", strict, name, err, l.Names, losses)
		}
	}
	f("true", "reply", "tools.strict settings.format.name")
	f("false", "", "")
}

// TestInBackground: an agent that runs in the background is asked without a stream, and to store what comes of it. What follows depends on
// what it answers.
func TestInBackground(t *testing.T) {
	o, problems := Dialect.ParseOptions(map[string]any{optionAsks: asksAgent, optionBackground: true})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	req := &hub.Request{Model: []byte("x"), Upstream: o, Partial: true, Previous: []byte("v1_p")}
	const want = `{"agent":"x","input":[],"previous_interaction_id":"v1_p","background":true,"store":true,"stream":false}`
	if got, err := Dialect.Requests.AppendRequest(nil, req, new(hub.Losses)); err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	f := func(answer, query, fault string) {
		t.Helper()
		read, cancel, err := Dialect.Background.Follow([]byte(answer))
		if fault != "" {
			if err == nil || !strings.Contains(err.Error(), fault) {
				t.Errorf("%s: %v, want %s", answer, err, fault)
			}
			return
		}
		if err != nil || strings.Join(read.Path, "/") != "v1/a" || read.Query != query || strings.Join(cancel.Path, "|") != "v1/a|cancel" {
			t.Errorf("%s: %v, read %v, cancel %v", answer, err, read, cancel)
		}
	}
	f(`{"id":"v1\/a","status":"in_progress"}`, "stream=true", "")
	f(`{"id":"v1/a"}`, "stream=true", "")
	f(`{"id":"v1/a","status":"failed"}`, "", "")
	f(`{"status":"in_progress"}`, "", "id")
	f(`{`, "", "syntax")
}

// TestDecodeRequestRefuses: what cannot be read is refused by its path.
func TestDecodeRequestRefuses(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		err := Dialect.Requests.DecodeRequest(new(hub.Request), []byte(body))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
	f(`{"input":1}`, "input")
	f(`{"input":[{"type":"text","text":"a"},"b"]}`, "input.1")
	f(`{"input":[{"text":"a"}]}`, "input.0.type")
	f(`{"input":[{"role":"system","content":"a"}]}`, "input.0.role")
	f(`{"input":{}}`, "input.type")
	f(`[`, "syntax")
}

// TestBackground: an answer is remembered unless the client says no, and asked for later where it says so; its id is that of the request.
func TestBackground(t *testing.T) {
	f := func(body string, store, later, whole bool) {
		t.Helper()
		req := &hub.Request{Unique: []byte("u7")}
		if err := Dialect.Requests.DecodeRequest(req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		if req.Store != store || req.Later != later || req.Whole != whole || string(req.Answer) != "v1_u7" {
			t.Errorf("%s: store %t, later %t, whole %t, answer %s", body, req.Store, req.Later, req.Whole, req.Answer)
		}
	}
	f(`{"input":"a"}`, true, false, true)
	f(`{"input":"a","store":false,"stream":true}`, false, false, false)
	f(`{"input":"a","background":true,"store":true}`, true, true, true)
}

// TestForeignSignatures: clients keep signatures as texts and give them back, whatever digits they have, so that an answer has each of them, as
// streams do. Google's API is given none that it would decode in vain.
func TestForeignSignatures(t *testing.T) {
	const sig = "gAAAAA-b_c"
	parts := []hub.Part{
		{Kind: hub.PartReasoning, Text: []byte("Hm."), Sig: []byte(sig)},
		{Kind: hub.PartCall, ID: []byte("a"), Name: []byte("f"), Value: []byte(`{}`), ClientRuns: true, Sig: []byte(sig)},
	}
	ms := []hub.Message{{Role: hub.RoleAgent, Parts: parts}}
	var l hub.Losses
	run := &hub.Run{Ended: true, Status: hub.StatusTools, Usage: hub.NoCounts, Messages: ms}
	if got := string(appendAnswer(nil, Dialect.Defaults(), &hub.Request{}, run, &l)); strings.Count(got, sig) != 2 || len(l.Names) > 0 {
		t.Errorf("losses %q of the answer\n%s", l.Names, got)
	}
	w := newStepWriter(jsonwriter.New(nil), ms, &l)
	if w.message(&ms[0]); strings.Contains(string(w.Buf), sig) || !slices.Contains(l.Names, "messages.signature") {
		t.Errorf("losses %q of the request\n%s", l.Names, w.Buf)
	}
}
