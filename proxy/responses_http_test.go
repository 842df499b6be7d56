package proxy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// responsesClient asks a route of the Responses API by HTTP.
type responsesClient struct {
	t    *testing.T
	r    *rig
	auth []string
}

// call makes a request, which must be answered with a status and hold some texts.
func (c *responsesClient) call(status int, method, path, body string, want ...string) string {
	c.t.Helper()
	conn := c.r.dial()
	defer conn.Close()
	conn.ask(method, "/openai/v1"+path, body, c.auth...)
	resp, got := conn.whole()
	if resp.StatusCode != status {
		c.t.Errorf("%s %s %s: status %d: %s", method, path, body, resp.StatusCode, got)
	}
	for _, part := range want {
		if !strings.Contains(got, part) {
			c.t.Errorf("%s %s has no %s: %s", method, path, part, got)
		}
	}
	return got
}

// say asks for a turn in one piece, and returns the id of the answer.
func (c *responsesClient) say(members, input string) string {
	c.t.Helper()
	return idIn(c.t, c.call(200, "POST", "/responses", fmt.Sprintf(`{"model":"m-1",%s"input":%q}`, members, input), "Hello, world"))
}

func idIn(t *testing.T, body string) string {
	t.Helper()
	var made struct{ ID string }
	if err := json.Unmarshal([]byte(body), &made); err != nil || made.ID == "" {
		t.Fatalf("%v: %s", err, body)
	}
	return made.ID
}

func previous(id string) string { return fmt.Sprintf(`"previous_response_id":%q,`, id) }

const openaiRoute = "client: openai-responses\nmethods: [GET, POST, DELETE]\nrequests: {mode: translate}"

// startOpenAI starts a proxy with a route for clients of the Responses API.
func startOpenAI(t *testing.T, agent *agent, global, route string) *responsesClient {
	yaml := simple(agent.url(), global, "", openaiRoute+route)
	return &responsesClient{t: t, r: start(t, strings.Replace(yaml, "path: /run", "path: /openai/*", 1))}
}

// TestPreviousResponses: clients of the Responses API continue any answer by its id, and the agent receives all that was said up to it.
// Instructions hold for their own request alone.
func TestPreviousResponses(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	c := startOpenAI(t, agent, "", "")
	one := c.say(`"instructions":"Be brief.",`, "one")
	wantMessages(t, (<-asked).body, "system:Be brief.", "user:one")
	two := c.say(previous(one), "two")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")
	c.say(`"instructions":"Be long.",`+previous(one), "other")
	wantMessages(t, (<-asked).body, "system:Be long.", "user:one", "agent:Hello, world", "user:other")
	stream := c.call(200, "POST", "/responses", `{"stream":true,`+previous(two)+`"input":"three"}`, `"previous_response_id":"`+two+`"`)
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two", "agent:Hello, world", "user:three")
	_, three, _ := strings.Cut(stream, `"response":{"id":"`)
	three, _, _ = strings.Cut(three, `"`)
	c.say(previous(three), "four")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two", "agent:Hello, world", "user:three", "agent:Hello, world", "user:four")

	unknown := func(id string) {
		t.Helper()
		c.call(400, "POST", "/responses", `{`+previous(id)+`"input":"x"}`, `"type":"invalid_request_error","param":"previous_response_id","code":"previous_response_not_found"`)
	}
	unknown("resp_x")
	unstored := c.say(`"store":false,`+previous(one), "x")
	<-asked
	unknown(unstored)
	c.call(404, "GET", "/responses/"+unstored, "", `"error":{`)
	c.call(400, "POST", "/responses", `{"background":true,"input":"x"}`, "background")
	c.call(400, "POST", "/responses", `{`+previous(one)+`"conversation":"conv_x","input":"x"}`, "previous_response_id")
}

