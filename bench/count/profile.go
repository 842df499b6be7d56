package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// fed is how many units the subject feeds in all: those to warm up, and in each round three times as many.
const fed = (1 + 3*rounds) * deltas

// profile shows the functions of one measurement, first what is spent in each of them, then with what they call.
func (v *valgrind) profile(ctx context.Context, out io.Writer, name string) error {
	if err := v.callgrind(ctx, "--toggle-collect=main.feed", deltas, []string{name}); err != nil {
		return err
	}
	for _, inclusive := range []bool{false, true} {
		c := exec.CommandContext(ctx, "callgrind_annotate", "--auto=no", "--threshold=99.5",
			"--inclusive="+map[bool]string{false: "no", true: "yes"}[inclusive], filepath.Join(v.dir, "out"+firstThread))
		text, err := c.Output()
		if err != nil {
			return fmt.Errorf("callgrind_annotate, which comes with valgrind: %w", err)
		}
		fmt.Fprintf(out, "%s, instructions per unit %s:\n", name, map[bool]string{false: "in the function alone", true: "with what it calls"}[inclusive])
		for _, f := range functions(string(text), inclusive) {
			if f.cost >= fed {
				fmt.Fprintf(out, "%8d  %s\n", f.cost/fed, f.name)
			}
		}
	}
	return nil
}

// functionLine is a line of callgrind_annotate: "2,322,719 (99.8%)  file:function [binary]".
var functionLine = regexp.MustCompile(`^ *([0-9,]+) \( ?[0-9.]+%\)  \S*?\.(?:go|s):(\S+)`)

// functions reads what callgrind_annotate says, most expensive first. A function has a line for each file that was inlined
// in it, and others for its recursion: these are parts of the whole, unless the figures include what is called.
func functions(text string, inclusive bool) (all []figure) {
	at := map[string]int{}
	for line := range strings.Lines(text) {
		m := functionLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		cost, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(m[2], "github.com/sabir-proxy/sabir/"), "'")
		i, known := at[name]
		switch {
		case !known:
			at[name] = len(all)
			all = append(all, figure{name, cost})
		case inclusive:
			all[i].cost = max(all[i].cost, cost)
		default:
			all[i].cost += cost
		}
	}
	slices.SortStableFunc(all, func(a, b figure) int { return cmp.Compare(b.cost, a.cost) })
	return all
}
