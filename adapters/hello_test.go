package adapters

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// The examples to paste are read by the dialect that they are of, and can be written for every agent. Nothing that a client of the dialect
// cannot leave out is a loss for which a strict route refuses it.
func TestHello(t *testing.T) {
	for _, from := range all {
		if from.Messages == nil {
			continue
		}
		body := from.Hello()
		if body == nil {
			t.Errorf("%s: there is no body", from.Name)
			continue
		}
		if bytes.ContainsAny(body, "'\n") {
			t.Errorf("%s: a shell would not take %s", from.Name, body)
		}
		for _, to := range all {
			if write := to.RequestWriter(); write != nil {
				var l hub.Losses
				asked := readHello(t, from, body)
				out, err := write(nil, asked, &l)
				if lost := asked.Chosen(&l); len(lost) > 0 {
					t.Errorf("%s to %s: a strict route refuses all requests, for %q\n%s", from.Name, to.Name, lost, body)
				}
				if err != nil || !strings.Contains(string(out), `"Hello"`) && !strings.HasPrefix(string(out), "content=Hello&") {
					t.Errorf("%s to %s: %v\n%s\n%s", from.Name, to.Name, err, body, out)
				}
			}
		}
	}
}

func readHello(t *testing.T, d *hub.Dialect, body []byte) *hub.Request {
	t.Helper()
	req := &hub.Request{Unique: []byte("1"), Header: func(string) string { return "" }}
	if err := d.Requests.DecodeRequest(req, body); err != nil {
		t.Fatalf("%s: %v\n%s", d.Name, err, body)
	}
	if last := req.Messages[len(req.Messages)-1]; last.Role != hub.RoleUser || string(last.Parts[0].Text) != "Hello" {
		t.Errorf("%s: %s is read as %+v", d.Name, body, req.Messages)
	}
	return req
}

// The usual URL of a run is one that the endpoints of the dialect know.
func TestUsualRoute(t *testing.T) {
	f := func(name, route, below string) {
		t.Helper()
		d, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if d.UsualRoute() != route || d.RunBelow() != below {
			t.Errorf("%s: got %s and %s", name, d.UsualRoute(), d.RunBelow())
		}
	}
	f("agui", "/agui/*", "")
	f("a2a", "/a2a/*", "")
	f("aisdk", "/api/chat/*", "")
	f("datastream", "/api/chat", "")
	f("openai-chat", "/v1/*", "/chat/completions")
	f("openai-responses", "/v1/*", "/responses")
	f("anthropic", "/*", "/v1/messages")
	f("gemini", "/*", "")
	f("langgraph", "/langgraph/*", "/runs/stream")
	f("pydantic", "/api/v1/conversations/*", "/thread-1/message")
	f("evolve", "/evolve", "")
	for _, d := range all {
		if e, _ := d.FindEndpoint("POST", d.RunBelow()); len(d.Endpoints) > 0 && (e == nil || e.Operation != hub.OpRun) {
			t.Errorf("%s: nothing runs at %s", d.Name, d.RunBelow())
		}
	}
}

// TestModelsThatAreWanted: agents that refuse requests without a model have a form for one, and so have their clients. Of others, some name
// one in their path, and some can.
func TestModelsThatAreWanted(t *testing.T) {
	wanted := 0
	for _, d := range all {
		if d.WantsModel {
			wanted++
			if !d.TakesModel() || !d.NamesModel() {
				t.Errorf("requests of %s have to name a model, and cannot", d.Name)
			}
		}
	}
	if wanted < 4 {
		t.Errorf("%d dialects want a model", wanted)
	}
	for name, want := range map[string]bool{"gemini": true, "bedrock": true, "simplified": true, "agui": false, "aisdk": false, "a2a": false, "acp": false} {
		if d, err := Lookup(name); err != nil || d.NamesModel() != want || d.WantsModel {
			t.Errorf("%s: want %t, %v", name, want, err)
		}
	}
}

// Model APIs want a model in the request; most agents have theirs.
func TestTakesModel(t *testing.T) {
	for name, want := range map[string]bool{"openai-chat": true, "anthropic": true, "agui": false, "aisdk": false, "copilot": false, "simplified": false} {
		if d, err := Lookup(name); err != nil || d.TakesModel() != want {
			t.Errorf("%s: want %t, %v", name, want, err)
		}
	}
}
