package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// thinkingAgent is asked in the form of Chat Completions. It thinks in a member, calls a tool, and says what came of it. From its call on it refuses
// messages of its own without the member if it insists, and with it if not.
func thinkingAgent(t *testing.T, member string, insists bool) *agent {
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			var asked struct {
				Stream   bool
				Messages []map[string]any
			}
			if err := json.Unmarshal(p.body, &asked); err != nil {
				t.Errorf("%v in %s", err, p.body)
			}
			answers := 0
			refused := false
			for _, m := range asked.Messages {
				if m["role"] == "assistant" {
					answers++
					_, has := m[member]
					refused = refused || has != insists
				}
			}
			if refused {
				const body = `{"error":{"message":"The reasoning in the thinking mode must be passed back as it came.","type":"invalid_request_error"}}`
				p.answer("400 Bad Request", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
				p.send(body)
				continue
			}
			p.think(asked.Stream, member, answers)
		}
	})
}

// think is the n-th answer of an agent: a call, what came of it, and one about which it did not think.
func (p *peer) think(stream bool, member string, n int) {
	said := []string{
		`"` + member + `":"Look outside.","content":"Let me see.","tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]`,
		`"` + member + `":"Wet.","content":"It rains."`, `"content":"Yes."`, `"` + member + `":"Bye then.","content":"Bye."`,
	}[n]
	finish := `"stop"`
	if n == 0 {
		finish = `"tool_calls"`
	}
	if !stream {
		body := `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant",` + said + `},"finish_reason":` + finish + `}]}`
		p.answer("200 OK", "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body)))
		p.send(body)
		return
	}
	p.ok("Content-Type: text/event-stream")
	p.finish(`data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{` + said + `},"finish_reason":null}]}` +
		"\n\ndata: " + `{"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":` + finish + `}]}` + "\n\ndata: [DONE]\n\n")
}

// historyClient is a client that keeps what it reads, and sends all of it with each request.
type historyClient struct {
	*rig
	dialect *hub.Dialect
	body    string // of a request, with %s for the messages
	kept    []hub.Message
}

// ask sends the conversation, and keeps the answer.
func (k *historyClient) ask() {
	k.t.Helper()
	list := k.dialect.Messages.AppendMessages(nil, k.kept, new(hub.Losses))
	resp, answer := k.post("/run", strings.Replace(k.body, "%s", string(list), 1))
	if resp.StatusCode != 200 || strings.Contains(answer, "must be passed back") {
		k.t.Errorf("%s: status %d for %s\n%s", k.dialect.Name, resp.StatusCode, list, answer)
	}
	folder, seq := conversation.NewFolder(nil), sequencer.New(sequencer.Config{Replace: true})
	dec, split := k.dialect.NewDecoder(k.dialect.Defaults()), wire.NewSplitter(k.dialect.Framing, 0)
	if strings.HasPrefix(answer, "{") {
		split = wire.NewSplitter(wire.NDJSON, 0)
	}
	take := func(evs []hub.Event) {
		for _, ev := range seq.Push(nil, evs, 0) {
			folder.Add(&ev)
		}
	}
	for rest := []byte(answer); len(rest) > 0; {
		rec, n, err := split.Split(rest, true)
		if n == 0 || err != nil {
			break
		}
		if rest = rest[n:]; rec.Data != nil {
			evs, err := dec.Decode(nil, rec)
			if err != nil {
				k.t.Errorf("%s: %v", k.dialect.Name, err)
			}
			take(evs)
		}
	}
	take(dec.Finish(nil, nil))
	for _, ev := range seq.Flush(nil, nil) {
		folder.Add(&ev)
	}
	k.kept = append(k.kept, folder.Run().Messages...)
}

func (k *historyClient) say(text string) {
	k.kept = append(k.kept, hub.Message{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: []byte(text)}}})
	k.ask()
}

// result says what came of the calls.
func (k *historyClient) result(text string) {
	for i := range k.kept {
		for j := range k.kept[i].Parts {
			if p := &k.kept[i].Parts[j]; p.Kind == hub.PartCall {
				p.Result = &hub.CallResult{Status: hub.StatusDone, Text: []byte(text)}
			}
		}
	}
	k.ask()
}

// historyClients are clients that keep signatures, with a request of theirs.
var historyClients = map[string][]string{
	"anthropic":        {`{"model":"m","max_tokens":9,"stream":true,"messages":%s}`, `{"model":"m","max_tokens":9,"messages":%s}`},
	"openai-responses": {`{"model":"m","stream":true,"store":false,"input":%s}`},
	"aisdk":            {`{"id":"chat","trigger":"submit-message","messages":%s}`},
	"agui":             {`{"threadId":"t","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":%s}`},
}

// TestPlainReasoningComesBack: an agent that wants its reasoning in the member in which it sent it gets it there, with no option set, from its first
// call of a tool on. One that refuses the member does not get it where an option says so. Neither loses a signature by it.
func TestPlainReasoningComesBack(t *testing.T) {
	t.Parallel()
	f := func(name, body, member, option string, insists bool, lost float64) {
		t.Helper()
		d, err := adapters.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		yaml := strings.Replace(simple(thinkingAgent(t, member, insists).url(), "", option, "client: "+name+"\nrequests: {mode: translate}"), "dialect: native", "dialect: openai-chat", 1)
		k := &historyClient{rig: start(t, yaml), dialect: d, body: body}
		k.say("Weather?")
		k.result("rain")
		k.say("Sure?")
		k.say("Bye.")
		if n := k.metric("sabir_request_losses_total", "field=messages.signature"); n != 0 {
			t.Errorf("%s: %v signatures were lost", name, n)
		}
		if n := k.metric("sabir_request_losses_total", "field=messages.reasoning"); n != lost {
			t.Errorf("%s: reasoning was lost in %v requests, want %v", name, n, lost)
		}
	}
	for name, bodies := range historyClients {
		for _, body := range bodies {
			f(name, body, "reasoning_content", "", true, 0)
			f(name, body, "reasoning_content", "options: {reasoning_history: none}", false, 3)
		}
	}
}

// TestPlainReasoningIsKept: a client that keeps no signatures has its conversation kept, and the agent's reasoning with it.
func TestPlainReasoningIsKept(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(simple(thinkingAgent(t, "reasoning_content", true).url(), "", "", "client: langgraph\nrequests: {mode: translate}"), "dialect: native", "dialect: openai-chat", 1)
	r := start(t, strings.Replace(yaml, "path: /run", "path: /run/*", 1))
	for _, said := range []string{
		`{"type":"human","content":"Weather?"}`, `{"type":"tool","tool_call_id":"c1","content":"rain"}`, `{"type":"human","content":"Sure?"}`, `{"type":"human","content":"Bye."}`,
	} {
		resp, answer := r.post("/run/threads/t1/runs/stream", `{"assistant_id":"agent","input":{"messages":[`+said+`]},"stream_mode":["messages-tuple"],"if_not_exists":"create"}`)
		if resp.StatusCode != 200 || strings.Contains(answer, "event: error") {
			t.Errorf("%s: status %d\n%s", said, resp.StatusCode, answer)
		}
		if strings.Contains(answer, "eyJzYWJpciI6") {
			t.Errorf("the client gets what it does not keep:\n%s", answer)
		}
	}
}
