package hub

import (
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// An empty member and one that is not there are two things, and which of them comes out must not depend on whether the
// scratch was used before.
func TestScratchEmptyIsNotNil(t *testing.T) {
	nothing := func(dst []byte) []byte { return dst }
	for _, used := range []bool{false, true} {
		var s Scratch
		if used {
			s.Copy([]byte("used"))
			s.Reset()
		}
		if got := s.Since(s.Begin()); got == nil {
			t.Errorf("used %v: Since of nothing is nil", used)
		}
		if got := s.Append(nothing); got == nil {
			t.Errorf("used %v: Append of nothing is nil", used)
		}
		if got := s.Copy([]byte{}); got == nil {
			t.Errorf("used %v: Copy of an empty slice is nil", used)
		}
		if got := s.Copy(nil); got != nil {
			t.Errorf("used %v: Copy(nil) is %q", used, got)
		}
	}
}

// TestScratchKeepsItsMemory: what one record needed is there for the next.
func TestScratchKeepsItsMemory(t *testing.T) {
	var s Scratch
	p := make([]byte, 1000)
	if n := testing.AllocsPerRun(100, func() { s.Reset(); s.Copy(p); s.More() }); n > 0 {
		t.Errorf("%g allocations a record", n)
	}
	s.Copy(make([]byte, maxScratch+1))
	if s.Reset(); cap(s.buf) > maxScratch {
		t.Errorf("%d bytes are kept of a huge record", cap(s.buf))
	}
}

// TestNoCounts: every count is below zero by one, as 0 is a count.
func TestNoCounts(t *testing.T) {
	want := Counts{In: ^0, Out: ^0, Total: ^0, Cached: ^0, CacheWrite: ^0, ReasoningTokens: ^0, ContextUsed: ^0, ContextSize: ^0}
	if got := new(Scratch).More().Usage; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// TestScratchKeepsUpToItsBound: memory of the size of the bound is kept, more is not.
func TestScratchKeepsUpToItsBound(t *testing.T) {
	s := Scratch{buf: make([]byte, 0, maxScratch)}
	if s.Reset(); cap(s.buf) != maxScratch {
		t.Errorf("of %d bytes %d are kept", maxScratch, cap(s.buf))
	}
	s = Scratch{buf: make([]byte, 0, maxScratch+1)}
	if s.Reset(); s.buf != nil {
		t.Errorf("more than %d bytes are kept", maxScratch)
	}
}

// TestMediaOfFiles: a kind is what stands before the slash, or all there is.
func TestMediaOfFiles(t *testing.T) {
	for media, want := range map[string]bool{
		"image": true, "image/": true, "image/p": true, "image/png": true, "imagery/png": false, "imagex": false, "ima": false, "": false, "audio/wav": false,
	} {
		if got := (&FileRef{Media: []byte(media)}).IsMedia("image"); got != want {
			t.Errorf("%q: got %v, want %v", media, got, want)
		}
	}
}

// TestSetArgs: a string may hold JSON, or be no JSON at all. One that is empty says nothing.
func TestSetArgs(t *testing.T) {
	for _, c := range []struct {
		args, value, text string
		flags             Flags
	}{
		{args: `{"a":1}`, value: `{"a":1}`},
		{args: `"{\"a\":1}"`, value: `{"a":1}`},
		{args: `"{\"a\":"`, text: `{\"a\":`, flags: ClientRuns | Invalid},
		{args: `""`}, {args: `null`}, {},
	} {
		var s Scratch
		ev := Event{Kind: ToolReady, Flags: ClientRuns}
		s.SetArgs(&ev, rawjson.Value(c.args))
		if string(ev.Value) != c.value || string(ev.Text) != c.text || ev.Flags != c.flags|ClientRuns {
			t.Errorf("%s: value %s, text %q, flags %v", c.args, ev.Value, ev.Text, ev.Flags)
		}
	}
}
