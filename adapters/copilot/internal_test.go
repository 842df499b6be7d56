package copilot

import (
	"strconv"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestPlainLen: bytes are those of the unescaped text (S2-34).
func TestPlainLen(t *testing.T) {
	for _, body := range []string{
		``, `abc`, `✅`, `\u2705`, `a\nb`, `\\\"\/`, `\u0041`, `\u00fc`, `\u07ff`, `\u0800`, `\ud83d\ude00`, `\uD83D\uDE00!`,
		`\ud83d`, `\ude00`, `\ud83d\u0041`, `\ud83d\n`, `Gr\u00fc\u00dfe, \u4e16\u754c`,
	} {
		want := len(rawjson.AppendUnescaped(nil, []byte(body)))
		if got := plainLen([]byte(body)); got != int64(want) {
			t.Errorf("%s has %d bytes, want %d", body, got, want)
		}
	}
	for _, broken := range []string{`\`, `\u`, `\u12`, `\uzzzz`, `\ud83d\u`} { // makes no sense, but comes to an end
		if got := plainLen([]byte(broken)); got < 0 || got > int64(len(broken)) {
			t.Errorf("%s has %d bytes", broken, got)
		}
	}
}

// TestSeen: ids are remembered, some thousands of them.
func TestSeen(t *testing.T) {
	var s seen
	if first, second := s.again(nil), s.again(nil); first || second {
		t.Error("events without id are always new")
	}
	for i := range 4000 {
		if s.again([]byte("event " + strconv.Itoa(i))) {
			t.Errorf("event %d is taken for another", i)
		}
	}
	forgotten := 0
	for i := 3000; i < 4000; i++ {
		if !s.again([]byte("event " + strconv.Itoa(i))) {
			forgotten++
		}
	}
	if forgotten > 5 {
		t.Errorf("of the last 1000 of 4000 events, %d are forgotten", forgotten)
	}
	s.reset()
	if s.again([]byte("event 1")) {
		t.Error("after reset, it is still known")
	}
}

// ofTheCLI are types that the CLI 1.0.102 sends, and which the types of the SDK 1.0.14 do not have.
var ofTheCLI = []string{"assistant.turn_retry", "tool.shell_output", "agent.interrupted", "sandbox.decision", "model.log"}

// TestSpecs: what is known of types.
func TestSpecs(t *testing.T) {
	caco := 0
	for typ, s := range specs {
		if !isEventType([]byte(typ)) || s.decode == nil {
			t.Errorf("%s cannot be decoded", typ)
		}
		if hasPrefix([]byte(typ), cacoPrefix) {
			caco++
		}
	}
	if n := len(specs) - caco; n != 138+len(ofTheCLI) {
		t.Errorf("%d types of the SDK, want 138", n)
	}
	for _, typ := range ofTheCLI {
		if _, ok := specs[typ]; !ok {
			t.Errorf("%s is not known", typ)
		}
	}
	for typ := range askTypes {
		if !answerTypes[completed(typ)] {
			t.Errorf("%s is answered by %s, which is no answer", typ, completed(typ))
		}
	}
	if _, ok := specOf([]byte("no.such.type")); ok {
		t.Error("an unknown type is known")
	}
	if s, ok := specOf([]byte("caco.future")); !ok || !s.is(plain) {
		t.Error("a type of the application is not")
	}
}

// TestBounds: what is remembered by id does not grow for ever.
func TestBounds(t *testing.T) {
	d := newDecoder(Dialect.Defaults()).(*decoder)
	for i := range 3 * maxKnown {
		id := []byte(strconv.Itoa(i))
		d.begin(nil, id, []byte("bash"))
		d.openSubAgent(id, nil)
		d.enterStream(id)
	}
	for what, n := range map[string]int{"calls": len(d.calls), "lanes": len(d.subAgents), "open lanes": len(d.open), "streams": len(d.streams)} {
		if n > maxKnown {
			t.Errorf("%d %s are remembered", n, what)
		}
	}
}
