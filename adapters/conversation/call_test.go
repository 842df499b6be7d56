package conversation

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestFit: words fill in the one field that a question has, and a form with one field is words to a question that wants those; all else is as the
// client said it.
func TestFit(t *testing.T) {
	const (
		form   = `{"type":"object","properties":{"co\"lour":{"type":"string"}},"required":["co\"lour"]}`
		number = `{"type":"object","properties":{"n":{"type":"number"}}}`
		two    = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`
		words  = `{"type":"string"}`
	)
	f := func(schema, payload, want string) {
		t.Helper()
		d := hub.Decision{Payload: []byte(payload)}
		if Fit(&d, []byte(schema)); string(d.Payload) != want {
			t.Errorf("%s for %s: %s, want %s", payload, schema, d.Payload, want)
		}
	}
	f(form, `"bl\"ue"`, `{"co\"lour":"bl\"ue"}`)
	f(form, `{"co\"lour":"blue"}`, `{"co\"lour":"blue"}`)
	f(form, `9`, `9`)
	f(number, `"9"`, `"9"`)
	f(two, `"blue"`, `"blue"`)
	f(`{"type":"object"}`, `"blue"`, `"blue"`)
	f(words, `{"answer":"blue"}`, `"blue"`)
	f(words, `{"answer":9}`, `{"answer":9}`)
	f(words, `{"a":"b","c":"d"}`, `{"a":"b","c":"d"}`)
	f(words, `"blue"`, `"blue"`)
	f(`{}`, `"blue"`, `"blue"`)
	f(form, ``, ``)
	d := hub.Decision{Decided: true, Approved: true, Payload: []byte(`"yes"`)}
	if Fit(&d, []byte(form)); string(d.Payload) != `"yes"` {
		t.Errorf("a decision: %s", d.Payload)
	}
}
