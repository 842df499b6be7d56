package adaptertest

import (
	"fmt"
	"strings"
)

// context is how many equal lines a diff shows before the first that differs.
const context = 2

// diff shows where two texts begin to differ, and what both have there.
func diff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	i := 0
	for i < len(w) && i < len(g) && w[i] == g[i] {
		i++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "first difference in line %d\n", i+1)
	for _, line := range w[max(0, i-context):i] {
		fmt.Fprintf(&b, "      %s\n", line)
	}
	writeSide(&b, "want", w[min(i, len(w)):])
	writeSide(&b, "got ", g[min(i, len(g)):])
	return b.String()
}

func writeSide(b *strings.Builder, side string, lines []string) {
	const shown = 4
	for _, line := range lines[:min(len(lines), shown)] {
		fmt.Fprintf(b, "%s  %s\n", side, line)
	}
	if rest := len(lines) - shown; rest > 0 {
		fmt.Fprintf(b, "%s  … %d more lines\n", side, rest)
	}
}