// TestStoredResponses: an answer can be asked for again, as it was given, with what was said before, and be deleted. What goes on from
// it stays.
func TestStoredResponses(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	c := startOpenAI(t, agent, "", "")
	given := c.call(200, "POST", "/responses", `{"model":"m-1","input":"one","metadata":{"k":"v"}}`)
	<-asked
	one := idIn(t, given)
	if again := c.call(200, "GET", "/responses/"+one, ""); again != given {
		t.Errorf("given was %s, again it is\n%s", given, again)
	}
	stream := c.call(200, "POST", "/responses", `{"stream":true,`+previous(one)+`"input":"two"}`)
	<-asked
	_, last, _ := strings.Cut(stream, "event: response.completed\ndata: ")
	var completed struct{ Response json.RawMessage }
	if err := json.NewDecoder(strings.NewReader(last)).Decode(&completed); err != nil {
		t.Fatal(err)
	}
	two := idIn(t, string(completed.Response))
	if again := c.call(200, "GET", "/responses/"+two, ""); again != string(completed.Response) {
		t.Errorf("streamed was %s, again it is\n%s", completed.Response, again)
	}
	c.call(200, "GET", "/responses/"+two+"/input_items", "", `"object":"list"`, `"has_more":false`, `"text":"one"`, `"text":"Hello, world"`, `"text":"two"`)
	first := c.call(200, "GET", "/responses/"+two+"/input_items?order=asc&limit=1", "", `"has_more":true`, `"text":"one"`)
	var page struct {
		LastID string `json:"last_id"`
	}
	if err := json.Unmarshal([]byte(first), &page); err != nil {
		t.Fatal(err)
	}
	rest := c.call(200, "GET", "/responses/"+two+"/input_items?order=asc&after="+page.LastID, "", `"has_more":false`, `"text":"two"`)
	if strings.Contains(rest, `"text":"one"`) {
		t.Errorf("the second page begins anew: %s", rest)
	}
	if said := c.call(400, "GET", "/responses/"+two+"?stream=true", "", "stream"); strings.Contains(said, "byte") {
		t.Errorf("a fault of the query stands at a byte of the body: %s", said)
	}
	c.call(200, "DELETE", "/responses/"+one, "", `{"id":"`+one+`","object":"response.deleted","deleted":true}`)
	c.call(404, "GET", "/responses/"+one, "")
	c.call(400, "POST", "/responses", `{`+previous(one)+`"input":"x"}`, "previous_response_not_found")
	c.say(previous(two), "three")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two", "agent:Hello, world", "user:three")
}

// TestResponseInProgress: an answer that has not ended cannot be continued, but can be read.
func TestResponseInProgress(t *testing.T) {
	t.Parallel()
	going := make(chan bool)
	agent := newAgent(t, func(p *peer) {
		if p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			<-going
			p.finish(lines(lineEnd))
		}
	})
	c := startOpenAI(t, agent, "", "")
	slow := c.r.dial()
	slow.ask("POST", "/openai/v1/responses", `{"stream":true,"input":"one"}`)
	body := slow.response().Body
	begun := make([]byte, 200)
	if _, err := io.ReadFull(body, begun); err != nil {
		t.Fatal(err)
	}
	_, id, _ := strings.Cut(string(begun), `"response":{"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	c.call(200, "GET", "/responses/"+id, "", `"id":"`+id+`"`, `"status":"in_progress"`)
	c.call(400, "POST", "/responses", `{`+previous(id)+`"input":"two"}`, `"param":"previous_response_id","code":"answer_unfinished"`)
	close(going)
	if _, err := io.ReadAll(body); err != nil {
		t.Fatal(err)
	}
	c.call(200, "GET", "/responses/"+id, "", `"status":"completed"`)
}

// TestConversations: clients of the Responses API begin conversations, add to them, have turns in them, read and forget them.
func TestConversations(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	c := startOpenAI(t, agent, "", "")
	made := c.call(200, "POST", "/conversations", `{"metadata":{"k":"v"},"items":[{"type":"message","role":"user","content":"zero"}]}`,
		`"object":"conversation"`, `"metadata":{"k":"v"}`, `"id":"conv_`)
	conv := idIn(t, made)
	at := "/conversations/" + conv
	if again := c.call(200, "GET", at, ""); again != made {
		t.Errorf("made was %s, then it is %s", made, again)
	}
	c.call(200, "POST", at+"/items", `{"items":[{"role":"developer","content":"Be brief."}]}`, `"object":"list"`, `"text":"Be brief."`)
	one := c.say(`"conversation":"`+conv+`",`, "one")
	wantMessages(t, (<-asked).body, "user:zero", "system:Be brief.", "user:one")
	c.call(200, "POST", "/responses", `{"conversation":{"id":"`+conv+`"},"input":"two"}`, `"conversation":{"id":"`+conv+`"}`)
	wantMessages(t, (<-asked).body, "user:zero", "system:Be brief.", "user:one", "agent:Hello, world", "user:two")
	c.say(previous(one), "aside")
	wantMessages(t, (<-asked).body, "user:zero", "system:Be brief.", "user:one", "agent:Hello, world", "user:aside")
	items := c.call(200, "GET", at+"/items?order=asc&limit=100", "", `"has_more":false`)
	var list struct{ Data []struct{ ID, Role string } }
	if err := json.Unmarshal([]byte(items), &list); err != nil {
		t.Fatal(err)
	}
	roles, ids := "", map[string]bool{}
	for _, item := range list.Data {
		roles += item.Role + " "
		ids[item.ID] = true
	}
	if roles != "user system user assistant user assistant " || len(ids) != 6 {
		t.Errorf("the items are %s", items)
	}
	c.call(404, "POST", "/responses", `{"conversation":"conv_x","input":"x"}`)
	c.call(404, "GET", "/conversations/conv_x", "")
	c.call(404, "POST", "/conversations/conv_x/items", `{"items":[]}`)
	c.call(400, "POST", "/conversations", `[`)
	c.call(200, "DELETE", at, "", `"object":"conversation.deleted","deleted":true`)
	c.call(404, "GET", at+"/items", "")
	if resp, _ := c.r.post("/openai/v1/conversations", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("a conversation of which nothing is said: %d", resp.StatusCode)
	}
}

