package toolinfo_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/toolinfo"
)

func TestLook(t *testing.T) {
	f := func(object string) {
		t.Helper()
		read := toolinfo.Read([]byte(object))
		var s hub.Scratch
		var ev hub.Event
		read.Put(&ev, &s)
		var learnt toolinfo.Info
		if news := learnt.Learn(&ev); news == read.Empty() || news != toolinfo.Has(&ev) {
			t.Errorf("%s: learnt %t", object, news)
		}
		if got := string(learnt.Append(nil)); got != object {
			t.Errorf("got %s, want %s", got, object)
		}
	}
	f(`{}`)
	f(`{"title":"Read a.go"}`)
	f(`{"tool_kind":"edit","locations":[{"path":"a.go"}]}`)
	f(`{"title":"T\u0022","tool_kind":"read","locations":[],"content":[{"type":"diff"}]}`)

	odd := toolinfo.Read([]byte(`{"title":7,"tool_kind":null,"locations":"x","content":{}}`))
	if !odd.Empty() {
		t.Errorf("%+v is not what it should be, and was read", odd)
	}
	emitted := toolinfo.Info{Title: []byte("a"), Kind: []byte("read")}
	emitted.Learn(&hub.Event{Title: []byte("b")})
	if string(emitted.Title) != "b" || string(emitted.Kind) != "read" {
		t.Errorf("learnt %s, %s", emitted.Title, emitted.Kind)
	}
	own := hub.Event{Title: []byte("own")}
	emitted.Put(&own, new(hub.Scratch))
	if string(own.Title) != "own" || string(own.More.ToolKind) != "read" {
		t.Errorf("put %s, %s", own.Title, own.More.ToolKind)
	}
}
