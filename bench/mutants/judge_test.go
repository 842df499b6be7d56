package main

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
)

// fakeTests are tests of which some fail; which, may change from run to run.
type fakeTests struct {
	fails map[string]int // how often yet
	ran   []string
}

func (f *fakeTests) start(_ context.Context, tests []string, _ time.Duration) (outcome, error) {
	f.ran = append(f.ran, strings.Join(tests, " "))
	for _, name := range tests {
		if f.fails[name] > 0 {
			f.fails[name]--
			return outcome{output: []byte("--- FAIL: " + name + " (0.00s)\n"), failed: true}, nil
		}
	}
	return outcome{}, nil
}

// TestJudge: tests run in groups that grow, and a failure counts only if it comes again with the change and not without it.
func TestJudge(t *testing.T) {
	const always = 100
	for _, c := range []struct {
		name           string
		changed, plain map[string]int
		by             string
		ran            []string // with the change
	}{
		{"nothing fails", nil, nil, "", []string{"A B C D", "E F"}},
		{"one fails", map[string]int{"B": always}, nil, "B", []string{"A B C D", "B"}},
		{"one of the second group fails", map[string]int{"F": always}, nil, "F", []string{"A B C D", "E F", "F"}},
		{"a failure does not come again", map[string]int{"B": 1}, nil, "", []string{"A B C D", "B", "A C D", "E F"}},
		{"it fails without the change, too", map[string]int{"B": always}, map[string]int{"B": 1}, "", []string{"A B C D", "B", "A C D", "E F"}},
		{"another catches it", map[string]int{"B": 1, "D": always}, nil, "D", []string{"A B C D", "B", "A C D", "D"}},
	} {
		changed, plain := &fakeTests{fails: c.changed}, &fakeTests{fails: c.plain}
		j := judge{changed.start, plain.start, func([]string) time.Duration { return time.Second }}
		o, err := j.try(t.Context(), strings.Fields("A B C D E F"))
		if err != nil || o.failed != (c.by != "") || o.test() != c.by {
			t.Errorf("%s: caught by %q, %v", c.name, o.test(), err)
		}
		if !slices.Equal(changed.ran, c.ran) {
			t.Errorf("%s: ran %q, want %q", c.name, changed.ran, c.ran)
		}
	}
}

// TestJudgeCrash: a crash that names no test makes all of its group try again.
func TestJudgeCrash(t *testing.T) {
	runs := 0
	changed := func(context.Context, []string, time.Duration) (outcome, error) {
		runs++
		return outcome{output: []byte("panic: elsewhere\n"), failed: true}, nil
	}
	plain := (&fakeTests{}).start
	o, err := judge{changed, plain, func([]string) time.Duration { return time.Second }}.try(t.Context(), []string{"A", "B"})
	if err != nil || !o.failed || o.reason() != "panic: elsewhere" || runs != 2 {
		t.Errorf("%v %q after %d runs, %v", o.failed, o.reason(), runs, err)
	}
}
