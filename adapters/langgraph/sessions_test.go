package langgraph

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const interruptID = "7d911103a863499226035757253dd7d6"

func said(role hub.Role, id, text string, more ...hub.Part) hub.Message {
	m := hub.Message{Role: role, ID: []byte(id)}
	if text != "" {
		m.Parts = append(m.Parts, hub.Part{Kind: hub.PartText, Text: []byte(text)})
	}
	m.Parts = append(m.Parts, more...)
	return m
}

func called(id string, change func(p *hub.Part)) hub.Part {
	p := hub.Part{Kind: hub.PartCall, ID: []byte(id), Name: []byte("ask"), Value: []byte("{}"), ClientRuns: true}
	if change != nil {
		change(&p)
	}
	return p
}

// history is a conversation of which hello and Hi! are known to a thread.
func history(more ...hub.Message) []hub.Message {
	return append([]hub.Message{said(hub.RoleUser, "u1", "hello"), said(hub.RoleAgent, "a1", "Hi!")}, more...)
}

// asks writes a request, and returns what differs between requests: the input or the command, and what follows the modes.
func asks(t *testing.T, req *hub.Request) (what, losses string, err error) {
	t.Helper()
	var l hub.Losses
	body, err := Dialect.RequestWriter()(nil, req, &l)
	if err != nil {
		return "", "", err
	}
	var json rawjson.Decoder
	if err := json.Valid(body); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	what = strings.TrimPrefix(string(body), `{"assistant_id":"agent",`)
	what = strings.Replace(what, `,"stream_mode":["messages-tuple","updates","custom"],"on_disconnect":"cancel"`, " …", 1)
	return strings.TrimSuffix(what, "}"), strings.Join(l.Names, " "), nil
}

// TestThreads: a thread gets what is new, with the ids of the client; a new one gets all that was said before.
func TestThreads(t *testing.T) {
	f := func(req hub.Request, want, losses string) {
		t.Helper()
		req.Session = []byte("s")
		got, lost, err := asks(t, &req)
		if err != nil || got != want || lost != losses {
			t.Errorf("%v, losses %q\n%s\nwant\n%s", err, lost, got, want)
		}
	}
	const before = `{"type":"human","id":"u1","content":"hello"},{"type":"ai","id":"a1","content":"Hi!"}`
	const more = `{"type":"human","id":"u2","content":"more"}`
	next := history(said(hub.RoleUser, "u2", "more"))
	f(hub.Request{Messages: next}, `"input":{"messages":[`+more+`]} …`, "")
	f(hub.Request{Messages: next, NewSession: true}, `"input":{"messages":[`+before+`,`+more+`]} …,"if_not_exists":"create"`, "")
	f(hub.Request{Messages: next, State: []byte(`{"x":1}`), Settings: hub.Settings{Seed: []byte("1")}}, `"input":{"messages":[`+more+`],"x":1} …`, "settings.seed")
	f(hub.Request{Messages: next[2:], Partial: true}, `"input":{"messages":[`+more+`]} …`, "")
	f(hub.Request{Messages: append([]hub.Message{said(hub.RoleSystem, "", "Be kind.")}, next...)}, `"input":{"messages":[`+more+`]} …`, "messages.system")
	// The last answer anew: the messages of the thread are replaced by those of the client.
	f(hub.Request{Messages: next, Trigger: hub.TriggerRegenerate},
		`"input":{"messages":[{"type":"remove","id":"__remove_all__","content":""},`+before+`,`+more+`]} …`, "")
	// What was said in the place of an earlier message: likewise.
	f(hub.Request{Messages: next, Trigger: hub.TriggerEdit},
		`"input":{"messages":[{"type":"remove","id":"__remove_all__","content":""},`+before+`,`+more+`]} …`, "")
	// What the client's tool has found; and a call that the user has left behind.
	found := called("c1", func(p *hub.Part) { p.Result = &hub.CallResult{Status: hub.StatusOK, Text: []byte("Oslo")} })
	f(hub.Request{Messages: history(said(hub.RoleUser, "u2", "more"), said(hub.RoleAgent, "a2", "", found))},
		`"input":{"messages":[{"type":"tool","tool_call_id":"c1","name":"ask","content":"Oslo","status":"success"}]} …`, "")
	f(hub.Request{Messages: history(said(hub.RoleAgent, "a2", "", called("c1", nil)), said(hub.RoleUser, "u2", "more"))},
		`"input":{"messages":[{"type":"tool","tool_call_id":"c1","name":"ask","content":"The conversation went on before this call had a result.",`+
			`"status":"error"},`+more+`]} …`, "")
	f(hub.Request{Messages: next, Upstream: options(t, map[string]any{"multitask": "reject"})}, `"input":{"messages":[`+more+`]} …,"multitask_strategy":"reject"`, "")
}

