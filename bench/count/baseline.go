package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tolerance is how much more a delta may cost than was accepted, in percent.
const tolerance = 5

// baseline is what was accepted.
type baseline struct {
	toolchain string
	figures   []figure
}

const baselineHead = "# Instructions per delta, or per kilobyte of a request, as Valgrind counts them. Made by: go run ./bench/count -update\n"

// String returns the baseline as it is kept in a file.
func (b baseline) String() string {
	return baselineHead + "# " + b.toolchain + "\n" + format(b.figures)
}

// format writes a line for each figure.
func format(figures []figure) string {
	width := 0
	for _, f := range figures {
		width = max(width, len(f.name))
	}
	var b strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&b, "%-*s %6d\n", width, f.name, f.cost)
	}
	return b.String()
}

// parseBaseline reads what String has written.
func parseBaseline(text string) (b baseline, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			b.toolchain = comment // the last comment counts
			continue
		}
		name, cost, ok := strings.Cut(line, " ")
		n, err := strconv.Atoi(strings.TrimSpace(cost))
		if !ok || err != nil || n <= 0 {
			return b, fmt.Errorf("the line %q is no measurement with its figure", line)
		}
		b.figures = append(b.figures, figure{name, n})
	}
	return b, nil
}

// compare lists what is different. It is an error if a delta costs too much, or if the two cannot be compared.
func compare(want, got baseline) (report string, err error) {
	if want.toolchain != got.toolchain {
		return "", fmt.Errorf("the baseline was made with %s, this is %s: figures of different compilers do not compare", want.toolchain, got.toolchain)
	}
	accepted := map[string]int{}
	for _, f := range want.figures {
		accepted[f.name] = f.cost
	}
	var b strings.Builder
	bad := 0
	for _, f := range got.figures {
		was, ok := accepted[f.name]
		delete(accepted, f.name)
		if !ok {
			fmt.Fprintf(&b, "%s: %d, not in the baseline\n", f.name, f.cost)
			bad++
			continue
		}
		verdict := judge(was, f.cost)
		if verdict == tooMuch {
			bad++
		}
		if verdict != "" {
			fmt.Fprintf(&b, "%s: %d, accepted %d (%+.1f %%): %s\n", f.name, f.cost, was, change(was, f.cost), verdict)
		}
	}
	for _, f := range want.figures {
		if _, left := accepted[f.name]; left {
			fmt.Fprintf(&b, "%s: in the baseline, but no longer measured\n", f.name)
			bad++
		}
	}
	if bad > 0 {
		err = fmt.Errorf("%d measurements are not as accepted", bad)
	}
	return b.String(), err
}

const (
	tooMuch = "too much"
	less    = "less: accept it with -update, so that it stays"
)

// judge says what is to be said of a figure, nothing if it is as it was.
func judge(was, is int) string {
	switch percent := change(was, is); {
	case percent > tolerance:
		return tooMuch
	case percent < -tolerance:
		return less
	}
	return ""
}

// change is by how many percent is differs from was.
func change(was, is int) float64 { return 100 * float64(is-was) / float64(was) }

// summary gives the spread of the figures.
func summary(figures []figure) string {
	if len(figures) == 0 {
		return "none"
	}
	sorted := slices.SortedFunc(slices.Values(figures), func(a, b figure) int { return a.cost - b.cost })
	least, middle, most := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
	return fmt.Sprintf("%d (%s) to %d (%s), median %d", least.cost, least.name, most.cost, most.name, middle.cost)
}
