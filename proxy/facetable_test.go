package proxy

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// facesOwn is what clients of each dialect begin, how it is called then, and what they may say of it.
var facesOwn = map[string]ownFace{
	"a2a": {
		begin: "POST  " + strings.Replace(a2aMessage("u1", "", ownWord), "SendMessage", "SendStreamingMessage", 1),
		names: map[string]string{"run": `"task":{"id":"([^"]+)"`, "thread": `"contextId":"([^"]+)"`},
		bodies: map[string][]string{
			"run": {a2aApproves, a2aAbout("SendStreamingMessage", `"taskId":"{run}",`), a2aAbout("SendStreamingMessage", `"contextId":"{thread}",`),
				a2aAbout("SendStreamingMessage", `"taskId":"{run}","contextId":"{thread}",`)},
			"POST /message:stream": {a2aParams(`"taskId":"{run}",`)}, "POST /v1/message:stream": {a2aParams(`"taskId":"{run}",`)},
			"whole": {a2aParams(`"taskId":"{run}",`), a2aParams(`"contextId":"{thread}",`)},
			"stop":  {"", "{}"}, "rejoin": {""}, "notify": {`{"taskId":"{run}","url":"http://127.0.0.1:1/"}`},
			"SendStreamingMessage": {a2aAbout("SendStreamingMessage", `"taskId":"{run}",`)}, "message/stream": {a2aAbout("message/stream", `"taskId":"{run}",`)},
			"SendMessage": {a2aAbout("SendMessage", `"taskId":"{run}",`)}, "message/send": {a2aAbout("message/send", `"contextId":"{thread}",`)},
		},
		method: `{"jsonrpc":"2.0","id":7,"method":"{method}","params":{"id":"{run}","taskId":"{run}"}}`,
		reads:  []string{"GET /tasks/{run} ", "POST  " + a2aCall("GetTask", `"id":"{run}"`)},
		goesOn: "POST  " + a2aMessage("u3", "{thread}", "two"),
		answer: "POST  " + a2aApproves,
	},
	"agui": {
		begin: `POST /agent/a/run {"threadId":"{thread}","runId":"{run}","messages":[{"id":"u1","role":"user","content":"` + ownWord + `"}]}`,
		names: map[string]string{"thread": "thread-1001", "run": "run-1001"},
		bodies: map[string][]string{
			"run":     {aguiSays, aguiAnswers},
			"connect": {`{"threadId":"{thread}","messages":[]}`, `{"threadId":"{thread}","runId":"{run}","messages":[{"id":"u1","role":"user","content":"x"}]}`},
			"stop":    {"", "{}", `{"runId":"{run}"}`},
			"info":    {`{"method":"info"}`}, "agent/run": {`{"method":"agent/run","params":{"agentId":"a"},"body":` + aguiSays + `}`},
			"agent/connect": {`{"method":"agent/connect","params":{"agentId":"a"},"body":{"threadId":"{thread}","messages":[]}}`},
			"agent/stop": {`{"method":"agent/stop","params":{"agentId":"a","threadId":"{thread}"}}`,
				`{"method":"agent/stop","params":{"agentId":"a","threadId":"{thread}"},"body":{"runId":"{run}"}}`},
		},
		goesOn: "POST  " + strings.Replace(aguiSays, `"messages":[`, `"messages":[{"id":"u1","role":"user","content":"`+ownWord+`"},{"id":"a1","role":"assistant","content":"Hello, world"},`, 1),
		answer: "POST  " + strings.NewReplacer("u2", "u1", "mine", ownWord).Replace(aguiAnswers),
	},
	"aisdk": {
		begin:  `POST  {"id":"{thread}","trigger":"submit-message","messages":[` + aisdkUser + `]}`,
		names:  map[string]string{"thread": "thread-1001"},
		bodies: map[string][]string{"run": {aisdkSays(""), `{"id":"{thread}","trigger":"regenerate-message","messages":[` + aisdkMine + `]}`, aisdkSays(aisdkApproves)}},
		goesOn: "POST  " + aisdkSays(aisdkUser+`,{"id":"a1","role":"assistant","parts":[{"type":"text","text":"Hello, world"}]},`),
		answer: `POST  {"id":"{thread}","trigger":"submit-message","messages":[` + aisdkUser + "," + strings.TrimSuffix(aisdkApproves, ",") + `]}`,
	},
	"anthropic": {
		begin: "POST /v1/messages " + strings.Replace(threadBody("", ownWord), `"max_tokens"`, `"stream":true,"max_tokens"`, 1),
		names: map[string]string{"answer": `"message":{"id":"([^"]+)"`},
		bodies: map[string][]string{
			"run": {threadBody("{answer}", "mine"), strings.Replace(threadBody("{answer}", "mine"), `"max_tokens"`, `"stream":true,"max_tokens"`, 1)},
		},
		goesOn: "POST /v1/messages " + threadBody("{answer}", "two"),
	},
	"bedrock": {
		begin:  "POST /model/m/converse-stream " + strings.ReplaceAll(bedrockSays, "mine", ownWord),
		bodies: map[string][]string{"run": {bedrockSays}, "whole": {bedrockSays}},
		goesOn: `POST /model/m/converse {"messages":[{"role":"user","content":[{"text":"` + ownWord + `"}]},{"role":"assistant","content":[{"text":"Hello, world"}]},{"role":"user","content":[{"text":"two"}]}]}`,
	},
	"gemini": {
		begin:  "POST /v1beta/models/m:streamGenerateContent?alt=sse " + strings.ReplaceAll(geminiSays, "mine", ownWord),
		bodies: map[string][]string{"run": {geminiSays}, "whole": {geminiSays}},
		goesOn: `POST /v1beta/models/m:generateContent {"contents":[{"role":"user","parts":[{"text":"` + ownWord + `"}]},{"role":"model","parts":[{"text":"Hello, world"}]},{"role":"user","parts":[{"text":"two"}]}]}`,
	},
	"gemini-interactions": {
		begin: `POST /v1beta/interactions {"model":"m","stream":true,"input":"` + ownWord + `"}`,
		names: map[string]string{"answer": `"interaction":{"id":"([^"]+)"`},
		bodies: map[string][]string{
			"run":  {`{"model":"m","previous_interaction_id":"{answer}","input":"mine"}`, `{"model":"m","stream":true,"previous_interaction_id":"{answer}","input":"mine"}`},
			"stop": {"", "{}"},
		},
		reads:  []string{"GET /v1beta/interactions/{answer} "},
		also:   []string{"GET /v1beta/interactions/{answer}?stream=true ", "GET /v1beta/interactions/{answer}?stream=true&last_event_id=1 "},
		goesOn: `POST /v1beta/interactions {"model":"m","previous_interaction_id":"{answer}","input":"two"}`,
	},
	"langgraph": {
		begin: "POST /threads/{thread}/runs/stream " + said(ownWord),
		names: map[string]string{"thread": "thread-1001", "run": `"run_id":"([^"]+)"`},
		bodies: map[string][]string{
			"run":          {langgraphSays, langgraphAnswers, said("mine")},
			"whole":        {langgraphSays, langgraphAnswers, said("mine")},
			"new_thread":   {`{"thread_id":"{thread}"}`, `{"thread_id":"{thread}","if_exists":"do_nothing"}`},
			"find_threads": {"{}", `{"ids":["{thread}"]}`}, "update_thread": {`{"metadata":{"by":"bob"}}`},
			"history": {"{}"}, "stop": {"", "{}"}, "models": {"{}"}, "other": {`{"values":{}}`, langgraphSays},
			"command": {commandOf("run.start", said("mine")), commandOf("input.respond", `{"namespace":[],"interrupt_id":"{ask}","response":{"approved":true}}`)},
			"events":  {`{"channels":["lifecycle","messages","values","input"]}`},
		},
		reads:  []string{"GET /threads/{thread} ", "GET /threads/{thread}/state ", "GET /threads/{thread}/runs ", "GET /threads/{thread}/runs/{run} ", "POST /threads/search {}"},
		goesOn: "POST /threads/{thread}/runs/wait " + said("two"),
		answer: "POST /threads/{thread}/runs/wait " + langgraphAnswers,
	},
	"mastra": {
		begin: `POST /api/agents/a/stream {"messages":"` + ownWord + `","memory":{"thread":"{thread}","resource":"r"}}`,
		names: map[string]string{"thread": "thread-1001", "run": `"runId":"([^"]+)"`},
		bodies: map[string][]string{
			"run": {mastraSays, mastraAnswers, `{"runId":"{run}","toolCallId":"{call}","resumeData":{"approved":true}}`}, "whole": {mastraSays, mastraAnswers},
		},
		goesOn: "POST /api/agents/a/generate " + strings.Replace(mastraSays, "mine", "two", 1),
		answer: "POST /api/agents/a/approve-tool-call " + mastraAnswers,
	},
	"openai-chat": {
		begin:  "POST /v1/chat/completions " + chatSays(`{"role":"user","content":"`+ownWord+`"}`),
		bodies: map[string][]string{"run": {chatSays(`{"role":"user","content":"mine"}`)}},
		goesOn: "POST /v1/chat/completions " + chatSays(`{"role":"user","content":"`+ownWord+`"},{"role":"assistant","content":"Hello, world"},{"role":"user","content":"two"}`),
	},
	"openai-responses": {
		before: "POST /v1/conversations {}",
		begin:  `POST /v1/responses {"model":"m","stream":true,"conversation":"{thread}","input":"` + ownWord + `"}`,
		names:  map[string]string{"thread": `"id":"(conv[^"]+)"`, "answer": `"response":{"id":"([^"]+)"`},
		bodies: map[string][]string{
			"run":       {`{"model":"m","previous_response_id":"{answer}","input":"mine"}`, `{"model":"m","stream":true,"conversation":"{thread}","input":"mine"}`},
			"stop":      {"", "{}"},
			"add_items": {`{"items":[{"type":"message","role":"user","content":"mine"}]}`}, "new_thread": {`{"items":[]}`},
		},
		reads: []string{"GET /v1/responses/{answer} ", "GET /v1/responses/{answer}/input_items ", "GET /v1/conversations/{thread} ", "GET /v1/conversations/{thread}/items "},
		also: []string{"GET /v1/responses/{answer}?stream=true ", "GET /v1/responses/{answer}?stream=true&starting_after=0 ",
			"GET /v1/conversations/{thread}/items?limit=1&order=asc "},
		goesOn: `POST /v1/responses {"model":"m","previous_response_id":"{answer}","input":"two"}`,
	},
	"pydantic": {
		begin: "POST /{thread}/message/?session_id={run} content=" + ownWord,
		names: map[string]string{"thread": "thread-1001", "run": "session-1001"},
		bodies: map[string][]string{
			"run": {"content=mine"}, "new_thread": {"{}"}, "stop": {""}, "rejoin": {""}, "other": {"{}"},
		},
		reads:  []string{"GET /{thread}/messages/ ", "GET /{thread}/task-status "},
		also:   []string{"POST /{thread}/stop/?session_id={run} ", "POST /{thread}/resume/{run}?cursor=0-0 "},
		goesOn: "POST /{thread}/message/ content=two",
	},
	"simplified": {
		begin:  `POST  {"message":{"messageId":"{run}","chatId":"{thread}","content":"` + ownWord + `"},"focusMode":"chat","history":[],"files":[]}`,
		names:  map[string]string{"thread": "thread-1001", "run": "run-1001"},
		bodies: map[string][]string{"run": {simplifiedSays("{run}", "", "mine"), simplifiedSays("m2", "", "mine")}, "stop": {`{"messageId":"{run}"}`}, "other": {"{}"}},
		also:   []string{"GET /runs/{run}/stream?from=0 ", "GET /runs/{run}/stream?from=2&chatId={thread} "},
		none:   `{"type":"gone"}` + "\n",
		goesOn: "POST  " + simplifiedSays("m2", `["human","`+ownWord+`"],["assistant","Hello, world"]`, "two"),
	},
}