func options(t *testing.T, raw map[string]any) hub.Options {
	t.Helper()
	o, problems := Dialect.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return o
}

// TestAnswersToInterrupts: an answer goes to the interrupt that it names, in the form that this wants.
func TestAnswersToInterrupts(t *testing.T) {
	f := func(want string, o map[string]any, ds ...hub.Decision) {
		t.Helper()
		got, lost, err := asks(t, &hub.Request{Session: []byte("s"), Messages: history(), Answers: ds, Upstream: options(t, o)})
		if want = `"command":{"resume":` + want + `} …`; err != nil || got != want || lost != "" {
			t.Errorf("%v, losses %q\n%s\nwant\n%s", err, lost, got, want)
		}
	}
	yes := func(id string) hub.Decision { return hub.Decision{Ask: []byte(id), Decided: true, Approved: true} }
	no := func(id, why string) hub.Decision {
		return hub.Decision{Ask: []byte(id), Decided: true, Reason: []byte(why)}
	}
	said := func(id, payload string) hub.Decision {
		return hub.Decision{Ask: []byte(id), Payload: []byte(payload)}
	}
	const other = "00000000000000000000000000000000"
	// The graph's own interrupts.
	f(`{"approved":true}`, nil, yes(""))
	f(`{"`+interruptID+`":{"approved":false,"reason":"too late"}}`, nil, no(interruptID, "too late"))
	f(`{"`+interruptID+`":"Oslo","`+other+`":{"approved":true}}`, nil, said(interruptID, `"Oslo"`), yes(other))
	f(`{"`+interruptID+`":true}`, map[string]any{"approvals": "boolean"}, yes(interruptID))
	f(`{"`+interruptID+`":"Oslo"}`, map[string]any{"approvals": "boolean"}, said(interruptID, `"Oslo"`))
	f(`{"`+interruptID+`":{"approved":false,"cancelled":true}}`, nil, hub.Decision{Ask: []byte(interruptID), Cancelled: true})
	// Those of LangChain's middleware, whose decisions stand in the order of the calls.
	f(`{"`+interruptID+`":{"decisions":[{"type":"approve"}]}}`, nil, yes(interruptID+"#1/1"))
	f(`{"`+interruptID+`":{"decisions":[{"type":"reject","message":"no"},{"type":"approve"}]}}`, nil, yes(interruptID+"#2/2"), no(interruptID+"#1/2", "no"))
	f(`{"`+interruptID+`":{"decisions":[{"type":"respond","message":"x"}]}}`, nil, said(interruptID+"#1/1", `{"type":"respond","message":"x"}`))
	f(`{"`+interruptID+`":{"decisions":[1,2]}}`, nil, said(interruptID+"#1/2", `{"decisions":[1,2]}`))
	// What stands with the calls, as AI SDK clients have it.
	part := called("c1", func(p *hub.Part) {
		p.Approval = &hub.Approval{ID: []byte(interruptID + "#1/1"), Decided: true, Approved: true}
	})
	got, _, err := asks(t, &hub.Request{Session: []byte("s"), Messages: history(hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{part}})})
	if want := `"command":{"resume":{"` + interruptID + `":{"decisions":[{"type":"approve"}]}}} …`; err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// TestAnswersThatCannotBeSent: a graph would take one of several for all, and a thread that is gone waits for nothing.
