package opencode_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/opencode"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func text(role hub.Role, said string) hub.Message {
	return hub.Message{Role: role, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(said)}}}
}

// TestWriteRequest: a prompt says what is new; a session that is new is given what was said before.
func TestWriteRequest(t *testing.T) {
	f := func(name string, req hub.Request, want string, losses ...string) {
		t.Helper()
		var l hub.Losses
		got, err := opencode.Dialect.WriteRequest(nil, &req, &l)
		if err != nil || string(got) != want || strings.Join(l.Names, " ") != strings.Join(losses, " ") {
			t.Errorf("%s: %v, losses %q\n%s, want\n%s", name, err, l.Names, got, want)
		}
	}
	const more = `{"parts":[{"type":"text","text":"more"}]}`
	history := []hub.Message{text(hub.RoleUser, "hello"), text(hub.RoleAgent, "Hi!"), text(hub.RoleUser, "more")}
	f("what is new", hub.Request{Messages: history}, more)
	f("a session that is new", hub.Request{Messages: history, NewSession: true},
		`{"parts":[{"type":"text","text":"This conversation began in another session. What was said there:\n\n<conversation>\nUser: hello\n\nAssistant: Hi!\n\n</conversation>\n\n`+
			`Go on from there. The user says:\n\n"},{"type":"text","text":"more"}]}`)
	f("instructions", hub.Request{Messages: append([]hub.Message{text(hub.RoleSystem, "Be kind.")}, history...)}, `{"system":"Be kind.",`+more[1:])
	f("a model", hub.Request{Messages: history, Model: []byte("a/b/c")}, `{"model":{"providerID":"a","modelID":"b/c"},`+more[1:])
	f("a model without a provider", hub.Request{Messages: history, Model: []byte("gpt")}, more, "model")
	o, _ := opencode.Dialect.ParseOptions(map[string]any{"agent": "plan"})
	f("an agent", hub.Request{Messages: history, Upstream: o}, `{"agent":"plan",`+more[1:])
	file := func(f hub.FileRef) hub.Request {
		m := text(hub.RoleUser, "more")
		m.Parts = append(m.Parts, hub.Part{Kind: hub.PartFile, File: &f})
		return hub.Request{Messages: []hub.Message{m}}
	}
	f("a file", file(hub.FileRef{Media: []byte("image/png"), Name: []byte("a.png"), Base64: []byte("AAAA")}),
		`{"parts":[{"type":"text","text":"more"},{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,AAAA"}]}`)
	f("a file on the web", file(hub.FileRef{URL: []byte("https://a/b")}),
		`{"parts":[{"type":"text","text":"more"},{"type":"file","mime":"application/octet-stream","url":"https://a/b"}]}`)
	f("a file of the server's", file(hub.FileRef{URL: []byte("file:///etc/passwd")}), more, "messages.file")
	f("tools and settings", hub.Request{Messages: history, Tools: hub.ToolList{Defs: []hub.Tool{{Name: []byte("x")}}}, Settings: hub.Settings{Temperature: []byte("1")}},
		more, "settings.temperature", "tools")
	if _, err := opencode.Dialect.WriteRequest(nil, &hub.Request{Messages: history[:2]}, new(hub.Losses)); err == nil {
		t.Error("a prompt in which the user says nothing is written")
	}
}

// TestAnswers: each answer is a request, those that reject come last; and the first is what is written.
func TestAnswers(t *testing.T) {
	f := func(want string, answers ...hub.Decision) {
		t.Helper()
		req := hub.Request{Partial: true, Answers: answers}
		var got []string
		for _, call := range opencode.Dialect.Sessions.Answers(&req) {
			got = append(got, strings.TrimSpace(call.Method+" "+strings.Join(call.Path, "/")+" "+string(call.Body)))
		}
		body, err := opencode.Dialect.WriteRequest(nil, &req, new(hub.Losses))
		if all := strings.Join(got, "\n"); all != want || (err != nil) != (want == "") || want != "" && !strings.HasSuffix(got[0], string(body)) {
			t.Errorf("%v, %s\n%s, want\n%s", err, body, all, want)
		}
	}
	permission := func(d hub.Decision) hub.Decision {
		d.Ask = []byte("per_1#c1")
		return d
	}
	question := func(payload string) hub.Decision {
		return hub.Decision{Ask: []byte("que_1#c1"), Payload: []byte(payload)}
	}
	const reply = "POST permission/per_1/reply "
	f(reply+`{"reply":"once"}`, permission(hub.Decision{Decided: true, Approved: true}))
	f(reply+`{"reply":"always"}`, permission(hub.Decision{Payload: []byte(`{"optionId":"always"}`)}))
	f(reply+`{"reply":"reject","message":"no"}`, permission(hub.Decision{Decided: true, Reason: []byte("no")}))
	f(reply+`{"reply":"reject"}`, permission(hub.Decision{Cancelled: true}))
	f("", permission(hub.Decision{Payload: []byte(`{"colour":"red"}`)}))
	const replies = "POST question/que_1/reply "
	f(replies+`{"answers":[["blue"]]}`, question(`"blue"`))
	f(replies+`{"answers":[["blue"]]}`, question(`{"colour":"blue"}`))
	f(replies+`{"answers":[["a","b"],["c"]]}`, question(`{"answers":[["a","b"],"c"]}`))
	f("", question(`{"approved":true}`))
	f("POST question/que_1/reject", hub.Decision{Ask: []byte("que_1"), Decided: true})
	f("POST question/que_2/reply {\"answers\":[[\"x\"]]}\nPOST question/que_1/reject",
		hub.Decision{Ask: []byte("que_1"), Cancelled: true}, hub.Decision{Ask: []byte("que_2"), Payload: []byte(`"x"`)})
	gone := hub.Request{Partial: true, NewSession: true, Answers: []hub.Decision{permission(hub.Decision{Decided: true})}}
	if body, err := opencode.Dialect.WriteRequest(nil, &gone, new(hub.Losses)); err == nil || !strings.Contains(err.Error(), "is not there") {
		t.Errorf("%s, %v", body, err)
	}
}

