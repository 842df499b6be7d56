package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
)

// editorMethods are what bob says by each method of a dialect whose clients stay on a connection, about the conversation {session} with the
// question {ask}, and what the answer has to hold. "" is the answer to a question, which is no method.
var editorMethods = map[string]map[string]struct{ params, want string }{
	"acp": {
		"initialize":     {`"protocolVersion":1`, `"protocolVersion":1`},
		"authenticate":   {`"methodId":"x"`, `"result":{}`},
		"session/new":    {`"cwd":"/","mcpServers":[]`, `"sessionId"`},
		"session/load":   {`"sessionId":"{session}","cwd":"/","mcpServers":[]`, `"error"`},
		"session/resume": {`"sessionId":"{session}","cwd":"/","mcpServers":[]`, `"error"`},
		"session/prompt": {`"sessionId":"{session}","prompt":[{"type":"text","text":"mine"}]`, `"error"`},
		"session/cancel": {`"sessionId":"{session}"`, ""},
		"session/close":  {`"sessionId":"{session}"`, `"result":{}`},
		"":               {`"outcome":{"outcome":"selected","optionId":"allow"}`, ""},
	},
}

// TestPrincipalsOfEditors: the same for clients that stay on a connection, by WebSocket and by HTTP, while a turn asks and when it has ended.
func TestPrincipalsOfEditors(t *testing.T) {
	t.Parallel()
	for _, d := range adapters.All() {
		if d.NewFace == nil {
			continue
		}
		for _, method := range d.Methods {
			if _, known := editorMethods[d.Name][method]; !known {
				t.Errorf("the method %s of %s is not covered", method, d.Name)
			}
		}
		for _, byHTTP := range []bool{false, true} {
			for _, keys := range []bool{false, true} {
				for _, asks := range []bool{false, true} {
					t.Run(fmt.Sprintf("%s/http=%t/keys=%t/asks=%t", d.Name, byHTTP, keys, asks), func(t *testing.T) {
						t.Parallel()
						tryEditors(t, d.Name, byHTTP, keys, asks)
					})
				}
			}
		}
	}
}

// editorPair is an editor of alice's and one of bob's at one route.
func editorPair(t *testing.T, dialect string, byHTTP, keys bool) (alices, bobs *editor, connect func(session string)) {
	t.Helper()
	top, route, a, b := "threads: {principal: [Authorization]}\n", "", "alice", "bob"
	if keys {
		top, route, a, b = keysYAML(), "auth: [keys]\n", aliceKey, bobKey
	}
	asks := lines(lineStart, `{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"tool.ready","id":"c1","name":"drop","value":{}}`,
		`{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`, `{"kind":"run.end","status":"paused"}`)
	var asked atomic.Bool
	agent := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), "delete") && !asked.Swap(true) {
				p.finish(asks)
			} else {
				p.finish(smallRun)
			}
		}
	})
	r := start(t, simple(agent.url(), top, "", "client: "+dialect+"\n"+route+"methods: [GET, POST, DELETE]\nrequests: {mode: translate}"))
	if !byHTTP {
		return r.dialEditor("/run", "Authorization: Bearer "+a), r.dialEditor("/run", "Authorization: Bearer "+b), func(string) {}
	}
	h, alices := r.dialHTTPEditor("/run", a)
	other, bobs := r.dialHTTPEditor("/run", b)
	stolen := r.httpEditor(other.header.Clone())
	stolen.header.Set("Acp-Connection-Id", h.header.Get("Acp-Connection-Id"))
	for _, method := range []string{"GET", "POST", "DELETE"} {
		resp, text := stolen.do(method, "/run", `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}`, "")
		if resp.StatusCode != http.StatusNotFound || resp.Header.Get("X-Sabir-Error") != "connection_unknown" {
			t.Errorf("bob, at the connection of alice, gets for %s %s %s", method, resp.Status, text)
		}
	}
	return alices, bobs, func(session string) {
		h.read("/run", session, alices)
		other.read("/run", session, bobs) // what is said of it at bob's connection
		other.read("/run", strings.Map(anotherDigit, session), bobs)
	}
}

func tryEditors(t *testing.T, dialect string, byHTTP, keys, asks bool) {
	alices, bobs, connect := editorPair(t, dialect, byHTTP, keys)
	bobs.calls = 100
	session := alices.begin()
	connect(session)
	question := struct{ ID string }{"q1"}
	if asks {
		alices.ask(session, ownWord+" delete")
		all := strings.Split(strings.TrimSpace(alices.await("session/request_permission")), "\n")
		if err := json.Unmarshal([]byte(all[len(all)-1]), &question); err != nil {
			t.Fatal(err)
		}
	} else {
		alices.holds(alices.prompt(session, ownWord), "Hello", "end_turn")
	}
	for method, said := range editorMethods[dialect] {
		for _, name := range []string{session, strings.Map(anotherDigit, session)} {
			params := strings.ReplaceAll(said.params, "{session}", name)
			switch {
			case method == "":
				bobs.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{%s}}`, question.ID, params))
			case said.want == "":
				bobs.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{%s}}`, method, params))
			default:
				got := bobs.call(method, params)
				if bobs.holds(got, said.want); strings.Contains(got, ownWord) || strings.Contains(got, "Hello") {
					t.Errorf("bob gets for %s %s", method, got)
				}
			}
		}
	}
	if asks {
		alices.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`, question.ID))
		alices.holds(alices.await("stopReason"), "Hello", `"end_turn"`)
	}
	alices.holds(alices.prompt(session, "two"), "Hello", `"end_turn"`)
}
