package cursorcli_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/cursorcli"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// said is the answer that a client sees, with a stroke before each part but the first.
func said(t *testing.T, lines []string) (text string) {
	t.Helper()
	dec, seq := cursorcli.Dialect.NewDecoder(cursorcli.Dialect.Defaults()), sequencer.New(sequencer.Config{})
	for _, line := range lines {
		in, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range seq.Push(nil, in, 0) {
			switch {
			case ev.Kind == hub.TextStart && ev.Chan == hub.AnswerText && text != "":
				text += "|"
			case ev.Kind == hub.TextDelta && ev.Chan == hub.AnswerText:
				text += string(ev.Text)
			}
		}
	}
	return text
}

const (
	lookUp = `{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{"lsToolCall":{"args":{}}}}`
	think  = `{"type":"thinking","subtype":"delta","text":"hm"}`
	retry  = `{"type":"retry","subtype":"starting"}`
)

func assistant(text, members string) string {
	return `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}` + members + `}`
}

// The forms of a text: a piece, a message before a call, and one at the end.
func piece(text string) string  { return assistant(text, `,"timestamp_ms":1`) }
func before(text string) string { return assistant(text, `,"timestamp_ms":1,"model_call_id":"m"`) }
func last(text string) string   { return assistant(text, "") }
func result(text string) string {
	return `{"type":"result","subtype":"success","is_error":false,"result":"` + text + `"}`
}

// TestSaidOnce: with pieces or without, all that the agent says is shown, and once.
func TestSaidOnce(t *testing.T) {
	f := func(want string, lines ...string) {
		t.Helper()
		if got := said(t, lines); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	f("A|B", last("A"), lookUp, last("B"), result("AB"))
	f("A|A", before("A"), lookUp, last("A"), result("AA"))
	f("A|AB", last("A"), last("AB"), result("AAB"))
	f("ABC", piece("A"), piece("B"), piece("C"), last("ABC"), result("ABC"))
	f("AB|CD", piece("A"), piece("B"), before("AB"), lookUp, piece("C"), piece("D"), last("CD"), result("ABCD"))
	f("AB|CD", piece("A"), piece("B"), before("AB"), lookUp, piece("C"), piece("D"), last("ABCD"), result("ABCD"))
	f("AB|CD", piece("A"), piece("B"), lookUp, piece("C"), piece("D"), result("ABCD"))
	f("AB|C", piece("A"), piece("B"), lookUp, before("AB"), piece("C"), last("C"), result("ABC"))
	f("AB|C", piece("AB"), before("AB"), last("AB"), last("C"), result("ABC"))
	f("aa|aa", piece("a"), piece("a"), before("aa"), lookUp, piece("a"), piece("a"), last("aa"), result("aaaa"))
	f("A|B", piece("A"), think, before("A"), lookUp, think, piece("B"), last("B"), result("AB"))
	f("ABC", piece("A"), last("AB"), result("ABC"))
	f("A|B", last("A"), lookUp, result("AB"))
	f("A b", piece("A "), piece("b"), last("A  b"), result("other"))
	f("A", result("A"))
	f("A|B", last("A"), retry, last("A"), last("B"), result("AB"))
	f("A|C", before("A"), lookUp, retry, last("A"), last("C"), result("AC"))
}
