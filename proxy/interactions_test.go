package proxy

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
)

// TestInteractions: clients of Gemini's Interactions API get one answer unless they ask for a stream, go on from any by its id, read it
// again as it was given, and delete it. Instructions hold for their own request alone.
func TestInteractions(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, strings.Replace(simple(agent.url(), "", "",
		"client: gemini-interactions\nmethods: [GET, POST, DELETE]\nrequests: {mode: translate}"), "path: /run", "path: /gemini/*", 1))
	call := func(status int, method, path, body string, want ...string) string {
		t.Helper()
		return r.call(t, status, alice, method, "/gemini/v1beta/interactions"+path, body, want...)
	}
	given := call(200, "POST", "", `{"model":"m-1","system_instruction":"Be brief.","input":"one"}`,
		`"object":"interaction"`, `"status":"completed"`, `"model":"m-1"`, `"steps":[{"type":"model_output","content":[{"type":"text","text":"Hello, world"}]}]`)
	wantMessages(t, (<-asked).body, "system:Be brief.", "user:one")
	one := idIn(t, given)
	if again := call(200, "GET", "/"+one, ""); again != given {
		t.Errorf("given was %s, again it is\n%s", given, again)
	}
	from := func(id, members string) string { return fmt.Sprintf(`{"previous_interaction_id":%q,%s}`, id, members) }
	stream := call(200, "POST", "", from(one, `"stream":true,"input":[{"type":"text","text":"two"}]`), "event: interaction.created", `"event_id":"1"`, "[DONE]")
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two")
	_, two, _ := strings.Cut(stream, `"interaction":{"id":"`)
	two, _, _ = strings.Cut(two, `"`)
	call(200, "GET", "/"+two, "", `"previous_interaction_id":"`+one+`"`, `"text":"Hello, world"`)
	call(200, "POST", "", from(two, `"input":"three"`))
	wantMessages(t, (<-asked).body, "user:one", "agent:Hello, world", "user:two", "agent:Hello, world", "user:three")

	call(200, "DELETE", "/"+one, "", `{}`)
	call(404, "GET", "/"+one, "", `{"error":{"code":404,`, `"status":"NOT_FOUND"`)
	call(400, "POST", "", from(one, `"input":"x"`), `{"error":{"code":400,`, `"status":"INVALID_ARGUMENT"`)
	unstored := idIn(t, call(200, "POST", "", `{"store":false,"input":"x"}`))
	<-asked
	call(404, "GET", "/"+unstored, "")
	call(400, "POST", "", `{"input":[{"text":"x"}]}`, "input.0.type", `"status":"INVALID_ARGUMENT"`)
	call(400, "POST", "", `{"background":true,"input":"x"}`, "background")
	r.call(t, 404, bob, "GET", "/gemini/v1beta/interactions/"+two, "")
}

// TestInteractionsLater: a client that does not wait for its answer asks for it later, and comes back to its stream behind the event that it
// has seen last.
func TestInteractionsLater(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := resuming(t, a, "gemini-interactions", "grace: 50ms")
	const path, body = "/run/v1beta/interactions", `{"agent":"a","background":true,"input":"hi"}`
	id := idIn(t, r.call(t, 200, alice, "POST", path, body, `"status":"in_progress"`, `"agent":"a"`, `"steps":[]`))
	reader := r.dial()
	reader.ask("GET", path+"/"+id+"?stream=true", "", alice)
	had := firstHalf(t, reader.response())
	reader.reset()
	close(goOn)
	await(t, "the end", func() bool {
		return strings.Contains(r.call(t, 200, alice, "GET", path+"/"+id, ""), `"status":"completed"`)
	})
	r.call(t, 200, alice, "GET", path+"/"+id, "", `"text":"Hello, world"`)
	whole := r.call(t, 200, alice, "GET", path+"/"+id+"?stream=true", "", "interaction.completed")
	seen := strings.Count(had, `"event_id":`)
	for _, odd := range []string{"x", "-1", "+1", "1.5"} {
		r.call(t, 400, alice, "GET", fmt.Sprintf("%s/%s?stream=true&last_event_id=%s", path, id, url.QueryEscape(odd)), "", "last_event_id is no number of a record")
	}
	rest := r.call(t, 200, alice, "GET", fmt.Sprintf("%s/%s?stream=true&last_event_id=%d", path, id, seen), "", "world", fmt.Sprintf(`"event_id":"%d"`, seen+1))
	if strings.Contains(rest, "interaction.created") || strings.Count(rest, `"event_id":`) != strings.Count(whole, `"event_id":`)-seen {
		t.Errorf("%d events were seen of\n%s\nthe rest is\n%s", seen, whole, rest)
	}
	r.call(t, 200, alice, "POST", path+"/"+id+"/cancel", "", `"status":"completed"`)
}

// TestInteractionsCancelled: who cancels learns so, and whoever asks later; who reads the stream sees that it has an end.
func TestInteractionsCancelled(t *testing.T) {
	t.Parallel()
	a, _, gone := gatedAgent(t)
	r := resuming(t, a, "gemini-interactions", "grace: 50ms")
	const path = "/run/interactions"
	id := idIn(t, r.call(t, 200, alice, "POST", path, `{"model":"m","background":true,"input":"hi"}`))
	reader := r.dial()
	reader.ask("GET", path+"/"+id+"?stream=true", "", alice)
	resp := reader.response()
	firstHalf(t, resp)
	r.call(t, 404, bob, "POST", path+"/"+id+"/cancel", "")
	r.call(t, 200, alice, "POST", path+"/"+id+"/cancel", "", `"id":"`+id+`"`, `"status":"cancelled"`)
	<-gone
	if rest, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(rest), `"status":"cancelled"`) {
		t.Errorf("%v, the stream ends with %s", err, rest)
	}
	await(t, "the answer to be cancelled", func() bool {
		return strings.Contains(r.call(t, 200, alice, "GET", path+"/"+id, "", `"text":"Hello"`), `"status":"cancelled"`)
	})
}
