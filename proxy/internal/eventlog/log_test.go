package eventlog

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// begin adds a run of a name that holds so many bytes.
func begin(r *Runs[string], name string, limit int) *Run[string] {
	return r.Begin(name, limit, false, Key{Name: name}, Key{Kind: "empty"})
}

func withLimit(bytes int64) *Runs[string] {
	r := new(Runs[string])
	r.Limit(bytes)
	return r
}

// all reads to the end.
func all(r *Reader) (got []byte, err error) {
	defer r.Close()
	for {
		p, err := r.Next()
		if got = append(got, p...); err != nil {
			return got, err
		}
		if len(p) == 0 {
			<-r.Wake()
		}
	}
}

// TestReaders: each reads everything, whenever it begins and however fast it is.
func TestReaders(t *testing.T) {
	runs := withLimit(1 << 20)
	run := begin(runs, "a", 1<<20)
	var want []byte
	var reading sync.WaitGroup
	for i := range 300 {
		if i%50 == 0 {
			r, err := run.Open(10)
			if err != nil {
				t.Fatal(err)
			}
			reading.Go(func() {
				if got, err := all(r); err != io.EOF || !bytes.Equal(got, want) {
					t.Errorf("%v: %d bytes of %d", err, len(got), len(want))
				}
			})
		}
		piece := bytes.Repeat([]byte{byte(i)}, rand.IntN(3000))
		want = append(want, piece...)
		run.Append(piece)
	}
	runs.End(run, nil, time.Hour)
	reading.Wait()
	if live, past, held := runs.Count(); live != 0 || past != 1 || held < int64(len(want)) || held > int64(len(want))+mostChunk+leastChunk {
		t.Errorf("%d live, %d past, %d bytes for %d", live, past, held, len(want))
	}
	if n := run.Readers(); n != 0 {
		t.Errorf("%d readers are left", n)
	}
}

// TestFullLog: a log holds no more than it may. A reader past the dropped entries goes on, one before them is cut, and none can begin any more.
func TestFullLog(t *testing.T) {
	runs := withLimit(1 << 20)
	run := begin(runs, "a", 8<<10)
	quick, _ := run.Open(2)
	slow, _ := run.Open(2)
	if _, err := run.Open(2); err != ErrFull {
		t.Errorf("a third reader: %v", err)
	}
	var got []byte
	for range 100 {
		run.Append(bytes.Repeat([]byte("x"), 512))
		for p, err := quick.Next(); len(p) > 0 || err != nil; p, err = quick.Next() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p...)
		}
		if _, _, held := runs.Count(); held > 8<<10 {
			t.Fatalf("%d bytes are held", held)
		}
	}
	if len(got) != 51200 {
		t.Errorf("the quick reader got %d bytes", len(got))
	}
	if _, err := slow.Next(); err != ErrSlow {
		t.Errorf("the slow reader: %v", err)
	}
	slow.Close()
	if _, err := run.Open(2); err != ErrCut {
		t.Errorf("a late reader: %v", err)
	}
}

// TestMemory: when all logs together hold too much, runs that have ended are forgotten, the one that ended first before the others.
func TestMemory(t *testing.T) {
	runs := withLimit(8 << 10)
	for _, name := range []string{"a", "b", "c"} {
		run := begin(runs, name, 1<<20)
		run.Append(make([]byte, 3<<10))
		runs.End(run, nil, time.Hour)
	}
	live := begin(runs, "d", 1<<20)
	for name, known := range map[string]bool{"a": false, "b": true, "c": true, "d": true} {
		if got := runs.Find(Key{Name: name}) != nil; got != known {
			t.Errorf("%s is known: %v", name, got)
		}
	}
	live.Append(make([]byte, 7<<10))
	if runs.Find(Key{Name: "b"}) != nil || runs.Find(Key{Name: "c"}) != nil || runs.Find(Key{Name: "d"}) == nil {
		t.Error("a run that goes on does not take the place of those that have ended")
	}
	if _, _, held := runs.Count(); held > 8<<10 {
		t.Errorf("%d bytes are held", held)
	}
	if runs.Find(Key{Kind: "empty"}) != nil {
		t.Error("a run is found without a name")
	}
}

// TestForget: a run is forgotten in its time. The newest of a name is found.
func TestForget(t *testing.T) {
	runs := withLimit(1 << 20)
	older, newer := begin(runs, "a", 1<<20), begin(runs, "a", 1<<20)
	if runs.Find(Key{Name: "a"}) != newer {
		t.Error("not the newest is found")
	}
	gone := errors.New("gone")
	newer.Append([]byte("x"))
	runs.End(newer, gone, time.Millisecond)
	for until := time.Now().Add(2 * time.Minute); runs.Find(Key{Name: "a"}) != older; time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it is not forgotten")
		}
	}
	if _, err := newer.Open(1); err != ErrCut {
		t.Errorf("one can come to a run that is forgotten: %v", err)
	}
	r, _ := older.Open(1)
	older.Append([]byte("y"))
	runs.End(older, gone, time.Hour)
	if got, err := all(r); string(got) != "y" || err != gone {
		t.Errorf("%q, %v", got, err)
	}
}

// TestAfter: who reads one run after the other finds the one that follows, and learns when it begins.
func TestAfter(t *testing.T) {
	runs := withLimit(1 << 20)
	key := Key{Name: "a"}
	begun, forget := runs.Await(key)
	select {
	case <-begun:
		t.Fatal("a run has begun")
	default:
	}
	one := begin(runs, "a", 1<<20)
	<-begun
	forget()
	two, three := begin(runs, "a", 1<<20), begin(runs, "a", 1<<20)
	for before, want := range map[*Run[string]]*Run[string]{nil: three, one: two, two: three, three: nil} {
		if got := runs.After(key, before); got != want {
			t.Errorf("behind %p comes %p, want %p", before, got, want)
		}
	}
	if got := runs.After(Key{Name: "b"}, nil); got != nil {
		t.Errorf("a run of another name: %p", got)
	}
	_, forgetOne := runs.Await(key)
	_, forgetOther := runs.Await(key)
	forgetOne()
	forgetOther()
	if n := len(runs.awaited); n != 0 {
		t.Errorf("%d names are awaited that no reader waits for", n)
	}
}
