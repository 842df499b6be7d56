package a2a

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func say(role hub.Role, id string, parts ...hub.Part) hub.Message {
	return hub.Message{Role: role, ID: []byte(id), Parts: parts}
}

func text(s string) hub.Part { return hub.Part{Kind: hub.PartText, Text: []byte(s)} }

func upstream(t *testing.T, version, binding string) hub.Options {
	t.Helper()
	o, problems := Dialect.ParseOptions(map[string]any{"version": version, "binding": binding})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return o
}

// TestAskedInItsVersion: an agent is asked in the version and the binding that its options say, with the header that goes with it; the
// client's thread is the context, and what was said before stays out.
func TestAskedInItsVersion(t *testing.T) {
	f := func(version, binding string, whole bool, header, want string) {
		t.Helper()
		o := upstream(t, version, binding)
		req := &hub.Request{Thread: []byte("t-1"), Unique: []byte("u7"), Upstream: o, AskWhole: whole, Messages: []hub.Message{
			say(hub.RoleUser, "1", text("Hi")), say(hub.RoleAgent, "2", text("Hello.")), say(hub.RoleUser, "", text(`a\nb`)),
		}}
		var l hub.Losses
		got, err := Dialect.RequestWriter()(nil, req, &l)
		if err != nil || string(got) != want || len(l.Names) > 0 {
			t.Errorf("%s %s: %s, %v, losses %q\nwant %s", version, binding, got, err, l.Names, want)
		}
		fields := ""
		for _, field := range Dialect.RequestHeader(o) {
			fields += field.Name + ": " + field.Value
		}
		if fields != header {
			t.Errorf("%s: header %q, want %q", version, fields, header)
		}
	}
	const head = `"message":{"messageId":"message-u7","contextId":"t-1","role":"ROLE_USER","parts":[{"text":"a\nb"}]},"configuration":{}}`
	const head3 = `"message":{"kind":"message","messageId":"message-u7","contextId":"t-1","role":"user","parts":[{"kind":"text","text":"a\nb"}]},"configuration":{"blocking":true}}`
	f("auto", "auto", false, "A2A-Version: 1.0", `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{`+head+`}`)
	f("1.0", "jsonrpc", true, "A2A-Version: 1.0", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{`+head+`}`)
	f("1.0", "rest", false, "A2A-Version: 1.0", `{`+head)
	f("0.3", "auto", false, "", `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{`+head3+`}`)
	f("0.3", "auto", true, "", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{`+head3+`}`)
	f("0.3", "rest", false, "", strings.NewReplacer(`"parts"`, `"content"`, `{}`, `{"blocking":true}`).Replace(`{`+head))
}

// TestLosses: what a request to the agent cannot carry is named.
func TestLosses(t *testing.T) {
	f := func(req *hub.Request, losses string, wants ...string) {
		t.Helper()
		var l hub.Losses
		got, err := Dialect.Requests.AppendRequest(nil, req, &l)
		if strings.Join(l.Names, " ") != losses {
			t.Errorf("losses %q, want %q, in\n%s", l.Names, losses, got)
		}
		for _, want := range wants {
			if want == "" && err == nil || !strings.Contains(string(got), want) {
				t.Errorf("%v, there is no %q in %s", err, want, got)
			}
		}
	}
	before := []hub.Message{say(hub.RoleUser, "1", text("Hi")), say(hub.RoleAgent, "2", text("Hello.")), say(hub.RoleUser, "3", text("Go"))}
	const preamble = `"parts":[{"text":"This conversation began in another session. What was said there:\n\n<conversation>\nUser: Hi\n\nAssistant: Hello.\n\n` +
		`</conversation>\n\nGo on from there. The user says:\n\n`
	f(&hub.Request{Messages: before}, "", `"messageId":"3","role"`, preamble+`Go"}]`)
	f(&hub.Request{Messages: before, Thread: b("t"), NewSession: true}, "", `"contextId":"t"`, preamble+`Go"}]`)
	picture := hub.Part{Kind: hub.PartFile, File: &hub.FileRef{URL: b("https://x/y")}}
	f(&hub.Request{Messages: append(before[:2:2], say(hub.RoleUser, "3", picture))}, "", preamble+`"},{"url":"https://x/y"}]`)
	f(&hub.Request{Messages: before, Thread: b("t")}, "", `"contextId":"t"`)
	f(&hub.Request{Messages: before, Thread: b("t"), Extra: hub.Meta{Dialect: "agui", Raw: b(`{"a":1}`)}, State: b("{}")}, "state extra")
	kinds := say(hub.RoleUser, "1", hub.Part{Kind: hub.PartSource}, hub.Part{Kind: hub.PartFile, File: &hub.FileRef{FileID: b("f")}},
		hub.Part{Kind: hub.PartData, Name: b("function_call"), Value: b("{}")}, hub.Part{Kind: hub.PartData, Name: b("d"), Value: b("1")},
		hub.Part{Kind: hub.PartRaw, Value: b("{}"), Meta: hub.Meta{Dialect: "agui", Raw: b("{}")}})
	f(&hub.Request{Messages: []hub.Message{kinds}}, "messages.source messages.file messages.data messages.other", `"parts":[{"data":1,"metadata":{"adk_type":"d"}}]`)
	kinds.Parts = kinds.Parts[:1]
	f(&hub.Request{Messages: []hub.Message{kinds}}, "messages.source", "")
	f(&hub.Request{Messages: before[:2], Thread: b("t")}, "", "")
	f(&hub.Request{Messages: []hub.Message{say(hub.RoleResults, "", hub.Part{Kind: hub.PartCall, Result: &hub.CallResult{}})}, Partial: true}, "messages.result", "")
}

// TestAnswersGoIntoTheirTask: a question that this dialect has read names its task, and the answer goes on with that. Others answer nothing.
func TestAnswersGoIntoTheirTask(t *testing.T) {
	yes := hub.Decision{Ask: b("task-9#m1"), Decided: true, Approved: true, Payload: b("true")}
	no := hub.Decision{Ask: b("task-9#m2"), Decided: true, Reason: b("Not now"), Payload: b(`{"approved":false,"why":1}`)}
	f := func(req *hub.Request, losses, want string) {
		t.Helper()
		var l hub.Losses
		req.Unique, req.Thread = b("u7"), b("c")
		got, err := Dialect.Requests.AppendRequest(nil, req, &l)
		if err != nil != (want == "") || !strings.Contains(string(got), want) || strings.Join(l.Names, " ") != losses {
			t.Errorf("%s, %v, losses %q; want %s", got, err, l.Names, want)
		}
	}
	const inTask = `"messageId":"message-u7","contextId":"c","taskId":"task-9","role":"ROLE_USER","parts":[`
	f(&hub.Request{Answers: []hub.Decision{yes}}, "", inTask+`{"text":"yes"},{"data":{"approved":true}}]`)
	f(&hub.Request{Answers: []hub.Decision{no}}, "", inTask+`{"text":"Not now"},{"data":{"approved":false,"why":1}}]`)
	f(&hub.Request{Answers: []hub.Decision{{Ask: yes.Ask, Payload: b(`"Oslo"`)}}}, "", inTask+`{"text":"Oslo"}]`)
	f(&hub.Request{Answers: []hub.Decision{{Ask: yes.Ask, Payload: b(`{"city":"Oslo"}`)}}}, "", inTask+`{"text":"Oslo"},{"data":{"city":"Oslo"}}]`)
	f(&hub.Request{Answers: []hub.Decision{{Ask: yes.Ask, Payload: b(`{"city":"Oslo","days":3}`)}}}, "",
		inTask+`{"text":"{\"city\":\"Oslo\",\"days\":3}"},{"data":{"city":"Oslo","days":3}}]`)
	f(&hub.Request{Answers: []hub.Decision{{Ask: yes.Ask, Payload: b("3")}}}, "", inTask+`{"text":"3"},{"data":{"approved":false,"answer":3}}]`)
	f(&hub.Request{Answers: []hub.Decision{{Ask: yes.Ask, Cancelled: true}}}, "", inTask+`{"text":"cancelled"},{"data":{"approved":false}}]`)
	f(&hub.Request{Answers: []hub.Decision{yes, {Ask: b("task-8#m1"), Decided: true}}}, "answers", inTask+`{"text":"yes"},{"data":{"approved":true}}]`)
	f(&hub.Request{Answers: []hub.Decision{{Ask: b("q-1"), Decided: true}}}, "answers", "")
	f(&hub.Request{Answers: []hub.Decision{{Decided: true}}}, "answers", "")
	f(&hub.Request{Answers: []hub.Decision{yes}, Messages: []hub.Message{say(hub.RoleUser, "1", text("Hi"))}}, "", inTask+`{"text":"yes"},{"data":{"approved":true}}]`)
	f(&hub.Request{Answers: []hub.Decision{no}, Partial: true, Messages: []hub.Message{say(hub.RoleUser, "5", text("Later"))}}, "",
		`"messageId":"5","contextId":"c","taskId":"task-9","role":"ROLE_USER","parts":[{"text":"Later"},{"data":{"approved":false,"why":1}}]`)
	call := hub.Part{Kind: hub.PartCall, ID: b("k"), Approval: &hub.Approval{ID: b("task-9#m1"), Decided: true, Approved: true}}
	f(&hub.Request{Messages: []hub.Message{say(hub.RoleUser, "1", text("Hi")), say(hub.RoleAgent, "2", call)}}, "", inTask+`{"text":"yes"},{"data":{"approved":true}}]`)
}

// TestNamesOfQuestions: they name the task, unless that could be taken for another.
func TestNamesOfQuestions(t *testing.T) {
	f := func(task, message, id, asked string) {
		t.Helper()
		got := new(decoder).askID(b(task), b(message))
		if string(got) != id || string(taskAsked(got)) != asked {
			t.Errorf("%s %s: %s of task %q, want %s of %q", task, message, got, taskAsked(got), id, asked)
		}
	}
	f("t1", "m1", "t1#m1", "t1")
	f("t1", "m#1", "t1#m#1", "t1")
	f("t1", "", "t1#ask-1", "t1")
	f("", "m1", "m1", "")
	f("", "m#1", "ask-1", "")
	f("t#1", "m1", "ask-1", "")
}

// TestHistories: messages of both versions are read, and tasks with what was said in them; calls and their results are data.
func TestHistories(t *testing.T) {
	f := func(list, want, losses string) {
		t.Helper()
		ms, err := messages{}.DecodeMessages(nil, b(list))
		var l hub.Losses
		got := messages{}.AppendMessages(nil, ms, &l)
		if err != nil || string(got) != want || strings.Join(l.Names, " ") != losses {
			t.Errorf("%s: %v, losses %q\n%s\nwant\n%s", list, err, l.Names, got, want)
		}
	}
	const hi = `{"messageId":"u1","role":"ROLE_USER","parts":[{"text":"Hi"}]}`
	const calls = `{"messageId":"a1","role":"ROLE_AGENT","metadata":{"x":1},"parts":[{"text":"So."},` +
		`{"data":{"id":"c1","name":"ls","args":{"d":1}},"metadata":{"adk_type":"function_call","adk_is_long_running":true}},` +
		`{"data":{"id":"c1","name":"ls","response":{"result":"x"}},"metadata":{"adk_type":"function_response"}},` +
		`{"data":[1],"metadata":{"adk_type":"rows"}},{"url":"https://x/y","metadata":{"z":1}}]}`
	f(`[`+hi+`,`+calls+`]`, `[`+hi+`,`+calls+`]`, "")
	f(`[{"message":`+hi+`}]`, `[`+hi+`]`, "")
	f(`[{"kind":"message","messageId":"u1","role":"user","parts":[{"kind":"text","text":"Hi"}]}]`, `[`+hi+`]`, "")
	f(`[{"messageId":"u1","role":"ROLE_USER","content":[{"text":"Hi"},{"data":{"data":{"a":1}}}]}]`, strings.Replace(`[`+hi+`]`, `}]`, `},{"data":{"a":1}}]`, 1), "")
	f(`[{"parts":[{"data":{"id":"c","name":"ls","response":{"error":"no"}},"metadata":{"adk_type":"function_response"}}]}]`,
		`[{"messageId":"message","role":"ROLE_USER","parts":[{"data":{"id":"c","name":"ls","response":{"error":"no"}},"metadata":{"adk_type":"function_response"}}]}]`, "")
	f(`[{"messageId":"r","role":"agent","parts":[{"text":"hm","metadata":{"adk_thought":true}}]}]`, `[]`, "messages.reasoning")
	const task = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED","message":{"messageId":"a2","role":"ROLE_AGENT","parts":[{"text":"Done."}]}},` +
		`"history":[` + hi + `],"artifacts":[{"artifactId":"f1","name":"answer","parts":[{"text":"It is 3."}]}]}`
	said := `[` + hi + `,{"messageId":"f1","role":"ROLE_AGENT","parts":[{"text":"It is 3."}]},{"messageId":"a2","role":"ROLE_AGENT","parts":[{"text":"Done."}]}]`
	f(`[`+task+`]`, said, "")
	f(`[{"task":`+task+`}]`, said, "")
	f(strings.Replace(`[`+task+`]`, `"history":[`+hi, `"history":[`+hi+`,{"messageId":"a2","role":"ROLE_AGENT","parts":[]}`, 1), strings.Replace(said, `,{"messageId":"a2","role":"ROLE_AGENT","parts":[{"text":"Done."}]}`, "", 1), "")
	for _, bad := range []string{`[1]`, `[{"role":"robot"}]`} {
		if _, err := (messages{}).DecodeMessages(nil, b(bad)); err == nil || !strings.Contains(err.Error(), "messages.0") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestWholeAnswers: a task in one piece, in each shape.
func TestWholeAnswers(t *testing.T) {
	f := func(header, ask string, run *hub.Run, want string) {
		t.Helper()
		req := &hub.Request{Header: func(string) string { return header }}
		if err := Dialect.Requests.DecodeRequest(req, b(ask)); err != nil {
			t.Fatal(err)
		}
		var l hub.Losses
		if got := Dialect.AppendAnswer(nil, Dialect.Defaults(), req, run, &l); string(got) != want || len(l.Names) > 0 {
			t.Errorf("%s: losses %q\n%s\nwant\n%s", ask, l.Names, got, want)
		}
	}
	done := &hub.Run{ID: b("t1"), Thread: b("c1"), Ended: true, Status: hub.StatusDone, Usage: hub.NoCounts, Messages: []hub.Message{
		say(hub.RoleAgent, "a", text("It is 3."), hub.Part{Kind: hub.PartData, Name: b("d"), Value: b("[1]")}),
	}}
	f("1.0", ask1, done, `{"jsonrpc":"2.0","id":"x 1","result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[`+
		`{"artifactId":"a","name":"answer","parts":[{"text":"It is 3."}]},{"artifactId":"artifact-1","name":"d","parts":[{"data":[1]}]}]}}}`)
	waits := &hub.Run{ID: b("t1"), Ended: true, Status: hub.StatusTools, Usage: hub.NoCounts, Messages: []hub.Message{
		say(hub.RoleAgent, "a", hub.Part{Kind: hub.PartCall, ID: b("k"), Name: b("ls"), Value: b("{}"), ClientRuns: true}),
	}}
	f("", ask3, waits, `{"jsonrpc":"2.0","id":7,"result":{"kind":"task","id":"t1","contextId":"context-t1","status":{"state":"input-required","message":`+
		`{"kind":"message","messageId":"t1-1","role":"agent","parts":[{"kind":"text","text":"Calling ls"},{"kind":"data","data":{"id":"k","name":"ls","args":{}},`+
		`"metadata":{"adk_type":"function_call"}}]}},"artifacts":[],"metadata":{"sabir":{"status":"tools"}}}}`)
	refused := &hub.Run{ID: b("t1"), Ended: true, Status: hub.StatusRefused, Err: b("No."), Usage: hub.NoCounts}
	f("", ask3REST, refused, `{"task":{"id":"t1","contextId":"context-t1","status":{"state":"TASK_STATE_REJECTED","message":{"messageId":"t1-1","role":"ROLE_AGENT",`+
		`"content":[{"text":"No."}]}},"artifacts":[]}}`)
}

// TestAnswersInATask: data answers the question of a task that waits, if it says yes or no, or has an answer; other data is what the user says.
func TestAnswersInATask(t *testing.T) {
	f := func(data, ask, payload string) {
		t.Helper()
		body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","taskId":"t","role":"ROLE_USER","parts":[{"data":` + data + `}]}}}`
		var req hub.Request
		if err := Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		if payload == "" {
			if len(req.Answers) > 0 || len(req.Messages) != 1 {
				t.Errorf("%s: answers %+v, messages %+v", data, req.Answers, req.Messages)
			}
			return
		}
		if len(req.Answers) != 1 || len(req.Messages) > 0 || string(req.Answers[0].Ask) != ask || string(req.Answers[0].Payload) != payload {
			t.Errorf("%s: answers %+v, messages %+v", data, req.Answers, req.Messages)
		}
	}
	f(`{"id":"q1","answer":"blue"}`, "q1", `"blue"`)
	f(`{"answer":{"colour":"blue"}}`, "", `{"colour":"blue"}`)
	f(`{"id":"q1","approved":true}`, "q1", `{"id":"q1","approved":true}`)
	f(`{"id":"q1","answer":null}`, "", "")
	f(`{"id":"q1"}`, "", "")
}
