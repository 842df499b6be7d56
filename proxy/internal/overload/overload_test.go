package overload

import (
	"context"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// crowd is a guard with so many runs of each client.
func crowd(t *testing.T, s Settings, runs map[string]int) *Guard {
	t.Helper()
	g := &Guard{}
	g.Follow(s)
	for client, n := range runs {
		for range n {
			if cause := g.Begin(client); cause != "" {
				t.Fatal(cause)
			}
		}
	}
	return g
}

// TestWhoIsTurnedAway: the client with the most runs first, then those with fewer, at last everybody; and back when nothing is too much.
func TestWhoIsTurnedAway(t *testing.T) {
	t.Parallel()
	many := enough * runtime.GOMAXPROCS(0)
	g := crowd(t, Settings{Delay: 100 * time.Millisecond}, map[string]int{"many": many, "some": many / 2, "one": 1})
	look := func(delay time.Duration, many, some, one, none Cause) {
		t.Helper()
		g.Look(delay, 0)
		for client, want := range map[string]Cause{"many": many, "some": some, "one": one, "none": none} {
			if got := g.Refuses(client); got != want {
				t.Errorf("after %v, with %d at most: %s gets %q, want %q", delay, g.State().Most, client, got, want)
			}
		}
	}
	const late, fine, full = 101 * time.Millisecond, 100 * time.Millisecond, CauseDelay
	look(fine, "", "", "", "")
	look(late, full, "", "", "")
	look(late, full, full, "", "")
	for n := many / 4; n > 1; n /= 2 {
		look(late, full, full, "", "")
	}
	look(late, full, full, full, "")
	look(late, full, full, full, full)
	look(fine, full, full, full, "")
	look(fine, full, full, "", "")
	for g.State().Most <= many {
		g.Look(fine, 0)
	}
	look(fine, "", "", "", "")
}

// TestWhatIsTooMuch: with few runs the time of the processor is not their affair, memory is; and nothing is that is not looked at.
func TestWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	many := enough*runtime.GOMAXPROCS(0) + 1
	f := func(s Settings, runs int, delay time.Duration, used float64, want Cause) {
		t.Helper()
		g := crowd(t, s, map[string]int{"a": runs})
		state, turned := g.Look(delay, used)
		if state.Cause != want || turned != (want != "") || g.Refuses("a") != want {
			t.Errorf("%v, %d runs, %v, %v: %q, turned %t", s, runs, delay, used, state.Cause, turned)
		}
	}
	s := Settings{Delay: time.Second, Memory: 80}
	f(s, many, 2*time.Second, 0, CauseDelay)
	f(s, many-1, 2*time.Second, 0, "")
	f(s, 1, 2*time.Second, 0.81, CauseMemory)
	f(s, many, 0, 0.80, "")
	f(Settings{}, many, time.Hour, 1, "")
}

// TestEnds: what has ended is forgotten.
func TestEnds(t *testing.T) {
	t.Parallel()
	g := crowd(t, Settings{Memory: 1}, map[string]int{"a": 2, "b": 1})
	g.Look(0, 1)
	if g.Begin("b") != "" || g.Begin("b") != CauseMemory {
		t.Error("b may have as many as a, and not more")
	}
	for range 2 {
		g.End("a")
		g.End("b")
	}
	if g.runs != 0 || len(g.open) != 0 {
		t.Errorf("%d runs, %v", g.runs, g.open)
	}
	if _, over := g.Look(0, 0); !over || g.State().Most != Unlimited {
		t.Errorf("%+v", g.State())
	}
}

// TestWatch: goroutines that leave no processor free are noticed, and that they have gone.
func TestWatch(t *testing.T) {
	g := crowd(t, Settings{Delay: time.Millisecond}, nil)
	for n := range enough*runtime.GOMAXPROCS(0) + 1 {
		g.Begin(strconv.Itoa(n % 3))
	}
	var over atomic.Bool
	states := make(chan State, 16)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go g.Watch(ctx, func(s State) { states <- s })
	for range 40 * runtime.GOMAXPROCS(0) {
		go func() {
			for !over.Load() {
			}
		}()
	}
	for _, want := range []Cause{CauseDelay, ""} {
		select {
		case s := <-states:
			if s.Cause != want {
				t.Errorf("%+v, want %q", s, want)
			}
		case <-time.After(2 * time.Minute):
			t.Fatalf("no notice of %q: %+v", want, g.State())
		}
		if want == CauseDelay {
			over.Store(true)
			g.Follow(Settings{Delay: time.Minute}) // other programs may have the processors as well
		}
	}
}

// TestMemory: what is in use is counted against the limit of the process.
func TestMemory(t *testing.T) {
	if part := newMemory().part(); part != 0 {
		t.Errorf("%v without a limit", part)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(64 << 20))
	held := make([]byte, 48<<20)
	runtime.GC()
	m := newMemory()
	if part := m.part(); part < 0.75 || part > 1 || m.old() {
		t.Errorf("%v of the limit, old %t", part, m.old())
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	m.part()
	if m.part(); !m.old() {
		t.Error("nothing was collected, and that does not show")
	}
	runtime.KeepAlive(held)
}
