// Package term lays out text for people who sit at a terminal.
package term

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// usualWidth is the width of output that goes to no terminal, in columns.
const usualWidth = 100

// Style is how text may look.
type Style struct {
	Color bool
	Width int // columns
}

// StyleOf finds out how text for w may look. There is colour only on a terminal, and not if NO_COLOR (no-color.org) or
// TERM=dumb ask for none. COLUMNS overrides the width.
func StyleOf(w io.Writer) Style {
	style := Style{Width: usualWidth}
	if file, ok := w.(*os.File); ok {
		if width := columnsOf(file); width > 0 {
			style.Width = width
			style.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		}
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		style.Width = width
	}
	return style
}

// IsTerminal reports whether an input or output is a terminal.
func IsTerminal(of any) bool {
	file, ok := of.(*os.File)
	return ok && isTerminal(file)
}

// Paint is a code of ECMA-48 that every terminal with colours has.
type Paint string

// Paints.
const (
	Bold   Paint = "1"
	Dim    Paint = "2"
	Red    Paint = "31"
	Green  Paint = "32"
	Yellow Paint = "33"
	Cyan   Paint = "36"
)

// Paint returns text painted, if there are colours.
func (s Style) Paint(p Paint, text string) string {
	if !s.Color || strings.TrimSpace(text) == "" {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}

// Len is the width of plain text in columns; every character counts as one.
func Len(text string) int { return len([]rune(text)) }

// Clip shortens plain text to a width, and says so by an ellipsis.
func Clip(text string, width int) string {
	r := []rune(text)
	switch {
	case len(r) <= width:
		return text
	case width <= 0:
		return ""
	}
	return string(r[:width-1]) + "…"
}

// Pad fills plain text up to a width.
func Pad(text string, width int) string {
	return text + strings.Repeat(" ", max(width-Len(text), 0))
}

// Cell is plain text cut or filled to a width; only the text is painted.
func (s Style) Cell(p Paint, text string, width int) string {
	text = Clip(text, width)
	return s.Paint(p, text) + Pad("", width-Len(text))
}

// Wrap breaks plain text between words into lines of a width. Words that are longer are left whole. There is always one
// line.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case Len(*last)+1+Len(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}

// Row lays cells of plain text side by side, each wrapped to its width, two columns apart. The last width may be 0: that
// cell is not wrapped.
func Row(cells []string, widths []int) string {
	wrapped := make([][]string, len(cells))
	height := 0
	for i, c := range cells {
		wrapped[i] = []string{c}
		if widths[i] > 0 {
			wrapped[i] = Wrap(c, widths[i])
		}
		height = max(height, len(wrapped[i]))
	}
	var b strings.Builder
	line := make([]string, len(cells))
	for n := range height {
		for i, lines := range wrapped {
			line[i] = Pad("", widths[i])
			if n < len(lines) {
				line[i] = Pad(lines[n], widths[i])
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(line, "  "), " ") + "\n")
	}
	return b.String()
}
