package mastra_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/mastra"
)

// TestWriteRequest: a turn tells the whole conversation, and an answer to a question goes where that is answered.
func TestWriteRequest(t *testing.T) {
	f := func(name string, req hub.Request, path, want string) {
		t.Helper()
		got, err := mastra.Dialect.Requests.AppendRequest(nil, &req, new(hub.Losses))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n%s, want\n%s", name, err, got, want)
		}
		if at := strings.Join(mastra.Dialect.Sessions.Run(&req), "/"); at != path {
			t.Errorf("%s: asked at %s, want %s", name, at, path)
		}
	}
	text := func(role hub.Role, said string) hub.Message {
		return hub.Message{Role: role, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(said)}}}
	}
	call := func(r *hub.CallResult) hub.Message {
		return hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{{
			Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("look"), Value: []byte(`{"a":1}`), Result: r,
		}}}
	}
	f("three turns", hub.Request{Messages: []hub.Message{text(hub.RoleSystem, "Be brief."), text(hub.RoleUser, "one"), text(hub.RoleAgent, "two"), text(hub.RoleUser, "three")}},
		"stream", `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"one"}]},`+
			`{"role":"assistant","content":[{"type":"text","text":"two"}]},{"role":"user","content":[{"type":"text","text":"three"}]}]}`)
	f("the tool of a client", hub.Request{
		Messages: []hub.Message{text(hub.RoleUser, "one"), call(&hub.CallResult{Status: hub.StatusOK, Text: []byte("9")})},
		Tools:    hub.ToolList{Known: true, Defs: []hub.Tool{{Name: []byte("look"), Description: []byte("Looks.")}}},
	}, "stream", `{"messages":[{"role":"user","content":[{"type":"text","text":"one"}]},`+
		`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{"a":1}}]},`+
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"look","output":{"type":"text","value":"9"}}]}],`+
		`"clientTools":{"look":{"id":"look","description":"Looks.","inputSchema":{"type":"object"}}}}`)
	f("a result that is a failure", hub.Request{Messages: []hub.Message{call(&hub.CallResult{Status: hub.StatusError, Err: []byte("down")})}}, "stream",
		`{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{"a":1}}]},`+
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"look","output":{"type":"error-text","value":"down"}}]}]}`)
	answer := func(d hub.Decision) hub.Request {
		d.Ask = []byte("r1:c1")
		return hub.Request{Partial: true, Answers: []hub.Decision{d}}
	}
	f("granted", answer(hub.Decision{Decided: true, Approved: true}), "approve-tool-call", `{"runId":"r1","toolCallId":"c1"}`)
	f("denied", answer(hub.Decision{Decided: true, Reason: []byte("no")}), "decline-tool-call", `{"runId":"r1","toolCallId":"c1","reason":"no"}`)
	f("dismissed", answer(hub.Decision{Cancelled: true}), "decline-tool-call", `{"runId":"r1","toolCallId":"c1"}`)
	f("denied in a form that says the other", answer(hub.Decision{Decided: true, Payload: []byte(`{"approved":true,"note":"n"}`)}), "decline-tool-call", `{"runId":"r1","toolCallId":"c1"}`)
	f("a form that says yes or no", answer(hub.Decision{Decided: true, Approved: true, Payload: []byte(`{"id":"r1:c1","approved":true,"reason":"r"}`)}), "approve-tool-call", `{"runId":"r1","toolCallId":"c1"}`)
	f("a form that says more", answer(hub.Decision{Decided: true, Approved: true, Payload: []byte(`{"approved":true,"note":"n"}`)}), "resume-stream", `{"runId":"r1","toolCallId":"c1","resumeData":{"approved":true,"note":"n"}}`)
	f("input", answer(hub.Decision{Payload: []byte(`{"ok":true}`)}), "resume-stream", `{"runId":"r1","toolCallId":"c1","resumeData":{"ok":true}}`)
}

// TestReadAnswers: where an answer is sent says whether a call may run. One that says nothing where it must is refused, and where the path is
// not known nothing is allowed.
func TestReadAnswers(t *testing.T) {
	f := func(path, more, want string) {
		t.Helper()
		req := hub.Request{Endpoint: path}
		err := mastra.Dialect.Requests.DecodeRequest(&req, []byte(`{"runId":"r1","toolCallId":"c1"`+more+`}`))
		got := "refused"
		if err == nil {
			d := &req.Answers[0]
			got = fmt.Sprintf("%s decided %v approved %v %s%s", d.Ask, d.Decided, d.Approved, d.Reason, d.Payload)
		}
		if got != want {
			t.Errorf("%s%s: %s (%v), want %s", path, more, got, err, want)
		}
	}
	const agent, resume = "/api/agents/{agent}/", `,"resumeData":`
	f(agent+"approve-tool-call", "", "r1:c1 decided true approved true ")
	f(agent+"approve-tool-call-generate", resume+"false", "r1:c1 decided true approved true ")
	f(agent+"decline-tool-call", `,"reason":"no"`, "r1:c1 decided true approved false no")
	f(agent+"decline-tool-call-generate", resume+"true", "r1:c1 decided true approved false ")
	f(agent+"resume-stream", "", "refused")
	f(agent+"resume-stream", resume+`{"approved":false}`, `r1:c1 decided true approved false {"approved":false}`)
	f(agent+"resume-stream", resume+`{"colour":"red"}`, `r1:c1 decided false approved false {"colour":"red"}`)
	f(agent+"stream", "", "refused")
	f("", "", "r1:c1 decided true approved false ")
	f("", resume+"true", "r1:c1 decided true approved true true")
}

