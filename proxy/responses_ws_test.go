package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"
)

// responsesEvent is what the tests look at in an event of the Responses API.
type responsesEvent struct {
	Type     string `json:"type"`
	Sequence int    `json:"sequence_number"`
	Stream   string `json:"stream_id"`
	Delta    string `json:"delta"`
	Response struct {
		ID, Model, Status string
		Error             struct{ Code string }
		Tools             []any
		Output            []struct{ Content []struct{ Text string } }
	} `json:"response"`
}

// response reads the events of one response.
func (c *wsClient) response() (all []responsesEvent) {
	c.t.Helper()
	for {
		var ev responsesEvent
		text := c.hear()
		if err := json.Unmarshal([]byte(text), &ev); err != nil {
			c.t.Fatalf("%v in %s", err, text)
		}
		all = append(all, ev)
		switch ev.Type {
		case "response.completed", "response.failed", "response.incomplete", "error":
			return all
		}
	}
}

// TestResponsesClientByWebSocket answers many requests on one socket, each as a response of its own: with the sub-agent and the
// model of its request, and numbers that begin anew.
func TestResponsesClientByWebSocket(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok()
			p.finish(smallRun)
		}
	})
	r := start(t, simple(a.url(), "", "", "client: openai-responses\n"))
	c := r.dialWS("/run")
	ids := map[string]bool{}
	for _, subAgent := range []string{"a", "", "b.1"} {
		ask := `{"type":"response.create","model":"m-1","input":"hi","tools":[{"type":"function","name":"f"}]`
		if subAgent != "" {
			ask += `,"stream_id":"` + subAgent + `"`
		}
		c.say(ask + "}")
		all := c.response()
		text := ""
		for i, ev := range all {
			if ev.Stream != subAgent || ev.Sequence != i {
				t.Errorf("event %d of lane %q: %+v", i, subAgent, ev)
			}
			text += ev.Delta
		}
		first, last := all[0], all[len(all)-1]
		if first.Type != "response.created" || first.Response.Model != "m-1" || len(first.Response.Tools) != 1 {
			t.Errorf("the response begins with %+v", first)
		}
		if last.Response.Status != "completed" || text != "Hello, world" || last.Response.Output[0].Content[0].Text != text {
			t.Errorf("streamed %q, and at the end %+v", text, last)
		}
		ids[first.Response.ID] = true
	}
	if len(ids) != 3 { // though the agent calls all of its runs r1
		t.Errorf("three responses have the ids %v", ids)
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)

	dead := start(t, simple("http://127.0.0.1:1/", "", "", "client: openai-responses\n"))
	c = dead.dialWS("/run")
	c.say(`{"type":"response.create","input":"hi","stream_id":"a"}`)
	all := c.response()
	if last := all[len(all)-1]; last.Type != "response.failed" || last.Stream != "a" || last.Response.Error.Code != "server_error" {
		t.Errorf("got %+v", last)
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
}

// responseOf is a small response, as a server sends it by WebSocket.
func responseOf(id, subAgent, text string) []string {
	if subAgent != "" {
		subAgent = `,"stream_id":"` + subAgent + `"`
	}
	item := fmt.Sprintf(`{"id":"msg_%s","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"text":%q}]}`, id, text)
	return []string{
		fmt.Sprintf(`{"type":"response.created","response":{"id":%q,"created_at":1,"model":"m","status":"in_progress","output":[]},"sequence_number":0%s}`, id, subAgent),
		fmt.Sprintf(`{"type":"response.output_text.delta","item_id":"msg_%s","output_index":0,"content_index":0,"delta":%q,"sequence_number":1%s}`, id, text, subAgent),
		fmt.Sprintf(`{"type":"response.completed","response":{"id":%q,"created_at":1,"model":"m","status":"completed","output":[%s]},"sequence_number":2%s}`, id, item, subAgent),
	}
}

