package acpwire_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/native"
)

// TestAddMeta: members are joined, and an object without any adds nothing.
func TestAddMeta(t *testing.T) {
	f := func(have, more, want string) {
		t.Helper()
		var s hub.Scratch
		ev := hub.Event{More: &hub.More{Meta: []byte(have)}}
		acpwire.AddMeta(&ev, []byte(more), &s)
		if string(ev.More.Meta) != want {
			t.Errorf("%s and %s: got %s, want %s", have, more, ev.More.Meta, want)
		}
	}
	f(``, `{"a":1}`, `{"a":1}`)
	f(` {}`, `{"a":1}`, `{"a":1}`)
	f(`{"a":1}`, `{}`, `{"a":1}`)
	f(` {"a":1}`, `{"b":2}`, `{"b":2,"a":1}`)
}

// TestResult: content is what people see, an output beside it is kept, and arguments in a string are no JSON.
func TestResult(t *testing.T) {
	f := func(read func(*hub.Event, *hub.Scratch), want string) {
		t.Helper()
		var s hub.Scratch
		ev := hub.Event{Kind: hub.ToolEnd, ID: []byte("c")}
		read(&ev, &s)
		if got := string(native.Append(nil, &ev)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	const texts = `[{"type":"content","content":{"type":"text","text":"a"}}]`
	f(func(ev *hub.Event, s *hub.Scratch) { acpwire.ReadContent(ev, []byte(texts), s) },
		`{"kind":"tool.end","id":"c","text":"a","content":`+texts+`}`)
	f(func(ev *hub.Event, s *hub.Scratch) { acpwire.ReadContent(ev, []byte(`"a"`), s) }, `{"kind":"tool.end","id":"c","text":"a"}`)
	f(func(ev *hub.Event, s *hub.Scratch) { acpwire.ReadContent(ev, []byte(`7`), s) }, `{"kind":"tool.end","id":"c"}`)
	f(func(ev *hub.Event, s *hub.Scratch) {
		acpwire.ReadContent(ev, []byte(texts), s)
		acpwire.KeepOutput(ev, []byte(`{"code":0}`), s)
	}, `{"kind":"tool.end","id":"c","text":"a","meta":{"rawOutput":{"code":0}},"content":`+texts+`}`)
	f(func(ev *hub.Event, _ *hub.Scratch) { acpwire.ReadInput(ev, []byte(`{"q":1}`)) }, `{"kind":"tool.end","id":"c","value":{"q":1}}`)
	f(func(ev *hub.Event, _ *hub.Scratch) { acpwire.ReadInput(ev, []byte(`"rm"`)) }, `{"kind":"tool.end","flags":["invalid"],"id":"c","text":"rm"}`)
}
