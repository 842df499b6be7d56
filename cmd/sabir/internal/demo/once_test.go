package demo

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
)

var update = flag.Bool("update", false, "rewrite the expected output")

// What is shown is what people judge Sabir by: every change of it is to be looked at.
func TestOnce(t *testing.T) {
	f := func(scenario string, style term.Style) {
		t.Helper()
		var out bytes.Buffer
		if err := Once(t.Context(), &out, scenario, style, "sabir"); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", fmt.Sprintf("%s-%d.txt", scenario, style.Width))
		if *update {
			if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got; -update accepts it):\n%s", path, diff)
		}
		for line := range strings.Lines(out.String()) {
			if term.Len(strings.TrimRight(line, "\n")) > style.Width {
				t.Errorf("wider than %d columns: %s", style.Width, line)
			}
		}
	}
	f("tour", term.Style{Width: 80})
	f("tour", term.Style{Width: 100})
	f("tour", term.Style{Width: 140})
	f("error", term.Style{Width: 100})
	f("cut", term.Style{Width: 100})
}

// Colours change nothing but colours, and a narrow terminal gets the narrowest table there is.
func TestOnceStyles(t *testing.T) {
	show := func(style term.Style) string {
		t.Helper()
		var out bytes.Buffer
		if err := Once(t.Context(), &out, Tour, style, "sabir"); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	plain, coloured := show(term.Style{Width: 90}), show(term.Style{Width: 90, Color: true})
	if plain == coloured {
		t.Error("there is no colour")
	}
	for _, p := range []term.Paint{term.Bold, term.Dim, term.Red, term.Green, term.Yellow, term.Cyan} {
		coloured = strings.ReplaceAll(coloured, "\x1b["+string(p)+"m", "")
	}
	if diff := cmp.Diff(plain, strings.ReplaceAll(coloured, "\x1b[0m", "")); diff != "" {
		t.Errorf("without its colours (-plain +coloured):\n%s", diff)
	}
	if show(term.Style{Width: 1}) != show(term.Style{Width: minWidth}) {
		t.Error("a terminal of one column gets something of its own")
	}
}

func TestOnceErrors(t *testing.T) {
	if err := Once(t.Context(), &bytes.Buffer{}, "no-such", term.Style{}, "sabir"); err == nil || !strings.Contains(err.Error(), "there is: tour, ") {
		t.Errorf("got %v", err)
	}
	if err := Once(t.Context(), brokenWriter{}, Tour, term.Style{}, "sabir"); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestSummarize(t *testing.T) {
	f := func(record, head, values string) {
		t.Helper()
		if got := summarize([]byte(record)); got != (gist{head, values}) {
			t.Errorf("%s: got %+v", record, got)
		}
	}
	f(`{"type":"TEXT","messageId":"m1","delta":"Hello, world"}`, "TEXT", "“Hello, world”")
	f(`{"sessionId":"s","update":{"sessionUpdate":"chunk","content":{"type":"text","text":"a\nb\u0007"}}}`, "chunk", "“a⏎b·”")
	f(`{"sandbox":"ready","timestamp":"x","reason":"run_start"}`, "run_start", "")
	f(`{"kind":"usage","usage":{"in":12,"cost":0.5},"ok":true,"none":null}`, "usage", "12 0.5 true")
	f(`{"type":"x","list":[1,[2,{"a":"three"}],{}],"type":"text"}`, "x", "1 2 three")
	f("[DONE]", "[DONE]", "")
	f(`{"a":1}`, `{"a":1}`, "")
	f(` {"type":`, `{"type":`, "")
	f("", "", "")
}