// creates are operations that may make what their path or body names, and so are not refused.
var creates = map[hub.Operation]bool{hub.OpRun: true, hub.OpWhole: true, hub.OpNewThread: true, hub.OpCommand: true}

const (
	mastraSays    = `{"messages":["mine"],"memory":{"thread":"{thread}","resource":"r"}}`
	mastraAnswers = `{"runId":"{run}","toolCallId":"{call}"}`

	aguiSays    = `{"threadId":"{thread}","runId":"r2","messages":[{"id":"u2","role":"user","content":"mine"}]}`
	aguiAnswers = `{"threadId":"{thread}","runId":"r2","messages":[{"id":"u2","role":"user","content":"mine"}],"resume":[{"interruptId":"{ask}","status":"resolved","payload":{"approved":true}}]}`

	aisdkUser     = `{"id":"u1","role":"user","parts":[{"type":"text","text":"` + ownWord + `"}]}`
	aisdkMine     = `{"id":"u2","role":"user","parts":[{"type":"text","text":"mine"}]}`
	aisdkApproves = `{"id":"a1","role":"assistant","parts":[{"type":"step-start"},{"type":"dynamic-tool","toolName":"drop","toolCallId":"{call}","state":"approval-responded","input":{},"approval":{"id":"{ask}","approved":true}}]},`

	geminiSays  = `{"contents":[{"role":"user","parts":[{"text":"mine"}]}]}`
	bedrockSays = `{"messages":[{"role":"user","content":[{"text":"mine"}]}]}`

	langgraphSays    = `{"assistant_id":"agent","input":{"messages":[{"type":"human","id":"u-mine","content":"mine"}]},"stream_mode":["messages-tuple"]}`
	langgraphAnswers = `{"assistant_id":"agent","command":{"resume":{"{ask}":{"approved":true}}},"stream_mode":["messages-tuple"]}`
)

func aisdkSays(before string) string {
	return `{"id":"{thread}","trigger":"submit-message","messages":[` + before + aisdkMine + `]}`
}

func simplifiedSays(id, history, said string) string {
	return `{"message":{"messageId":"` + id + `","chatId":"{thread}","content":"` + said + `"},"focusMode":"chat","history":[` + history + `],"files":[]}`
}

func chatSays(messages string) string {
	return `{"model":"m","stream":true,"messages":[` + messages + `]}`
}

// a2aParams is a message about a task or a context.
func a2aParams(about string) string {
	return `{"message":{"messageId":"u2",` + about + `"role":"ROLE_USER","parts":[{"text":"mine"}]}}`
}

const a2aApproves = `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"u2","taskId":"{run}","role":"ROLE_USER","parts":[{"data":{"approved":true}}]}}}`

// a2aAbout is the same as a call.
func a2aAbout(method, about string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + a2aParams(about) + `}`
}
