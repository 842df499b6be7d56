package proxy

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// atMastra is the URL of the agent of a [mastraServer], as a configuration has it.
func atMastra(server *agent) string {
	return "{url: '" + strings.TrimSuffix(server.url(), "/stream") + "/api/agents/x', dialect: mastra}"
}

// TestHistoryAtMastra: a server of Mastra keeps nothing of a conversation whose thread it is not given, so that it is remembered for clients which
// say only what is new. Where nothing is remembered they are refused: the server would take each turn for the first one.
func TestHistoryAtMastra(t *testing.T) {
	t.Parallel()
	server, asked := mastraServer(t)
	yaml := "upstreams:\n  a: " + atMastra(server) + "\nroutes:\n  - {path: /run, upstream: a, client: a2a, requests: {mode: translate}}\n"
	r := start(t, "listen: 127.0.0.1:0\n"+yaml)
	resp, body := r.post("/run", a2aMessage("u1", "", "one"))
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", resp.StatusCode, body)
	}
	const one, two = `{"role":"user","content":[{"type":"text","text":"one"}]}`, `{"role":"user","content":[{"type":"text","text":"two"}]}`
	if got := <-asked; !strings.HasSuffix(got, `{"messages":[`+one+`]}`) {
		t.Error(got)
	}
	r.post("/run", a2aMessage("u2", a2aContext(t, body), "two"))
	if got := <-asked; !strings.HasSuffix(got, `{"messages":[`+one+","+two+`]}`) {
		t.Errorf("the server is asked %s", got)
	}
	forgetful := start(t, "listen: 127.0.0.1:0\nthreads: {max: 0}\n"+yaml)
	if _, body := forgetful.post("/run", a2aMessage("u2", "t1", "two")); !strings.Contains(body, "history_missing") || len(asked) > 0 {
		t.Errorf("nothing is remembered: %s", body)
	}
}

// TestAnswersFit: a tool of Mastra's that waits for a form gets one from a client that answers in words, and one that waits for words gets the
// only field of a form.
func TestAnswersFit(t *testing.T) {
	t.Parallel()
	for schema, answers := range map[string][2]string{
		`{"type":"object","properties":{"colour":{"type":"string"}}}`: {`"blue"`, `{"colour":"blue"}`},
		`{"type":"string"}`: {`{"answer":"blue"}`, `"blue"`},
	} {
		asked := make(chan string, 2)
		server := newAgent(t, func(p *peer) {
			for req := p.request(); req != nil; req = p.request() {
				asked <- req.URL.Path + " " + string(p.body)
				p.ok("Content-Type: text/event-stream")
				p.finish(`data: {"type":"tool-call-suspended","runId":"R","from":"AGENT","payload":{"toolCallId":"c1","toolName":"choose","suspendPayload":{},"resumeSchema":` +
					strconv.Quote(schema) + "}}\n\ndata: [DONE]\n\n")
			}
		})
		r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  a: "+atMastra(server)+"\nroutes:\n  - {path: /run, upstream: a, client: agui, requests: {mode: translate}}\n")
		r.call(t, 200, alice, "POST", "/run", aguiBody("t1", turn1), `"id":"R:c1"`)
		<-asked
		r.call(t, 200, alice, "POST", "/run", aguiBody("t1", turn1+askedCall, `,"resume":[{"interruptId":"R:c1","status":"resolved","payload":`+answers[0]+`}]`))
		if got, want := <-asked, `/api/agents/x/resume-stream {"runId":"R","toolCallId":"c1","resumeData":`+answers[1]+`}`; got != want {
			t.Errorf("%s: the server is asked %s, want %s", schema, got, want)
		}
	}
}
