package declared

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

func text(s string) []hub.Part { return []hub.Part{{Kind: hub.PartText, Text: []byte(s)}} }

// someRequest is a request with something in every field.
func someRequest() *hub.Request {
	req := &hub.Request{
		Thread: []byte("t-1"), Run: []byte("r-1"), Model: []byte("m"), State: []byte(`{"n":1}`), Body: []byte(`{"user":"u\"7","deep":{"a":[1,2]}}`),
		Messages: []hub.Message{
			{Role: hub.RoleSystem, Parts: text("Be brief.")},
			{Role: hub.RoleUser, Parts: text("Hi")},
			{Role: hub.RoleAgent, Parts: text("Hello.")},
			{Role: hub.RoleUser, Parts: append(text("What is"), text(`\"2\"?`)...)},
		},
	}
	req.Tools.Define(hub.Tool{Name: []byte("ls"), Description: []byte("Lists."), Schema: []byte(`{"type":"object"}`)})
	return req
}

// TestRequest fills templates of requests, and names what they leave out.
func TestRequest(t *testing.T) {
	f := func(req *hub.Request, template, want string, losses ...string) {
		t.Helper()
		r, err := ParseRequest(template)
		if err != nil {
			t.Fatal(err)
		}
		var l hub.Losses
		got, err := r.Append([]byte(">"), req, &l)
		if err != nil {
			got = []byte(">" + err.Error())
		}
		if string(got) != ">"+want || strings.Join(l.Names, " ") != strings.Join(losses, " ") {
			t.Errorf("%s\ngot  %s, losses %q\nwant %s, losses %q", template, got, l.Names, want, losses)
		}
	}
	req := someRequest()
	f(req, `{"prompt":"$input","chat":"$thread"}`, `{"prompt":"What is\n\"2\"?","chat":"t-1"}`, "messages.system", "tools", "state")
	f(req, `{"q":"$input","h":$history,"s":"$system","t":$tools,"z":$state}`,
		`{"q":"What is\n\"2\"?","h":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}],`+
			`"s":"Be brief.","t":[{"name":"ls","description":"Lists.","parameters":{"type":"object"}}],"z":{"n":1}}`)
	f(req, `{"u":"$body.user","d":$(body.deep.a[1]),"none":$body.other,"m":"$(model or "x")","r":"$run"}`, `{"u":"u\"7","d":2,"m":"m","r":"r-1"}`,
		"messages.system", "tools", "state")
	f(req, `{"u":"$body.user","said":$body.messages}`, `{"u":"u\"7"}`)

	// Without a name of the conversation its server cannot go on with it, unless the template has something in its place.
	req = someRequest()
	req.Thread = nil
	f(req, `{"prompt":"$input","chat":"$thread","s":"$system","t":$tools,"z":$state}`, `{"prompt":"What is\n\"2\"?","s":"Be brief.",`+
		`"t":[{"name":"ls","description":"Lists.","parameters":{"type":"object"}}],"z":{"n":1}}`, "messages.history")
	f(req, `{"prompt":"$input","chat":"$(thread or "one")"}`, `{"prompt":"What is\n\"2\"?","chat":"one"}`, "messages.system", "tools", "state")
	f(req, `{"h":$history,"chat":"$thread"}`, `{"h":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]}`,
		"messages.system", "tools", "state")
	f(req, `{"prompt":"$input","s":"$system","t":$tools,"z":$state}`, `{"prompt":"What is\n\"2\"?","s":"Be brief.",`+
		`"t":[{"name":"ls","description":"Lists.","parameters":{"type":"object"}}],"z":{"n":1}}`, "messages.history")
	f(req, `{"prompt":"$input","user":"$body.user"}`, `{"prompt":"What is\n\"2\"?","user":"u\"7"}`, "messages.system", "tools", "state")
	first := &hub.Request{Messages: []hub.Message{{Role: hub.RoleSystem, Parts: text("Be brief.")}, {Role: hub.RoleUser, Parts: text("Go")}}}
	f(first, `{"p":"$input","c":"$thread","s":"$system"}`, `{"p":"Go","s":"Be brief."}`)
	next := &hub.Request{Partial: true, Previous: []byte("a1"), Messages: []hub.Message{{Role: hub.RoleUser, Parts: text("Go on")}}}
	f(next, `{"p":"$input","c":"$thread"}`, `{"p":"Go on"}`, "messages.history")

	answered := &hub.Request{Messages: []hub.Message{
		{Role: hub.RoleUser, Parts: text("Go")},
		{Role: hub.RoleAgent, Parts: []hub.Part{
			{Kind: hub.PartCall, ID: []byte("c0"), Result: &hub.CallResult{Status: hub.StatusOK, Text: []byte("the agent's own")}},
			returned("c1", "ls", hub.CallResult{Status: hub.StatusOK, Text: []byte("a")}),
			returned("c2", "", hub.CallResult{Status: hub.StatusError, Err: []byte("no")}),
			returned("c3", "", hub.CallResult{Status: hub.StatusOK, Value: []byte(`{"x":1}`)}),
			{Kind: hub.PartCall, ID: []byte("c4")},
		}},
	}}
	const nothingNew = "messages: missing: the user says nothing new, and that is all that the upstream's request holds"
	f(answered, `{"prompt":"$input"}`, nothingNew)
	f(answered, `{"prompt":"$input","a":$answers}`, nothingNew)
	f(answered, `{"p":"$(input or "")","r":$results}`, `{"p":"","r":[{"id":"c1","name":"ls","result":"a","error":false},`+
		`{"id":"c2","result":"no","error":true},{"id":"c3","result":{"x":1},"error":false}]}`)
	f(answered, `{"m":$messages}`, `{"m":[{"role":"user","content":"Go"}]}`, "messages.call", "messages.result")

	decided := &hub.Request{
		Messages: []hub.Message{
			{Role: hub.RoleUser, Parts: text("Go")},
			{Role: hub.RoleAgent, Parts: []hub.Part{
				{Kind: hub.PartCall, ID: []byte("c1"), Approval: &hub.Approval{ID: []byte("q1"), Decided: true, Reason: []byte("no")}},
			}},
		},
		Answers: []hub.Decision{{Ask: []byte("q2"), Payload: []byte(`{"x":1}`)}, {Ask: []byte("q3"), Cancelled: true}},
	}
	f(decided, `{"p":"$(input or "")","r":$results}`, nothingNew)
	f(decided, `{"p":"$(input or "")","a":$answers}`, `{"p":"","a":[{"id":"q2","value":{"x":1},"cancelled":false},`+
		`{"id":"q3","cancelled":true},{"id":"q1","call":"c1","approved":false,"reason":"no","cancelled":false}]}`)
	f(decided, `{"m":$messages}`, `{"m":[{"role":"user","content":"Go"}]}`, "messages.call", "answers")
}

func returned(id, name string, r hub.CallResult) hub.Part {
	return hub.Part{Kind: hub.PartCall, ID: []byte(id), Name: []byte(name), ClientRuns: true, Result: &r}
}

// TestRequestTemplate reports what is wrong with a template.
func TestRequestTemplate(t *testing.T) {
	for template, want := range map[string]string{
		`{"p":$prompt}`:    `a request has no field "prompt"`,
		`{"p":"$input"`:    "character",
		`{"p":"$input.x"}`: "holds no JSON to look into",
	} {
		if _, err := ParseRequest(template); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", template, err, want)
		}
	}
}

// TestDeclaredRequest: a document has the template for its servers.
func TestDeclaredRequest(t *testing.T) {
	d, problems := Parse("mine", map[string]any{"type": "t", "decode": []any{map[string]any{"type": "x", "emit": "run.end"}}, "request": `{"p":"$input"}`})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got, err := d.RequestWriter()(nil, someRequest(), new(hub.Losses))
	if err != nil || string(got) != `{"p":"What is\n\"2\"?"}` {
		t.Errorf("got %s, %v", got, err)
	}
}