var rootSession = regexp.MustCompile(`"session.status","properties":\{"sessionID":"ses_(\w+)"`)

// listen decodes a recorded bus with what was asked there, and returns the kinds of events with their ids, and whether the run has waited.
func listen(t *testing.T, file string, req hub.Request) (said string, waits bool) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	wires := string(archive.Files[0].Data)
	if req.Session == nil {
		req.Session = []byte(rootSession.FindStringSubmatch(wires)[1])
	}
	d := opencode.Dialect.NewDecoder(opencode.Dialect.Defaults()).(hub.Listener)
	d.Listen(&req)
	var events []hub.Event
	for line := range strings.Lines(wires) {
		record, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		if events, err = d.Decode(events[:0], wire.Record{Data: []byte(record)}); err != nil {
			t.Fatal(err)
		}
		for i := range events {
			said += events[i].Kind.String() + " " + string(events[i].ID) + "|"
		}
		waits = waits || d.Waits()
	}
	if d.Begun() != (said != "") {
		t.Errorf("begun: %v", d.Begun())
	}
	return said, waits
}

// TestListen: a decoder that knows what was asked reads that session alone, and says when the run waits. A run that goes on with an answer
// does not begin its calls again.
func TestListen(t *testing.T) {
	f := func(file string, req hub.Request, waits bool, want ...string) string {
		t.Helper()
		said, w := listen(t, file, req)
		for _, part := range want {
			if !strings.Contains(said, part) {
				t.Errorf("%s: %s\nis without %s", file, said, part)
			}
		}
		if w != waits || len(want) == 0 && said != "" || len(want) > 0 && !strings.HasPrefix(said, "run.start |") {
			t.Errorf("%s: waits %v\n%s", file, w, said)
		}
		return said
	}
	f("serve-text.txtar", hub.Request{Session: []byte("other")}, false)
	f("serve-text.txtar", hub.Request{}, false, "text.delta", "run.end")
	f("serve-agent.txtar", hub.Request{}, false, "agent.start", "agent.end", "run.end")
	f("serve-permission.txtar", hub.Request{}, true, "ask per_", "#call_write|", "answer per_", "run.end")
	f("serve-permission-early.txtar", hub.Request{}, true, "tool.ready call_d1|", "ask per_", "run.end")
	f("serve-question.txtar", hub.Request{}, true, "ask que_", "#call_ask|", "run.end")
	answered := hub.Request{Partial: true, Answers: []hub.Decision{{Ask: []byte("per_1#call_d1"), Decided: true, Approved: true}}}
	if said := f("serve-permission-early.txtar", answered, true, "tool.end call_d1|"); strings.Contains(said, "tool.start") {
		t.Errorf("the call begins again: %s", said)
	}
}

// TestCheck: a question is open if the server lists it for the session of the request, or for one that descends from it. The server is asked
// for as little as that takes.
func TestCheck(t *testing.T) {
	f := func(want string, open bool, asks string, server map[string]string) {
		t.Helper()
		req := hub.Request{Partial: true, Session: []byte("own")}
		for ask := range strings.FieldsSeq(asks) {
			req.Answers = append(req.Answers, hub.Decision{Ask: []byte(ask), Decided: true})
		}
		var asked []string
		var answers [][]byte
		next, got := opencode.Dialect.Sessions.Check(&req, nil)
		for ; next != nil && len(asked) < 9; next, got = opencode.Dialect.Sessions.Check(&req, answers) {
			path := strings.Join(next.Path, "/")
			asked, answers = append(asked, path), append(answers, []byte(server[path]))
		}
		if all := strings.Join(asked, " "); all != want || got != open {
			t.Errorf("%s: asked %s, open %v; want %s, %v", asks, all, got, want, open)
		}
	}
	lists := map[string]string{
		"permission":        `[{"id":"per_1","sessionID":"ses_own"},{"id":"per_2","sessionID":"ses_child"},{"id":"per_3","sessionID":"ses_a"},7]`,
		"question":          ` [{"id":"que_1","sessionID":"ses_own"}]` + "\n",
		"session/ses_child": `{"id":"ses_child","parentID":"ses_own"}`,
		"session/ses_a":     `{"id":"ses_a","parentID":"ses_b"}`,
		"session/ses_b":     `{"id":"ses_b","parentID":"ses_a"}`,
	}
	f("permission", true, "per_1#c1", lists)
	f("question", true, "que_1", lists)
	f("permission question", true, "que_1 per_1", lists)
	f("permission session/ses_child", true, "per_2#c1 per_1", lists)
	f("permission session/ses_a session/ses_b", false, "per_1 per_3", lists)
	f("permission", false, "per_9", lists)
	f("permission", false, "per_1", map[string]string{"permission": `{"error":"no"}`})
	f("permission", false, "per_1", map[string]string{"permission": `[{"id":"per_1","sessionID":"ses_own"}`})
	f("permission", false, "per_1", map[string]string{"permission": strings.Repeat("[", 1<<16)})
	f("permission", false, "per_1", nil)
}
