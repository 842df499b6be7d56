package proxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// mastraServer asks whether a call may run, and takes the answer from whomever.
func mastraServer(t *testing.T) (server *agent, asked chan string) {
	asked = make(chan string, 16)
	chunk := func(typ, payload string) string {
		return `data: {"type":"` + typ + `","runId":"R","from":"AGENT","payload":{` + payload + "}}\n\n"
	}
	const call = `"toolCallId":"c1","toolName":"rm","args":{"path":"a"}`
	server = newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- req.URL.Path + " " + string(p.body)
			p.ok("Content-Type: text/event-stream")
			if strings.HasSuffix(req.URL.Path, "/stream") {
				p.finish(chunk("start", "") + chunk("step-start", "") + chunk("tool-call", call) + chunk("tool-call-approval", call) + "data: [DONE]\n\n")
			} else {
				p.finish(chunk("step-start", "") + chunk("tool-result", `"toolCallId":"c1","toolName":"rm","result":"gone"`) +
					chunk("finish", `"stepResult":{"reason":"stop"}`) + "data: [DONE]\n\n")
			}
		}
	})
	return server, asked
}

// TestAnswersOfThoseAsked: a server that takes an answer by the names of run and call gets it only from the client that was asked; clients
// that say nothing of who they are are one.
func TestAnswersOfThoseAsked(t *testing.T) {
	t.Parallel()
	server, asked := mastraServer(t)
	r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  a: {url: '"+strings.TrimSuffix(server.url(), "/stream")+"/api/agents/x', dialect: mastra}\nroutes:\n  - {path: /run, upstream: a, client: agui, requests: {mode: translate}}\n")
	ask := func(who string) {
		t.Helper()
		r.call(t, 200, who, "POST", "/run", aguiBody("t1", turn1), `"interrupts":[{"id":"R:c1"`)
		if got := <-asked; !strings.HasPrefix(got, "/api/agents/x/stream ") {
			t.Error(got)
		}
	}
	answer := func(status int, who, id string) {
		t.Helper()
		body := aguiBody("t1", turn1+askedCall, `,"resume":[{"interruptId":"`+id+`","status":"resolved","payload":{"approved":true}}]`)
		if status != 200 {
			r.call(t, status, who, "POST", "/run", body, `"code":"ask_unknown"`)
			return
		}
		r.call(t, status, who, "POST", "/run", body, `"content":"gone"`)
		if got := <-asked; got != `/api/agents/x/approve-tool-call {"runId":"R","toolCallId":"c1"}` {
			t.Error(got)
		}
	}
	ask(alice)
	answer(409, bob, "R:c1")
	answer(409, alice, "R:c2")
	answer(409, "X-Other: 1", "R:c1")
	answer(200, alice, "R:c1")
	ask("X-Other: 1")
	answer(200, "X-Other: 2", "R:c1")
}

// TestAsksOfOtherServers: a question of a server that knows by itself who was asked is not remembered.
func TestAsksOfOtherServers(t *testing.T) {
	t.Parallel()
	for _, d := range []string{"agui", "langgraph", "mastra"} {
		r := start(t, "listen: 127.0.0.1:0\nupstreams:\n  a: {url: 'http://127.0.0.1:1/api/agents/x', dialect: "+d+"}\nroutes:\n  - {path: /run, upstream: a, client: agui, requests: {mode: translate}}\n")
		route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
		c := &call{route: route, scope: "s"}
		c.rememberAsk(&hub.Event{Kind: hub.Ask, ID: []byte("q1")})
		if _, err := route.runs.Find(c.askKey([]byte("q1"))); (err == nil) != (d == "mastra") {
			t.Errorf("a question of %s: %v", d, err)
		}
	}
}

// askingIn is a call in a conversation of a route whose server takes answers from whomever.
func askingIn(t *testing.T, r *rig, thread string) *call {
	t.Helper()
	route, _ := r.table.Load().find(urls.Path{Raw: "/run", Plain: "/run"})
	c := &call{route: route, scope: "s", unique: randomID()}
	if thread != "" {
		c.asked = &hub.Request{Thread: []byte(thread)}
	}
	return c
}

// TestQuestionsOfOthersStay: an agent that asks by new names without end, or by very long ones, makes Sabir forget questions of that conversation
// alone, and they are counted; no question takes a lease, which would be renewed for ever.
func TestQuestionsOfOthersStay(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		for _, thread := range []string{"flooded", ""} {
			t.Run(fmt.Sprint(shared, thread), func(t *testing.T) {
				t.Parallel()
				address, store := redisIf(t, shared), ""
				if shared {
					store = storeYAML(address, prefixed(t))
				}
				r := start(t, store+"listen: 127.0.0.1:0\nthreads: {max: 300, memory: 16MiB}\nupstreams:\n  a: {url: 'http://127.0.0.1:1/api/agents/x', dialect: mastra}\n"+
					"routes:\n  - {path: /run, upstream: a, client: agui, requests: {mode: translate}}\n")
				ask := func(c *call, id string) {
					x := &stream{server: r.Server, call: c}
					x.noteAsk(&hub.Event{Kind: hub.Ask, ID: []byte(id)})
				}
				known := func(c *call, id string) bool {
					_, err := c.route.runs.Find(c.askKey([]byte(id)))
					return err == nil
				}
				other, flooded := askingIn(t, r, "other"), askingIn(t, r, thread)
				ask(other, "mine")
				for i := range 400 {
					ask(flooded, fmt.Sprint("q", i))
				}
				for i := range 400 {
					ask(flooded, strings.Repeat("x", 1<<20)+fmt.Sprint(i))
				}
				if !known(other, "mine") || !known(flooded, "q399") || !known(flooded, "q300") || known(flooded, "q200") {
					t.Errorf("known: %t, %t, %t, %t", known(other, "mine"), known(flooded, "q399"), known(flooded, "q300"), known(flooded, "q200"))
				}
				if n := r.metric("sabir_asks_total", "upstream=a", "outcome=forgotten"); n != 400-maxAsks+400 {
					t.Errorf("%v questions count as forgotten", n)
				}
				if shared {
					client := redistest.Client(address)
					defer client.Close()
					if n := len(redistest.Keys(t, client, keyPrefix(t)+"hold:")); n > 0 {
						t.Errorf("%d questions have leases", n)
					}
				}
			})
		}
	}
}
