package sequencer_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestResultsAreCutBetweenCharacters: a result that was put together of partial ones ends, at the bound, behind the last character or
// escape that has room.
func TestResultsAreCutBetweenCharacters(t *testing.T) {
	pieces := []string{"a", "é", `\n`, `\u00e9`, "€", `\ud83d`, `\"`, "z"}
	whole := strings.Join(pieces, "")
	for n := range len(whole) + 1 {
		want := ""
		for _, p := range pieces {
			if len(want)+len(p) > n {
				break
			}
			want += p
		}
		seq := sequencer.New(sequencer.Config{Bounds: sequencer.Bounds{Result: max(n, 1)}})
		out := seq.Push(nil, []hub.Event{
			{Kind: hub.ToolStart, ID: []byte("t"), Name: []byte("n")},
			{Kind: hub.ToolOutput, ID: []byte("t"), Text: []byte(whole)},
			{Kind: hub.ToolEnd, ID: []byte("t"), Status: hub.StatusOK},
		}, 0)
		end := &out[len(out)-1]
		if n > 0 && string(end.Text) != want || end.Flags.Has(hub.Invalid) != (n < len(whole)) {
			t.Errorf("of %s, %d bytes leave %s with %v, want %s", whole, n, end.Text, end.Flags, want)
		}
	}
}

// TestOldestPartEnds: the part that makes room for another is the one that has been open for longest.
func TestOldestPartEnds(t *testing.T) {
	const open = 80
	seq := sequencer.New(sequencer.Config{Bounds: sequencer.Bounds{Open: open}})
	for i := range 3 * open {
		out := seq.Push(nil, []hub.Event{{Kind: hub.TextDelta, Msg: []byte(strconv.Itoa(i)), Text: []byte("a")}}, 0)
		for j := range out {
			if out[j].Kind == hub.TextEnd && string(out[j].Msg) != strconv.Itoa(i-open) {
				t.Fatalf("part %d ended part %s", i, out[j].Msg)
			}
		}
	}
}

// TestStartOfRun belongs to no sub-agent, whatever the upstream says.
func TestStartOfRun(t *testing.T) {
	out := sequencer.New(sequencer.Config{}).Push(nil, []hub.Event{{Kind: hub.RunStart, ID: []byte("r"), SubAgent: []byte("x")}}, 0)
	if len(out) != 1 || out[0].SubAgent != nil {
		t.Errorf("got %+v", out)
	}
}

// TestDefaultOfKnown: so many ids are known if the configuration does not say how many.
func TestDefaultOfKnown(t *testing.T) {
	const known = 16 << 10
	for others, want := range map[int]string{known - 1: "p_1", known: "first"} {
		seq := sequencer.New(sequencer.Config{})
		var dst []hub.Event
		say := func(id string) string {
			part := []byte(id)
			dst = seq.Push(dst[:0], []hub.Event{{Kind: hub.TextDelta, ID: part, Text: []byte("a")}, {Kind: hub.TextEnd, ID: part}}, 0)
			return string(dst[len(dst)-1].ID)
		}
		say("first")
		for i := range others {
			say(strconv.Itoa(i))
		}
		if got := say("first"); got != want {
			t.Errorf("after %d other ids, the first is %s, want %s", others, got, want)
		}
	}
}
