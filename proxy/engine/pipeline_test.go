package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestCuts: what a pipeline writes does not depend on where its input is cut, whatever ends the lines, and whether records need to be split
// off.
func TestCuts(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", "\r\n", "\r"} {
		var in strings.Builder
		for _, text := range []string{"a", "b", "c", "", "data: ", "d"} {
			in.WriteString("id: 1\ndata: {\"kind\":\"text.delta\",\"id\":\"p\",\"text\":\"" + text + "\"}\n\n")
			if text == "b" {
				in.WriteString(": ping\n\n")
			}
		}
		stream := []byte(strings.ReplaceAll(in.String(), "\n", end))
		want := translateCut(t, stream, 0)
		if n := bytes.Count(want, []byte("text.delta")); n != 5 {
			t.Fatalf("%d deltas were written, want 5: %s", n, want)
		}
		for cut := range stream {
			if got := translateCut(t, stream, cut); !bytes.Equal(got, want) {
				t.Fatalf("cut at %d of %q: got %s, want %s", cut, stream, got, want)
			}
		}
	}
}

// TestLargestRecord: a record like one before is held to the limit as all others are.
func TestLargestRecord(t *testing.T) {
	t.Parallel()
	const limit = 100
	short, long := "data: {\"kind\":\"text.delta\",\"id\":\"p\",\"text\":\"a\"}\n\n", strings.Repeat("b", limit)
	p := newCutPipeline(limit)
	if _, err := p.Feed([]byte(short+strings.Replace(short, "\"a\"", "\""+long+"\"", 1)), true, 0); err == nil {
		t.Errorf("a record beyond the limit is translated: %s", p.Out.Buf)
	}
}

func newCutPipeline(most int) *engine.Pipeline {
	d := &native.Dialect
	return engine.NewPipeline(engine.Config{From: d, FromOptions: d.Defaults(), To: d, ToOptions: d.Defaults(), Framing: wire.SSE, MaxRecord: most})
}

// translateCut translates a stream that comes in two reads.
func translateCut(t *testing.T, stream []byte, cut int) []byte {
	t.Helper()
	p, used := newCutPipeline(0), 0
	for _, to := range []int{cut, len(stream)} {
		n, err := p.Feed(stream[used:to], to == len(stream), 0)
		if err != nil {
			t.Fatal(err)
		}
		used += n
	}
	return p.Out.Buf
}
