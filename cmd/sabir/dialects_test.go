package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
)

func TestDialects(t *testing.T) {
	got := sabir(t, "", "dialects")
	got.want(t, exitOK, "DIALECT", "")
	for line := range strings.Lines(got.stdout) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, d := range adapters.All() {
		if !strings.Contains(got.stdout, "\n"+d.Name+" ") {
			t.Errorf("%s is not in the table", d.Name)
		}
		for _, o := range d.Options {
			if !strings.Contains(got.stdout, "\n  "+o.Name+"=") {
				t.Errorf("option %s of %s is not listed", o.Name, d.Name)
			}
		}
	}
}

func TestDialectsJSON(t *testing.T) {
	got := sabir(t, "", "dialects", "--json")
	got.want(t, exitOK, anything, "")
	var list []description
	if err := json.Unmarshal([]byte(got.stdout), &list); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got.stdout, "null") {
		t.Error("holds null; want empty lists")
	}
	if len(list) != len(adapters.All()) {
		t.Fatalf("%d dialects, want %d", len(list), len(adapters.All()))
	}
	for i, d := range adapters.All() {
		l := list[i]
		if l.Name != d.Name || l.Title != d.Title || len(l.Options) != len(d.Options) || len(l.Carries) != len(d.Caps.Names()) {
			t.Errorf("%s: got %+v", d.Name, l)
		}
		if l.Framings[0] != d.Framing.String() || len(l.Framings) != len(d.Framings) {
			t.Errorf("%s: framings %v, want %s first of %v", d.Name, l.Framings, d.Framing, d.Framings)
		}
		if l.Read != (d.NewDecoder != nil) || l.Written != (d.NewEncoder != nil) {
			t.Errorf("%s: read %t, written %t", d.Name, l.Read, l.Written)
		}
		if l.Requests.Read != (d.Messages != nil) || l.Requests.Written != (d.RequestWriter() != nil) {
			t.Errorf("%s: requests %s", d.Name, l.Requests)
		}
	}
}

// Every row of a Markdown table has as many cells as its head.
func TestDialectsMarkdown(t *testing.T) {
	got := sabir(t, "", "dialects", "--markdown")
	got.want(t, exitOK, "| dialect |", "")
	cells := 0
	for line := range strings.Lines(got.stdout) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells == 0 {
			cells = n
		}
		if n != cells {
			t.Errorf("%d cells, want %d: %s", n-1, cells-1, line)
		}
	}
	for _, d := range adapters.All() {
		if !strings.Contains(got.stdout, "| `"+d.Name+"` |") || !strings.Contains(got.stdout, "## "+d.Name+"\n") {
			t.Errorf("%s is not in the document", d.Name)
		}
	}
}

// A dialect of another size fits, too.
func TestDialectsWide(t *testing.T) {
	d := describe(adapters.All()[0])
	d.Name = "a-dialect-with-a-name"
	d.Options = []optionDescription{{Name: "o", Type: "text", Default: strings.Repeat("x", 60), Read: true, Doc: strings.Repeat("words ", 30)}}
	var b strings.Builder
	if err := printTable(&b, []description{d}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\n  o="+d.Options[0].Default+"\n") {
		t.Error("the long option has no line of its own")
	}
	for line := range strings.Lines(b.String()) {
		if len(line) > tableWidth+1 {
			t.Errorf("too wide: %s", line)
		}
	}
}

func TestDescribeOption(t *testing.T) {
	f := func(o optionDescription, signature, sides, kind string) {
		t.Helper()
		if o.signature() != signature || o.sides() != sides || o.kind() != kind {
			t.Errorf("got %q, %q, %q; want %q, %q, %q", o.signature(), o.sides(), o.kind(), signature, sides, kind)
		}
	}
	f(optionDescription{Name: "n", Type: "int", Default: "3", Read: true}, "n=3", "r", "int")
	f(optionDescription{Name: "l", Type: "list", Written: true}, "l=LIST", "w", "list")
	f(optionDescription{Name: "e", Type: "enum", Default: "b", Values: []string{"a", "b"}, Read: true, Written: true}, "e=b|a", "r, w", "`a`, `b`")
}
