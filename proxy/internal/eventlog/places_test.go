package eventlog

import (
	"bytes"
	"testing"
)

// TestPlacesOfReaders: when chunks go into a snapshot and the rest of a line stays, who has read all before the rest reads on at the same
// byte, and who has not is cut.
func TestPlacesOfReaders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		chunks           []chunk
		rest             int // bytes of the line that has not ended
		chunk, at        int
		wantChunk, wants int
		cut              bool
	}{
		{"ahead of them", []chunk{chunk("1\n"), chunk("2\n34")}, 2, 5, 1, 5, 1, false},
		{"at the end", []chunk{chunk("1\n"), chunk("2\n34")}, 2, 4, 4, 4, 2, false},
		{"within the rest", []chunk{chunk("1\n"), chunk("2\n34")}, 2, 4, 3, 4, 1, false},
		{"at its beginning", []chunk{chunk("1\n"), chunk("2\n34")}, 2, 4, 2, 4, 0, false},
		{"before it", []chunk{chunk("1\n"), chunk("2\n34")}, 2, 4, 1, 4, 1, true},
		{"in an earlier chunk", []chunk{chunk("1\n"), chunk("2\n34")}, 2, 3, 2, 3, 2, true},
		{"of a rest that is longer than the chunk", []chunk{chunk("1\n2"), chunk("34")}, 3, 4, 1, 4, 2, false},
		{"of whole lines", []chunk{chunk("1\n"), chunk("2\n")}, 0, 4, 2, 4, 0, false},
		{"of whole lines, before the end", []chunk{chunk("1\n"), chunk("2\n")}, 0, 4, 1, 4, 1, true},
	} {
		r := &Reader{chunk: c.chunk, at: c.at}
		l := &Log{first: 3, chunks: c.chunks, readers: map[*Reader]struct{}{r: {}}}
		l.pass(len(c.chunks), c.rest)
		if r.chunk != c.wantChunk || r.at != c.wants || (r.err == ErrSlow) != c.cut {
			t.Errorf("%s: chunk %d at %d, %v; want chunk %d at %d, cut %t", c.name, r.chunk, r.at, r.err, c.wantChunk, c.wants, c.cut)
		}
	}
}

// TestLineEnd: the last whole line ends where the last line feed stands, in whichever chunk, or where the snapshot ends.
func TestLineEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		chunks []chunk
		want   int64
	}{
		{nil, 100},
		{[]chunk{chunk("ab")}, 100},
		{[]chunk{chunk("a\nb")}, 102},
		{[]chunk{chunk("a\n"), chunk("bc"), chunk("d")}, 102},
		{[]chunk{chunk("a\n"), chunk("b\n")}, 104},
		{[]chunk{chunk("\n\n"), {}}, 102},
	} {
		if got := (&Log{gone: 100, chunks: c.chunks}).lineEnd(); got != c.want {
			t.Errorf("%q: %d, want %d", c.chunks, got, c.want)
		}
	}
}

// TestMemoryOfRunsThatGoOn: where no run has ended that could be forgotten, the one that says more loses its own beginning.
func TestMemoryOfRunsThatGoOn(t *testing.T) {
	t.Parallel()
	runs := withLimit(8 << 10)
	small, large := begin(runs, "small", 1<<20), begin(runs, "large", 1<<20)
	small.Append([]byte("said\n"))
	along, _ := large.Open(1)
	var got int
	for range 40 {
		large.Append(bytes.Repeat([]byte("x"), 512))
		for p, err := along.Next(); len(p) > 0 || err != nil; p, err = along.Next() {
			if err != nil {
				t.Fatal(err)
			}
			got += len(p)
		}
		if _, _, held := runs.Count(); held > 8<<10 {
			t.Fatalf("%d bytes are held", held)
		}
	}
	if got != 40*512 {
		t.Errorf("who reads along got %d bytes", got)
	}
	if _, err := large.Open(2); err != ErrCut {
		t.Errorf("who comes late: %v", err)
	}
	late, err := small.Open(1)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := late.Next(); string(p) != "said\n" || err != nil {
		t.Errorf("the other run has %q, %v", p, err)
	}
}
