package proxy

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// response is an answer in one piece, or what stands at the end of a stream.
type response struct {
	ID     string
	Output []json.RawMessage
}

// asked is the question that an answer ends with, and its id.
func (r *response) asked(t *testing.T) (item, id string) {
	t.Helper()
	for _, raw := range r.Output {
		var of struct{ ID, Type string }
		if err := json.Unmarshal(raw, &of); err == nil && of.Type == "mcp_approval_request" {
			return string(raw), of.ID
		}
	}
	t.Fatalf("nothing is asked: %s", r.Output)
	return "", ""
}

func answeredBy(t *testing.T, body string) (r response) {
	t.Helper()
	var at any = &r
	if _, last, streams := strings.Cut(body, "event: response.completed\ndata: "); streams {
		body, _, _ = strings.Cut(last, "\n")
		at = &struct{ Response *response }{&r}
	}
	if err := json.Unmarshal([]byte(body), at); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return r
}

// TestAgentAsksResponses: clients of Responses are asked by agents that wait, as a stream and as a whole answer, with what the server remembers or with
// all items.
func TestAgentAsksResponses(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{true, false} {
		for _, stores := range []bool{true, false} {
			for _, approved := range []bool{true, false} {
				asksResponses(t, stream, stores, approved)
			}
		}
	}
}

func asksResponses(t *testing.T, stream, stores, approved bool) {
	t.Helper()
	r := start(t, agentConfig(t, "openai-responses", t.TempDir(), "", ""))
	post := func(before string, input ...string) string {
		t.Helper()
		resp, body := r.post("/run", fmt.Sprintf(`{"model":"m","stream":%t,"store":%t,%s"input":[%s]}`, stream, stores, before, strings.Join(input, ",")))
		if resp.StatusCode != 200 {
			t.Fatalf("status %d\n%s", resp.StatusCode, body)
		}
		return body
	}
	const deletes = `{"role":"user","content":"delete"}`
	body := post("", deletes)
	wantSaid(t, 200, body, `"mcp_approval_request"`, `"status":"completed"`)
	said := answeredBy(t, body)
	request, id := said.asked(t)
	answer := fmt.Sprintf(`{"type":"mcp_approval_response","approval_request_id":%q,"approve":%t}`, id, approved)
	before, input := "", []string{deletes, request, answer}
	if stores {
		before, input = fmt.Sprintf(`"previous_response_id":%q,`, said.ID), input[2:]
	}
	wantSaid(t, 200, post(before, input...), fmt.Sprintf("allowed %t", approved), `"status":"completed"`)
	if n := r.metric("sabir_asks_total", "outcome=answered"); n != 1 {
		t.Errorf("%v answers", n)
	}
}

// TestAgentAsksResponsesNot: with an option they are not, and who says something else refuses.
func TestAgentAsksResponsesNot(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "openai-responses", t.TempDir(), "", ", options: {approvals: without}, asks: {without: allow}"))
	_, body := r.post("/run", `{"model":"m","stream":true,"input":"delete"}`)
	wantSaid(t, 200, body, "allowed true")

	r = start(t, agentConfig(t, "openai-responses", t.TempDir(), "", ", asks: {without: allow}"))
	_, body = r.post("/run", `{"model":"m","input":"delete"}`)
	wantSaid(t, 200, body, `"mcp_approval_request"`)
	_, body = r.post("/run", fmt.Sprintf(`{"model":"m","input":"go on","previous_response_id":%q}`, answeredBy(t, body).ID))
	wantSaid(t, 200, body, "Turn 2: you said go on")
	if n := r.metric("sabir_asks_total", "outcome=dropped"); n != 1 {
		t.Errorf("%v questions were left", n)
	}
}