// TestResponsesUpstreamByWebSocket: the request is a message, each event of the response one, and the connection that the
// server keeps open is given up.
func TestResponsesUpstreamByWebSocket(t *testing.T) {
	t.Parallel()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		if _, p, err := c.ReadMessage(); err != nil || !strings.Contains(string(p), "response.create") {
			t.Errorf("the agent hears %q, %v", p, err)
		}
		for _, m := range responseOf("r1", "", "Hello") {
			_ = c.WriteMessage(websocket.TextMessage, []byte(m))
		}
		listen(c)
	})
	r := start(t, strings.Replace(simple(a.url(), "", "", "client: native\n"), "dialect: native", "dialect: openai-responses", 1))
	_, body := r.post("/run", `{"type":"response.create","input":"hi"}`)
	inOrder(t, "native", body, []string{`"run.start"`, `"id":"r1"`, `"text":"Hello"`, `"run.end","status":"done"`})
}

// TestResponsesSession copies a socket as a whole: its responses build on each other, and those of two sub-agents are mixed.
func TestResponsesSession(t *testing.T) {
	t.Parallel()
	one, two, three := responseOf("r1", "a", "one"), responseOf("r2", "b", "two"), responseOf("r3", "a", "three")
	mixed := []string{one[0], two[0], one[1], one[2], two[1], two[2]}
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		for _, answer := range [][]string{mixed, three} {
			if _, _, err := c.ReadMessage(); err != nil {
				t.Errorf("the agent hears nothing: %v", err)
				return
			}
			for _, m := range answer {
				_ = c.WriteMessage(websocket.TextMessage, []byte(m))
			}
		}
		listen(c)
	})
	yaml := simple(a.url(), "", "options: {socket: session}\n", "client: openai-responses\n")
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: openai-responses", 1))
	c := r.dialWS("/run")
	for _, answer := range [][]string{mixed, three} {
		c.say(`{"type":"response.create","input":"hi"}`)
		for _, want := range answer {
			if got := c.hear(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
	}
	goodbye(c.Conn, websocket.CloseNormalClosure)
}

// TestResponsesGoOn: clients open a WebSocket with a request that wants no answer, and then send only what is new: what was said
// before is known on their connection alone, and the agent receives all of it.
func TestResponsesGoOn(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", `request: '$messages'`, "client: openai-responses\n"))
	c := r.dialWS("/run")
	f := func(member, previous, input, want string) string {
		t.Helper()
		c.say(`{"type":"response.create","model":"m-1",` + member + `"previous_response_id":` + previous + `,"input":` + input + `}`)
		all := c.response()
		last := all[len(all)-1]
		if all[0].Type != "response.created" || last.Type != "response.completed" || all[0].Response.ID != last.Response.ID {
			t.Errorf("the response is %+v", all)
		}
		if want != "" {
			if got := <-asked; got.body != want {
				t.Errorf("the agent got  %s\nwant %s", got.body, want)
			}
		} else if n := agent.connections(); n != 0 || len(last.Response.Output) != 0 {
			t.Errorf("the agent was asked, and the client got %+v", last)
		}
		return `"` + last.Response.ID + `"`
	}
	first := f(`"generate":false,`, "null", `[{"type":"message","role":"developer","content":"Be brief."}]`, "")
	history := `[{"role":"system","content":"Be brief."},{"role":"user","content":"one"}`
	second := f("", first, `"one"`, history+`]`)
	history += `,{"role":"assistant","content":"Hello, world"}`
	f("", second, `"two"`, history+`,{"role":"user","content":"two"}]`)
	f("", second, `"other"`, history+`,{"role":"user","content":"other"}]`)

	const unknown = `{"type":"response.create","previous_response_id":"resp_else","input":"hi"}`
	for _, other := range []*wsClient{c, r.dialWS("/run")} {
		other.say(strings.Replace(unknown, "resp_else", strings.Trim(second, `"`)+"x", 1))
		if all := other.response(); all[len(all)-1].Type != "response.failed" && all[len(all)-1].Type != "error" {
			t.Errorf("an answer that is not known was gone on from: %+v", all)
		}
	}
}
