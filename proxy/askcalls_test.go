package proxy

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// asksTwice is what an AI SDK agent says that asks about two calls.
var asksTwice = "data: " + strings.Join([]string{
	`{"type":"start"}`, `{"type":"start-step"}`,
	`{"type":"tool-input-available","toolCallId":"c1","toolName":"rm","input":{"n":1}}`,
	`{"type":"tool-input-available","toolCallId":"c2","toolName":"rm","input":{"n":2}}`,
	`{"type":"tool-approval-request","approvalId":"ask-1","toolCallId":"c1"}`,
	`{"type":"tool-approval-request","approvalId":"ask-2","toolCallId":"c2"}`,
	`{"type":"finish-step"}`, `{"type":"finish"}`, "[DONE]",
}, "\n\ndata: ") + "\n\n"

var (
	interrupts = regexp.MustCompile(`\{"id":"([^"]*)","reason":"tool_call"[^}]*"toolCallId":"([^"]*)"`)
	approvals  = regexp.MustCompile(`"toolCallId":"([^"]*)".*?"approval":(\{[^}]*\})`)
)

// TestAsksNameTheirCalls: a client of AG-UI answers questions of an AI SDK agent by their ids alone. Each answer reaches its call, in whatever
// order they are; where the client has other ids of calls, the only one that is open.
func TestAsksNameTheirCalls(t *testing.T) {
	t.Parallel()
	f := func(options string, answered []int, want ...string) {
		t.Helper()
		bodies := make(chan string, 2)
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				bodies <- string(p.body)
				p.ok("Content-Type: text/event-stream")
				p.finish(asksTwice)
			}
		})
		r := start(t, strings.Replace(simple(a.url(), "", "", "client: agui\nrequests: {mode: translate}\n"+options), "dialect: native", "dialect: aisdk", 1))
		const user = `{"id":"u","role":"user","content":"go"}`
		_, body := r.post("/run", `{"threadId":"t","runId":"r1","messages":[`+user+`]}`, "Content-Type: application/json")
		<-bodies
		asked := interrupts.FindAllStringSubmatch(body, -1)
		if len(asked) != 2 {
			t.Fatalf("the client is asked %q: %s", asked, body)
		}
		var calls, answers []string
		for _, i := range answered {
			calls = append(calls, `{"id":"`+asked[i][2]+`","type":"function","function":{"name":"rm","arguments":"{}"}}`)
			answers = append(answers, `{"interruptId":"`+asked[i][1]+`","status":"resolved","payload":{"approved":`+strconv.FormatBool(i == 0)+`}}`)
		}
		slices.Sort(calls)
		r.post("/run", `{"threadId":"t","runId":"r2","messages":[`+user+`,{"id":"a","role":"assistant","toolCalls":[`+strings.Join(calls, ",")+`]}],"resume":[`+
			strings.Join(answers, ",")+`]}`, "Content-Type: application/json")
		var got []string
		for _, m := range approvals.FindAllStringSubmatch(<-bodies, -1) {
			got = append(got, m[1][strings.LastIndexByte(m[1], '-')+1:]+" "+m[2])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the agent gets %q, want %q", options, got, want)
		}
	}
	const granted, denied = `c1 {"id":"ask-1","approved":true}`, `c2 {"id":"ask-2","approved":false}`
	f("", []int{0, 1}, granted, denied)
	f("", []int{1, 0}, granted, denied)
	f("options: {tool_ids: run}\n", []int{1}, denied)
}

// TestAnswerToANamedQuestion: an answer within a stream is about the question as the client knows it, and so many questions alone name their calls.
func TestAnswerToANamedQuestion(t *testing.T) {
	t.Parallel()
	a := askCalls{}
	ask := hub.Event{Kind: hub.Ask, AskKind: hub.AskPermission, ID: []byte("q"), Ref: []byte("c")}
	answer := hub.Event{Kind: hub.Answer, ID: []byte("q")}
	if a.name(&ask); string(ask.ID) != "q~call-c" {
		t.Errorf("the question is %s", ask.ID)
	}
	if a.name(&answer); string(answer.ID) != "q~call-c" {
		t.Errorf("the answer is to %s", answer.ID)
	}
	for i := len(a); i < maxAskCalls; i++ {
		a[strings.Repeat("x", i)] = nil
	}
	for _, ev := range []hub.Event{
		{Kind: hub.Ask, AskKind: hub.AskPermission, ID: []byte("late"), Ref: []byte("c")}, {Kind: hub.Ask, AskKind: hub.AskQuestion, ID: []byte("words")}, {Kind: hub.TextDelta, ID: []byte("q")},
	} {
		was := string(ev.ID)
		if a.name(&ev); string(ev.ID) != was {
			t.Errorf("%s becomes %s", was, ev.ID)
		}
	}
}
