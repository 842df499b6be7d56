package toolresult_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

const blocks = `[{"type":"content","content":{"type":"text","text":"a"}},{"type":"diff","path":"f","newText":"b"},` +
	`{"type":"text","text":"c"},{"type":"content","content":{"type":"image","data":"QQ=="}},{"type":"content","content":{"type":"resource_link","uri":"u"}}]`

// TestAppendText: the text comes before a value, a value before the error, the error before the blocks.
func TestAppendText(t *testing.T) {
	f := func(want string, ev hub.Event, members ...string) {
		t.Helper()
		if got := string(toolresult.AppendText([]byte("<"), &ev, members...)); got != "<"+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	content, err := []byte(blocks), []byte("e")
	f("x", hub.Event{Text: []byte("x"), Value: []byte("1"), More: &hub.More{Err: err, Content: content}})
	f(`a\"b`, hub.Event{Value: []byte(`"a\"b"`)})
	f(`[\"a\"]`, hub.Event{Value: []byte(`["a"]`), More: &hub.More{Err: err}})
	f("", hub.Event{Value: []byte(`""`), More: &hub.More{Err: err}})
	f("e", hub.Event{More: &hub.More{Err: err, Content: content}})
	f(`inside\n[resource: a.pdf]\n[image: b.png]\n[image]`, hub.Event{More: &hub.More{Content: []byte(`[{"type":"content","content":{"type":"resource","resource":{"uri":"u","text":"inside"}}},` +
		`{"type":"content","content":{"type":"resource","resource":{"uri":"a.pdf","blob":"QQ=="}}},{"type":"content","content":{"type":"image","data":"QQ==","name":"b.png"}},` +
		`{"type":"content","content":{"type":"image","uri":"data:image/png;base64,QQ=="}}]`)}})
	f("", hub.Event{})
	f(`a\nf\nb\nc\n[image]\nu`, hub.Event{More: &hub.More{Content: content}})
	f(`a\nc`, hub.Event{More: &hub.More{Content: content}}, "text")
	f(`a\nb\nc\nu`, hub.Event{More: &hub.More{Content: content}}, "text", "newText", "uri")
}

// TestRead: a list that is one text is that text; of several the texts are joined, and all of it is content.
func TestRead(t *testing.T) {
	var s hub.Scratch
	f := func(list, text string, others int, one bool, wrapped string) {
		t.Helper()
		got, n := toolresult.JoinTexts([]byte(list), &s)
		_, ok := toolresult.OneText([]byte(list))
		content := string(toolresult.Wrap([]byte(list), &s, nil))
		if string(got) != text || n != others || ok != one || content != wrapped {
			t.Errorf("%s: got %q, %d others, one text %t, content %s", list, got, n, ok, content)
		}
	}
	f(`[]`, "", 0, false, `[]`)
	f(`[{"text":"a"}]`, "a", 0, true, `[{"type":"content","content":{"text":"a"}}]`)
	f(`[{"text":"a"},1,{"text":"b"}]`, `a\nb`, 1, false,
		`[{"type":"content","content":{"text":"a"}},{"type":"content","content":1},{"type":"content","content":{"text":"b"}}]`)
	for list, want := range map[string]bool{
		`[{"type":"text","text":"a","annotations":[]}]`: true, `[{"type":"rows","text":"a"}]`: false, `[{"text":"a","rows":3}]`: false, `[1]`: false,
	} {
		if _, ok := toolresult.OneText([]byte(list)); ok != want {
			t.Errorf("%s is one text: %t", list, ok)
		}
	}
	if got, _ := toolresult.JoinTexts([]byte(`[1]`), &s); got != nil {
		t.Errorf("no block has a text, but the result has: %q", got)
	}
	for v, want := range map[string]hub.Event{`"a"`: {Text: []byte("a")}, `[1]`: {Value: []byte("[1]")}, "null": {}, "": {}} {
		var ev hub.Event
		toolresult.Set(&ev, []byte(v))
		if string(ev.Text) != string(want.Text) || string(ev.Value) != string(want.Value) || toolresult.Has(&ev) != (v != "" && v != "null") {
			t.Errorf("%s: got text %q, value %s", v, ev.Text, ev.Value)
		}
	}
}