// TestReadResults: an output that says of which type it is has the result in it; any other is the result.
func TestReadResults(t *testing.T) {
	f := func(result, want string) {
		t.Helper()
		ms, err := mastra.Dialect.Messages.DecodeMessages(nil, []byte(`[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{}}]},`+
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"look",`+result+`}]}]`))
		if err != nil || len(ms) == 0 || len(ms[0].Parts) != 1 || ms[0].Parts[0].Result == nil {
			t.Fatalf("%s: %v %+v", result, err, ms)
		}
		r := ms[0].Parts[0].Result
		if got := fmt.Sprintf("%v %s%s%s", r.Status, r.Text, r.Value, r.Err); got != want {
			t.Errorf("%s: %s, want %s", result, got, want)
		}
	}
	f(`"output":{"type":"text","value":"9"}`, "ok 9")
	f(`"output":{"type":"json","value":{"a":1}}`, `ok {"a":1}`)
	f(`"output":{"type":"json","value":{"a":1}},"isError":true`, `error {"a":1}`)
	f(`"output":{"type":"error-text","value":"down"}`, "error down")
	f(`"output":{"type":"execution-denied","reason":"no"},"isError":true`, "denied no")
	f(`"output":{"type":"content","value":[{"type":"text","text":"9"}]}`, "ok 9")
	f(`"output":{"degrees":9}`, `ok {"degrees":9}`)
	f(`"output":{"degrees":9},"isError":true`, `error {"degrees":9}`)
	f(`"output":{"type":"forecast","value":9}`, `ok {"type":"forecast","value":9}`)
	f(`"result":{"degrees":9},"isError":false`, `ok {"degrees":9}`)
	f(`"result":"9"`, "ok 9")
}

// asksAtMastra is a conversation whose run waits: the answer to the first question was given, and shows no result yet.
func asksAtMastra(decided ...bool) hub.Message {
	m := hub.Message{Role: hub.RoleAgent}
	for i, approved := range decided {
		id := fmt.Sprintf("c%d", i+1)
		m.Parts = append(m.Parts, hub.Part{
			Kind: hub.PartCall, ID: []byte(id), Name: []byte("rm"), Value: []byte("{}"),
			Approval: &hub.Approval{ID: []byte("r1:" + id), Decided: true, Approved: approved},
		})
	}
	return m
}

// TestWriteLastAnswer: a server asks one question after the other, and shows results when all are answered. The last answer that stands with a
// call is the one that it waits for, unless the request says which; behind what the user has said since it waits for none.
func TestWriteLastAnswer(t *testing.T) {
	f := func(name string, req hub.Request, path, want, lost string) {
		t.Helper()
		var l hub.Losses
		got, err := mastra.Dialect.Requests.AppendRequest(nil, &req, &l)
		at := strings.Join(mastra.Dialect.Sessions.Run(&req), "/")
		if err != nil || string(got) != want || at != path || strings.Join(l.Names, " ") != lost {
			t.Errorf("%s: %v at %s without %q\n%s, want %s\n%s", name, err, at, l.Names, got, path, want)
		}
	}
	said := func(text string) hub.Message {
		return hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}}
	}
	first := hub.Decision{Ask: []byte("r1:c1"), Decided: true, Approved: true}
	f("the second", hub.Request{Messages: []hub.Message{said("go"), asksAtMastra(true, false)}},
		"decline-tool-call", `{"runId":"r1","toolCallId":"c2"}`, "")
	f("that of the request", hub.Request{Messages: []hub.Message{said("go"), asksAtMastra(true, false)}, Answers: []hub.Decision{first}},
		"approve-tool-call", `{"runId":"r1","toolCallId":"c1"}`, "")
	f("two of the request", hub.Request{Partial: true, Answers: []hub.Decision{first, {Ask: []byte("r1:c2"), Decided: true}}},
		"approve-tool-call", `{"runId":"r1","toolCallId":"c1"}`, "answers")
	f("the user has gone on", hub.Request{Messages: []hub.Message{said("go"), asksAtMastra(true), said("stop")}}, "stream",
		`{"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},{"role":"user","content":[{"type":"text","text":"stop"}]}]}`, "answers messages.call")
}

// TestWriteResultsLast: a server shows the model a result in the place of its call, so that a text behind the call would be what the model is
// to answer.
func TestWriteResultsLast(t *testing.T) {
	agent := hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{
		{Kind: hub.PartCall, ID: []byte("c1"), Name: []byte("look"), Value: []byte("{}"), Result: &hub.CallResult{Status: hub.StatusOK, Text: []byte("9")}},
		{Kind: hub.PartText, Text: []byte("Looking.")},
	}}
	got, err := mastra.Dialect.Requests.AppendRequest(nil, &hub.Request{Messages: []hub.Message{agent}}, new(hub.Losses))
	want := `{"messages":[{"role":"assistant","content":[{"type":"text","text":"Looking."},{"type":"tool-call","toolCallId":"c1","toolName":"look","input":{}}]},` +
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"look","output":{"type":"text","value":"9"}}]}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s, want\n%s", err, got, want)
	}
}
