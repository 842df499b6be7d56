package codexwire_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
)

// TestReadMCP: the texts are the result, lines of one; what is no text adds none, whatever the scratch holds already.
func TestReadMCP(t *testing.T) {
	f := func(result, text, value, content string) {
		t.Helper()
		var s hub.Scratch
		s.Copy([]byte("a title"))
		var ev hub.Event
		codexwire.ReadMCP(&ev, []byte(result), "structured", &s)
		var got []byte
		if ev.More != nil {
			got = ev.More.Content
		}
		if string(ev.Text) != text || string(ev.Value) != value || string(got) != content {
			t.Errorf("%s: got %q, %s, %s", result, ev.Text, ev.Value, got)
		}
	}
	const image, text = `{"type":"image","data":"aGk=","mimeType":"image/png"}`, `{"type":"text","text":"a"}`
	const wrapped = `{"type":"content","content":`
	f(`{"content":[`+image+`,`+text+`]}`, "a", "", `[`+wrapped+image+`},`+wrapped+text+`}]`)
	f(`{"content":[`+text+`,`+text+`],"structured":1}`, `a\na`, "", `[`+wrapped+text+`},`+wrapped+text+`}]`)
	f(`{"content":[{"type":"resource","text":"no"}]}`, "", "", `[`+wrapped+`{"type":"resource","text":"no"}}]`)
	f(`{"content":[],"structured":{"n":1}}`, "", `{"n":1}`, "")
	f(`{"content":[],"structured":null}`, "", "", "")
	f(`null`, "", "", "")
}

func TestStatus(t *testing.T) {
	f := func(word string, completed bool, want hub.Status) {
		t.Helper()
		if got := codexwire.Status([]byte(word), completed); got != want {
			t.Errorf("%s (%t): got %s, want %s", word, completed, got, want)
		}
	}
	f("completed", false, hub.StatusOK)
	f("failed", true, hub.StatusError)
	f("declined", true, hub.StatusDenied)
	f("interrupted", true, hub.StatusAborted)
	f("inProgress", false, hub.StatusNone)
	f("", true, hub.StatusOK)
}

// TestReadCommand: only a command that failed has its code as the reason.
func TestReadCommand(t *testing.T) {
	f := func(status hub.Status, code, want string) {
		t.Helper()
		ev := hub.Event{Status: status}
		codexwire.ReadCommand(&ev, []byte(`"out"`), []byte(code), new(hub.Scratch))
		if string(ev.Text) != "out" || string(hub.Why(&ev)) != want {
			t.Errorf("%s, %s: got %q, %q", status, code, ev.Text, hub.Why(&ev))
		}
	}
	f(hub.StatusError, "2", "exit code 2")
	f(hub.StatusError, "null", "")
	f(hub.StatusOK, "0", "")
}