func TestAnswersThatCannotBeSent(t *testing.T) {
	f := func(want string, isNew bool, asks2 ...string) {
		t.Helper()
		req := &hub.Request{Session: []byte("s"), NewSession: isNew, Messages: history()}
		for _, id := range asks2 {
			req.Answers = append(req.Answers, hub.Decision{Ask: []byte(id), Decided: true})
		}
		if got, _, err := asks(t, req); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", asks2, got, err)
		}
	}
	f("one is missing", false, interruptID+"#2/3", interruptID+"#1/3")
	f("does not say to which question", false, "", interruptID)
	f("the thread in which was asked is not there", true, interruptID)
	f("nothing new", false)
}

// TestReviewIDs: what is no id of a question about calls is an id as it stands.
func TestReviewIDs(t *testing.T) {
	for _, id := range []string{"", "#", "i1", "i1#1/1", interruptID, interruptID + "#", interruptID + "#0/1", interruptID + "#2/1", interruptID + "#1/x",
		interruptID + "#-1/1", interruptID + "#1/101", interruptID + "#99999999999999999999/1"} {
		if got, n, of := splitID([]byte(id)); string(got) != id || n != 0 || of != 0 {
			t.Errorf("%s: %s, %d of %d", id, got, n, of)
		}
	}
	if got, n, of := splitID(reviewID(nil, []byte(interruptID), 2, 3)); string(got) != interruptID || n != 2 || of != 3 {
		t.Errorf("%s, %d of %d", got, n, of)
	}
}

// TestReviewsOfSeveralCalls: each question is about its own call, also of two calls of one tool; where the calls are not all known, it
// is about none.
func TestReviewsOfSeveralCalls(t *testing.T) {
	f := func(calls, want string) {
		t.Helper()
		d := newDecoder(Dialect.Defaults())
		records := []string{
			`[{"id":"m1","type":"ai","content":"","tool_calls":[` + calls + `]},{}]`,
			`{"__interrupt__":[{"id":"` + interruptID + `","value":{"action_requests":[{"name":"rm","description":"1"},{"name":"ls","description":"2"},` +
				`{"name":"rm","description":"3"}],"review_configs":[{"action_name":"rm","allowed_decisions":["approve"]}]}}]}`,
		}
		got := ""
		for i, event := range []string{"messages", "updates"} {
			events, err := d.Decode(nil, wire.Record{Event: []byte(event), Data: []byte(records[i])})
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range events {
				if ev.Kind == hub.Ask {
					got += string(ev.ID[len(interruptID):]) + string(ev.Title) + string(ev.Ref) + " "
				}
			}
		}
		if got != want {
			t.Errorf("%s: %s, want %s", calls, got, want)
		}
	}
	call := func(id, name string) string {
		return `{"id":"` + id + `","name":"` + name + `","args":{},"type":"tool_call"}`
	}
	f(call("a", "rm")+","+call("b", "ls")+","+call("c", "rm"), "#1/31a #2/32b #3/33c ")
	f(call("a", "rm")+","+call("b", "ls"), "#1/31 #2/32b #3/33 ")
}

// TestThreadURLs are where a server is asked.
func TestThreadURLs(t *testing.T) {
	run := func(session string) string { return strings.Join(runPath(&hub.Request{Session: []byte(session)}), "/") }
	if got := run("s"); got != "threads/s/runs/stream" {
		t.Error(got)
	}
	if got := run(""); got != "runs/stream" {
		t.Error(got)
	}
	f := func(session, location, want string) {
		t.Helper()
		call := cancelRun(&hub.Request{Session: []byte(session)}, func(name string) string {
			if name != "Content-Location" {
				t.Error(name)
			}
			return location
		})
		if got := strings.Join(call.Path, "/"); got != want || got != "" && call.Method != "POST" {
			t.Errorf("%s: %s %s, want %s", location, call.Method, got, want)
		}
	}
	f("s", "/threads/t/runs/r1", "threads/s/runs/r1/cancel")
	f("s", "/threads/t/runs/r1/stream", "threads/s/runs/r1/cancel")
	f("s", "/threads/t", "")
	f("s", "", "")
	f("", "/runs/r1", "")
	if !sessions.Outlives(options(t, map[string]any{"disconnect": "continue"})) || sessions.Outlives(options(t, nil)) {
		t.Error("which runs go on when their client leaves")
	}
}
