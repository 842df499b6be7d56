package runstore

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestShort: who comes late to a run that says much gets the short form of its beginning, and every byte behind that once, wherever it
// ends. Entries that it stands for are let go of.
func TestShort(t *testing.T) {
	t.Parallel()
	at := address(t)
	one := open(t, at, 1<<20)
	const limit, times = 20_000, 1000
	run, err := one.Create("token", headOf(nil, time.Minute), limit, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for i := range times {
		word := fmt.Sprintf("%99d ", i)
		said += word
		run.Append([]byte(word))
		flushed(t, one)
		if i%60 != 59 {
			continue
		}
		of := len(said) - 7_777 + i%10*100 // within an entry, or at its end
		run.Shorten([]byte(fmt.Sprintf("short %d", i)), int64(of))
		flushed(t, one)
		run.Append([]byte("!"))
		said += "!"
		flushed(t, one)
		if i%180 != 179 {
			continue
		}
		late := newMemo()
		two := open(t, at, 1<<20)
		if _, err := two.Follow("token", one.name, late); err != nil {
			t.Fatal(err)
		}
		checkShort(t, late.String(), said, i, of)
	}
	n, err := one.client.XLen(context.Background(), one.key("run", "token")).Result()
	if most := int64(limit / 100 * 3); n > most || err != nil { // Redis lets go of whole nodes
		t.Errorf("%d entries are held, %v", n, err)
	}
}

// checkShort: what was read is what was said, or its short form and what is behind that.
func checkShort(t *testing.T, got, said string, i, of int) {
	t.Helper()
	if got == said && i < 200 { // nothing needs to be let go of so early
		return
	}
	if want := fmt.Sprintf("[%d: short %d]", of, i) + said[of:]; got != want {
		t.Errorf("behind %d entries of %d bytes, %d bytes come, and not %d: %.60q", i, len(said), len(got), len(want), got)
	}
}

// TestShortTooOld: a short form that does not reach what is held is of no use, and neither is one that cannot be read.
func TestShortTooOld(t *testing.T) {
	t.Parallel()
	one, two := open(t, address(t), 1<<20), (*rig)(nil)
	run, err := one.Create("token", headOf(nil, time.Minute), 20_000, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	say := func(times int) {
		for range times {
			run.Append([]byte(strings.Repeat("x", 100)))
			flushed(t, one)
		}
	}
	say(50)
	run.Shorten([]byte("short"), 3_000)
	say(1000)
	two = one
	late := newMemo()
	if _, err := two.Follow("token", one.name, late); err != nil {
		t.Fatal(err)
	}
	if how := <-late.ends; how != EndCut || late.String() != "" {
		t.Errorf("who comes late gets %q and the end %q", late, how)
	}
	if err := one.client.Set(context.Background(), one.key("short", "token"), "{", time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Follow("token", one.name, newMemo()); err == nil {
		t.Error("a short form that is none is read")
	}
}

// TestShortWaits: a short form that has no room waits for no other.
func TestShortWaits(t *testing.T) {
	t.Parallel()
	one := open(t, address(t), 1000)
	run, err := one.Create("token", headOf(nil, time.Minute), 20_000, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	flushed(t, one)
	run.Shorten(make([]byte, 2000), 1)
	run.Append([]byte("x"))
	flushed(t, one)
	if n, err := one.client.Exists(context.Background(), one.key("short", "token")).Result(); n != 0 || err != nil {
		t.Errorf("it was written: %d, %v", n, err)
	}
	if one.writer.bytes != 0 {
		t.Errorf("%d bytes wait", one.writer.bytes)
	}
}
