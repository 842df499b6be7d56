package sequencer_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestFullTexts: upstreams that say a text in deltas and again in full, with other escapes, with deltas lost in between
// and with tools that cut it in two. What is shown is what keeping all the text would give.
func TestFullTexts(t *testing.T) {
	f := func(seed int, replace bool) {
		t.Helper()
		rnd := newRand(seed)
		in, want := randomFullTexts(rnd, replace)
		seq := sequencer.New(sequencer.Config{Replace: replace})
		check := adaptertest.Checker{Replace: replace}
		var sense adaptertest.Meaning
		var lines string
		take := func(out []hub.Event) {
			lines += adaptertest.Lines(out)
			for i := range out {
				if err := check.Event(&out[i]); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, lines)
				}
				sense.Event(&out[i], hub.Native)
			}
		}
		take(seq.Push(nil, in, 0))
		take(seq.Flush(nil, nil))
		if got := sense.Text("", hub.AnswerText); got != want {
			t.Fatalf("seed %d: got %q, want %q\nin:\n%s\nout:\n%s", seed, got, want, adaptertest.Lines(in), lines)
		}
	}
	for seed := 1; seed <= streams; seed++ {
		f(seed, false)
		f(seed, true)
	}
}

// randomFullTexts makes one text of an id, and what a reader should see of it.
func randomFullTexts(rnd *rand.Rand, replace bool) (in []hub.Event, want string) {
	var emitted, shown, before string // by the upstream; to the reader; to the reader before the last tool
	calls := 0
	open := false
	for range 3 + rnd.IntN(8) {
		piece := randomText(rnd)
		switch rnd.IntN(6) {
		case 0: // a delta is lost
			emitted += piece
		case 1:
			calls++
			id := []byte{'t', byte('0' + calls)}
			in = append(in, hub.Event{Kind: hub.ToolStart, ID: id, Name: id}, hub.Event{Kind: hub.ToolEnd, ID: id})
			before, open = shown, false
		case 2, 3:
			in = append(in, hub.Event{Kind: hub.TextDelta, ID: []byte("p"), Op: hub.Replace, Text: spell(rnd, emitted)})
			switch {
			case strings.HasPrefix(emitted, shown):
				open = open || len(emitted) > len(shown)
				shown = emitted
			case replace && open && strings.HasPrefix(emitted, before) && len(emitted) > len(before):
				shown = emitted
			}
		default:
			in = append(in, hub.Event{Kind: hub.TextDelta, ID: []byte("p"), Text: spell(rnd, piece)})
			emitted += piece
			shown += piece
			open = true
		}
	}
	return in, shown
}

func randomText(rnd *rand.Rand) string {
	words := []string{"a", "é", "\n", "\"", "/", "\\", "😀", "word ", "\x01", "<b>"}
	return words[rnd.IntN(len(words))] + words[rnd.IntN(len(words))]
}

// spell writes a text as the body of a JSON string, in one of several ways.
func spell(rnd *rand.Rand, text string) []byte {
	body := string(rawjson.AppendEscaped(nil, []byte(text)))
	if rnd.IntN(2) == 0 {
		body = strings.NewReplacer("é", `\u00E9`, "/", `\/`, "😀", `\ud83d\ude00`, `\n`, `\u000a`, "<", `\u003c`).Replace(body)
	}
	return []byte(body)
}

// TestCorrectedText says a text again, in a part of its own, that turned out otherwise, where it cannot be replaced.
func TestCorrectedText(t *testing.T) {
	delta := func(text string, op hub.Op) hub.Event {
		return hub.Event{Kind: hub.TextDelta, ID: []byte("p"), Text: []byte(text), Op: op}
	}
	f := func(correct bool, want string, in ...hub.Event) {
		t.Helper()
		seq := sequencer.New(sequencer.Config{Correct: correct})
		check := adaptertest.Checker{}
		var parts []string
		out := append(seq.Push(nil, in, 0), seq.Flush(nil, nil)...)
		for i := range out {
			if err := check.Event(&out[i]); err != nil {
				t.Errorf("%v: %v", correct, err)
			}
			switch out[i].Kind {
			case hub.TextStart:
				parts = append(parts, "")
			case hub.TextDelta:
				parts[len(parts)-1] += string(out[i].Text)
			}
		}
		if got := strings.Join(parts, "|"); got != want {
			t.Errorf("%v: got %s, want %s", correct, got, want)
		}
	}
	f(false, "Hullo!", delta("Hullo", hub.Append), delta("Hello", hub.Replace), delta("!", hub.Append))
	f(true, "Hullo|Hello!", delta("Hullo", hub.Append), delta("Hello", hub.Replace), delta("!", hub.Append))
	f(true, "Hello", delta("Hel", hub.Append), delta("Hello", hub.Replace), delta("Hello", hub.Replace))
	f(true, "Hullo|Hello", delta("Hullo", hub.Append), hub.Event{Kind: hub.TextEnd, ID: []byte("p")}, delta("Hello", hub.Replace), delta("Hello", hub.Replace))
}