// TestLockedConversation: a conversation has one turn at a time.
func TestLockedConversation(t *testing.T) {
	t.Parallel()
	agent, gone := endlessAgent(t)
	c := startOpenAI(t, agent, "", "")
	conv := idIn(t, c.call(200, "POST", "/conversations", ""))
	slow := c.r.dial()
	slow.ask("POST", "/openai/v1/responses", `{"stream":true,"conversation":"`+conv+`","input":"one"}`)
	if _, err := io.ReadFull(slow.response().Body, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	c.call(409, "POST", "/responses", `{"conversation":"`+conv+`","input":"two"}`, `"code":"conversation_locked"`)
	c.call(409, "POST", "/conversations/"+conv+"/items", `{"items":[]}`, `"code":"conversation_locked"`)
	slow.Close()
	<-gone
}

// TestPrincipalsOfResponses: no principal continues, reads, cancels or deletes the answers and conversations of another.
func TestPrincipalsOfResponses(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	c := startOpenAI(t, agent, "", "")
	c.auth = []string{"Authorization: Bearer own"}
	conv := idIn(t, c.call(200, "POST", "/conversations", ""))
	one := c.say(`"conversation":"`+conv+`",`, "one")
	<-asked
	other := *c
	other.auth = []string{"Authorization: Bearer other"}
	other.call(400, "POST", "/responses", `{`+previous(one)+`"input":"x"}`, "previous_response_not_found")
	other.call(404, "POST", "/responses", `{"conversation":"`+conv+`","input":"x"}`)
	for _, path := range []string{"/responses/" + one, "/responses/" + one + "/input_items", "/conversations/" + conv, "/conversations/" + conv + "/items"} {
		other.call(404, "GET", path, "")
	}
	other.call(404, "POST", "/responses/"+one+"/cancel", "")
	other.call(404, "POST", "/conversations/"+conv+"/items", `{"items":[]}`)
	other.call(404, "DELETE", "/responses/"+one, "")
	other.call(404, "DELETE", "/conversations/"+conv, "")
	c.call(200, "GET", "/responses/"+one, "")
	c.call(200, "GET", "/conversations/"+conv, "")
	if n := agent.connections(); n > 1 {
		t.Errorf("%d connections", n)
	}
}

// TestForgottenResponses: what was not used for some time leaves nothing.
func TestForgottenResponses(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	c := startOpenAI(t, agent, "threads: {keep: 1ns}", "")
	one := c.say("", "one")
	<-asked
	c.call(400, "POST", "/responses", `{`+previous(one)+`"input":"two"}`, "previous_response_not_found")
	if n, bytes := c.r.metric("sabir_threads"), c.r.metric("sabir_threads_bytes"); n != 0 || bytes != 0 {
		t.Errorf("%v names and %v bytes are left", n, bytes)
	}
	off := startOpenAI(t, agent, "threads: {max: 0}", "")
	one = off.say("", "one")
	off.call(400, "POST", "/responses", `{`+previous(one)+`"input":"two"}`, "previous_response_not_found")
	off.call(404, "GET", "/responses/"+one, "")
}

// TestApprovalsByPreviousResponse: the answer to a question goes to the call in the answer before, wherever the agent wants it.
func TestApprovalsByPreviousResponse(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	agent := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			if strings.Contains(string(p.body), `"approved":true`) {
				asked <- string(p.body)
				p.finish(lines(lineStart, `{"kind":"tool.end","id":"c1","status":"ok","text":"done"}`, lineHello, lineEnd))
				continue
			}
			p.finish(lines(lineStart, `{"kind":"tool.start","id":"c1","name":"delete"}`, `{"kind":"tool.ready","id":"c1","name":"delete","value":{}}`,
				`{"kind":"ask","id":"q1","ref":"c1","what":"permission"}`, `{"kind":"run.end","status":"paused"}`))
		}
	})
	c := startOpenAI(t, agent, "", "")
	first := c.call(200, "POST", "/responses", `{"input":"delete it"}`, `"type":"mcp_approval_request"`)
	answer := `{` + previous(idIn(t, first)) + `"input":[{"type":"mcp_approval_response","approval_request_id":"mcpr_q1","approve":true}]}`
	c.call(200, "POST", "/responses", answer, "Hello")
	if body := <-asked; !strings.Contains(body, `"approval":{"id":"q1","decided":true,"approved":true}`) {
		t.Errorf("the agent received %s", body)
	}
	c.call(200, "POST", "/responses", answer, "Hello") // another line of the conversation, in which the question is open
	<-asked
}
