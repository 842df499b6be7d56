package runlog

import (
	"errors"
	"strconv"
	"testing"
	"time"
)

func run(thread string, size int) Run { return Run{Thread: thread, Size: size} }

// known says which of the runs of a scope are known.
func known(l *Log, scope string, names ...string) (all string) {
	for _, name := range names {
		if _, err := l.Find(Key{scope, name}); err == nil {
			all += name
		}
	}
	return all
}

// TestRuns: a run is found by its scope and name alone, and those of a conversation the newest first.
func TestRuns(t *testing.T) {
	var l Log
	l.Limit(Limits{Runs: 10, Bytes: 1000, Keep: time.Hour})
	_ = l.Put(Key{"s", "a"}, run("t", 1))
	_ = l.Put(Key{"s", "b"}, run("t", 2))
	_ = l.Put(Key{"s", "a"}, run("t", 3))
	_ = l.Put(Key{"s", "c"}, run("u", 4))
	_ = l.Put(Key{"other", "d"}, run("t", 5))
	if got := known(&l, "s", "a", "b", "c", "d"); got != "abc" {
		t.Errorf("known are %s", got)
	}
	if of, _ := l.Of("s", "t"); len(of) != 2 || of[0].Size != 2 || of[1].Size != 3 {
		t.Errorf("%+v", of)
	}
	_ = l.Drop(Key{"s", "b"})
	_ = l.Drop(Key{"s", "none"})
	_ = l.Forget("s", "t")
	rest, _ := l.Of("s", "t")
	if got := known(&l, "s", "a", "b", "c") + known(&l, "other", "d"); got != "cd" || len(rest) != 0 {
		t.Errorf("known are %s", got)
	}
	_ = l.Forget("s", "u")
	_ = l.Forget("other", "t")
	if l.bytes != 0 || len(l.byThread) != 0 || l.used.Len() != 0 {
		t.Errorf("%d bytes in %d conversations are left", l.bytes, len(l.byThread))
	}
}

// TestTrim: of a conversation the oldest go, and those of others stay.
func TestTrim(t *testing.T) {
	var l Log
	l.Limit(Limits{Runs: 10, Bytes: 1000, Keep: time.Hour})
	_ = l.Put(Key{"s", "o"}, run("u", 1))
	for _, name := range []string{"a", "b", "c"} {
		_ = l.Put(Key{"s", name}, run("t", 1))
	}
	known(&l, "s", "a")
	for _, c := range []struct{ most, deleted int }{{3, 0}, {2, 1}, {2, 0}} {
		if n, err := l.Trim("s", "t", c.most); n != c.deleted || err != nil {
			t.Errorf("to %d: %d, %v", c.most, n, err)
		}
	}
	if got := known(&l, "s", "a", "b", "c", "o"); got != "bco" {
		t.Errorf("known are %s", got)
	}
	if n, _ := l.Trim("s", "none", 0); n != 0 {
		t.Errorf("%d of a conversation that there is not", n)
	}
	if n, _ := l.Trim("s", "t", 0); n != 2 || known(&l, "s", "b", "c", "o") != "o" {
		t.Errorf("%d of 2", n)
	}
}

// TestOneOfMany: a scope that has too many loses its own, also by a reload.
func TestOneOfMany(t *testing.T) {
	var l Log
	l.Limit(Limits{Runs: 10, Scope: 2, Bytes: 1000, Keep: time.Hour})
	_ = l.Put(Key{"other", "a"}, run("t", 1))
	for _, name := range []string{"a", "b"} {
		_ = l.Put(Key{"s", name}, run("t", 1))
	}
	known(&l, "s", "a")
	_ = l.Put(Key{"s", "c"}, run("t", 1))
	_ = l.Put(Key{"s", "c"}, run("t", 2))
	if got := known(&l, "s", "a", "b", "c") + known(&l, "other", "a"); got != "aca" {
		t.Errorf("known are %s", got)
	}
	l.Limit(Limits{Runs: 10, Scope: 1, Bytes: 1000, Keep: time.Hour})
	if got := known(&l, "s", "a", "b", "c") + known(&l, "other", "a"); got != "ca" {
		t.Errorf("after a reload, known are %s", got)
	}
}

// TestBounds: what was used longest ago goes first, by number, memory and time.
func TestBounds(t *testing.T) {
	f := func(limits Limits, want string) {
		t.Helper()
		var l Log
		l.Limit(Limits{Runs: 10, Bytes: 1000, Keep: time.Hour})
		for i := range 4 {
			_ = l.Put(Key{"s", strconv.Itoa(i)}, run("t", 100))
		}
		known(&l, "s", "0")
		l.Limit(limits)
		if got := known(&l, "s", "0", "1", "2", "3"); got != want {
			t.Errorf("%+v: known are %s, want %s", limits, got, want)
		}
	}
	f(Limits{Runs: 3, Bytes: 1000, Keep: time.Hour}, "023")
	f(Limits{Runs: 10, Bytes: 250, Keep: time.Hour}, "03")
	f(Limits{Runs: 10, Bytes: 1000, Keep: -1}, "")
}

// TestReplace: what is known of a run is replaced, and a run that was deleted stays unknown.
func TestReplace(t *testing.T) {
	var l Log
	l.Limit(Limits{Runs: 10, Bytes: 1000, Keep: time.Hour})
	key := Key{"s", "a"}
	_ = l.Put(key, run("t", 1))
	if err := l.Replace(key, run("t", 7)); err != nil || l.bytes != 7+len("sat") {
		t.Errorf("%v, %d bytes", err, l.bytes)
	}
	if found, err := l.Find(key); err != nil || found.Size != 7 {
		t.Errorf("%+v, %v", found, err)
	}
	_ = l.Forget("s", "t")
	if err := l.Replace(key, run("t", 7)); !errors.Is(err, ErrUnknown) || known(&l, "s", "a") != "" || l.bytes != 0 {
		t.Errorf("%v, %d bytes", err, l.bytes)
	}
}
