package namequeue

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// say writes a record of a call, or holds it.
func say(turns *Queues, out *wire.Out, turn *Place, body string) {
	out.Begin("tool")
	out.Buf = append(out.Buf, body...)
	if turn.Waits() {
		turns.Hold(out, turn, "tool", []byte(body))
		return
	}
	out.End()
}

func TestTurns(t *testing.T) {
	var turns Queues
	turns.Reset()
	out := wire.NewOut(wire.NDJSON)
	var a1, a2, a3, b, free Place
	turns.Join(&a1, []byte("a"))
	turns.Join(&a2, []byte("a"))
	turns.Join(&b, []byte("b"))
	turns.Join(&a3, []byte("a"))
	for _, step := range []struct {
		turn *Place
		body string // "" leaves
		want string // what is written then
	}{
		{&a1, "1", "1"}, {&a2, "2", ""}, {&b, "b", "b"}, {&free, "free", "free"}, {&a2, "2.", ""}, {&a3, "3", ""},
		{&a2, "", ""}, {&free, "", ""}, {&a1, "", "2 2. 3"}, {&a3, "3.", "3."}, {&a3, "", ""}, {&b, "", ""},
	} {
		out.Reset()
		if step.body == "" {
			turns.Leave(out, step.turn)
		} else {
			say(&turns, out, step.turn, step.body)
		}
		if got := strings.Join(strings.Fields(string(out.Buf)), " "); got != step.want {
			t.Errorf("after %q: wrote %q, want %q", step.body, got, step.want)
		}
	}
	if len(turns.queues) != 0 || turns.held != 0 {
		t.Errorf("%d queues and %d bytes are left", len(turns.queues), turns.held)
	}
}

// TestTurnsHoldLittle: what would have to hold too much lets its calls run side by side.
func TestTurnsHoldLittle(t *testing.T) {
	var turns Queues
	turns.Reset()
	out := wire.NewOut(wire.NDJSON)
	var first, second Place
	turns.Join(&first, []byte("a"))
	turns.Join(&second, []byte("a"))
	piece := strings.Repeat("x", 100<<10)
	for i := range 11 {
		say(&turns, out, &second, piece)
		if out.Records != 0 && turns.held > 0 {
			t.Fatalf("after %d pieces, %d records are written and %d bytes held", i, out.Records, turns.held)
		}
	}
	if out.Records != 11 || second.Waits() {
		t.Errorf("%d records are written, want 11; the second call waits: %t", out.Records, second.Waits())
	}
}

func TestRecordsKeepEventNames(t *testing.T) {
	var kept wire.Records
	kept.Add("token", []byte(`{"a":1}`))
	kept.Add("", []byte(`2`))
	out := wire.NewOut(wire.SSE)
	kept.Write(out)
	if want := "event: token\ndata: {\"a\":1}\n\ndata: 2\n\n"; string(out.Buf) != want {
		t.Errorf("wrote %q, want %q", out.Buf, want)
	}
}
