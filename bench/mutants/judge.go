package main

import (
	"context"
	"slices"
	"time"
)

// starter runs some tests, against a change or without one.
type starter func(ctx context.Context, tests []string, limit time.Duration) (outcome, error)

// judge tries tests against one change.
type judge struct {
	changed, plain starter
	limit          func(tests []string) time.Duration
}

// firstGroup is how many tests run in one process at first: most changes are caught by the first tests, and whoever goes on needs all.
const firstGroup = 4

// try runs tests, in their order, until one catches the change.
func (j judge) try(ctx context.Context, tests []string) (outcome, error) {
	for size := firstGroup; len(tests) > 0; size *= 2 {
		n := min(size, len(tests))
		if o, err := j.group(ctx, tests[:n]); err != nil || o.failed {
			return o, err
		}
		tests = tests[n:]
	}
	return outcome{}, nil
}

// group runs tests together. What fails is tried again, and the others go on if that does not confirm it.
func (j judge) group(ctx context.Context, tests []string) (outcome, error) {
	for len(tests) > 0 {
		o, err := j.changed(ctx, tests, j.limit(tests))
		if err != nil || !o.failed {
			return o, err
		}
		suspects := slices.DeleteFunc(o.tests(), func(name string) bool { return !slices.Contains(tests, name) })
		if len(suspects) == 0 { // a crash may name no test
			suspects = tests
		}
		if o, err = j.confirm(ctx, suspects); err != nil || o.failed {
			return o, err
		}
		tests = slices.DeleteFunc(slices.Clone(tests), func(name string) bool { return slices.Contains(suspects, name) })
	}
	return outcome{}, nil
}

// confirm reports a failure only if tests that failed fail again with the change, and pass without it.
func (j judge) confirm(ctx context.Context, suspects []string) (outcome, error) {
	again, err := j.changed(ctx, suspects, j.limit(suspects))
	if err != nil || !again.failed {
		return again, err
	}
	if plain, err := j.plain(ctx, suspects, j.limit(suspects)); err != nil || plain.failed {
		return outcome{}, err
	}
	return again, nil
}
