package declared

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// manual is the page that explains the language.
func manual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/declared-dialects.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestManualFields: the manual lists the fields of each kind, and those that an event cannot be without stand outside of the
// brackets.
func TestManualFields(t *testing.T) {
	_, table, _ := strings.Cut(manual(t), "have lane, msg, time (milliseconds since 1970) and meta.\n\n```text\n")
	table, _, _ = strings.Cut(table, "```")
	table = strings.ReplaceAll(table, "\n             ", " ")
	seen := 0
	for line := range strings.Lines(table) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), " ")
		k, ok := hub.ParseKind([]byte(name))
		if !ok {
			t.Errorf("%s is no kind", name)
			continue
		}
		seen++
		needed, optional, _ := strings.Cut(strings.TrimSuffix(list, "]"), "[")
		var all, must fieldSet
		for _, f := range strings.Fields(needed + " " + optional) {
			all |= 1 << findField(f)
		}
		for _, f := range strings.Fields(needed) {
			must |= 1 << findField(f)
		}
		want := setOf(kindInfos[k].needs) &^ setOf(fieldNone)
		if k >= hub.ToolStart && k <= hub.ToolEnd {
			want |= 1 << fieldID // or the section tools
		}
		if all != kindInfos[k].fields || must != want {
			t.Errorf("%s has the fields %s, cannot be without %s; the manual says %s, %s", k, kindInfos[k].fields.names(), want.names(), all.names(), must.names())
		}
	}
	if seen != len(hub.Kinds())-1 {
		t.Errorf("the manual lists %d kinds, want all but raw", seen)
	}
}

// TestManualWords: the manual names every word, and every key.
func TestManualWords(t *testing.T) {
	text := manual(t)
	for _, k := range hub.Kinds() {
		for f := fieldStatus; f <= fieldWhat; f++ {
			if !kindInfos[k].fields.has(f) {
				continue
			}
			for _, w := range vocabulary(k, f) {
				if !strings.Contains(text, w) {
					t.Errorf("the manual lacks the word %s of %s %s", w, k, f)
				}
			}
		}
	}
	for _, keys := range [][]string{topKeys, ruleKeys, encodeKeys} {
		for _, key := range keys {
			if !strings.Contains(text, "\n"+key+" ") && !strings.Contains(text, key+", ") && !strings.Contains(text, ", "+key+" ") {
				t.Errorf("the manual lacks the key %s", key)
			}
		}
	}
}

// TestManualExample: the example of the manual does what the manual says.
func TestManualExample(t *testing.T) {
	_, example, _ := strings.Cut(manual(t), "This reads and writes them:\n\n```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(example), &doc); err != nil {
		t.Fatal(err)
	}
	d, problems := Parse("manual", doc)
	if d == nil {
		t.Fatal(problems)
	}
	lines := []string{
		`{"ev":"say","txt":"Hel"}`, `{"ev":"say","txt":"lo"}`, `{"ev":"do","tool":"ls","with":{}}`, `{"ev":"did","tool":"ls","out":"a"}`,
		`{"ev":"bye","code":1,"why":"tired"}`,
	}
	dec, enc := d.NewDecoder(d.Defaults()), d.NewEncoder(d.Defaults())
	seq, out := sequencer.New(sequencer.Config{}), wire.NewOut(d.Framing)
	for _, line := range lines {
		decoded, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range seq.Push(nil, decoded, 0) {
			enc.Encode(out, &ev)
		}
	}
	if want := strings.Join(lines, "\n") + "\n"; string(out.Buf) != want {
		t.Errorf("got\n%swant\n%s", out.Buf, want)
	}
}

// TestManualClientTools: the calls which the manual hands to clients end as theirs, and the run does as one that waits for them.
func TestManualClientTools(t *testing.T) {
	_, rules, _ := strings.Cut(manual(t), "its name does:\n\n```yaml\n")
	rules, _, _ = strings.Cut(rules, "```")
	var doc map[string]any
	if err := yaml.Unmarshal([]byte(rules), &doc); err != nil {
		t.Fatal(err)
	}
	d, problems := Parse("manual", doc)
	if d == nil {
		t.Fatal(problems)
	}
	for _, run := range []string{"confirm calls", "confirm over", "ls over"} {
		name, why, _ := strings.Cut(run, " ")
		want := map[string]hub.Status{"confirm": hub.StatusClient, "ls": hub.StatusUnknown}[name]
		dec, seq := d.NewDecoder(d.Defaults()), sequencer.New(sequencer.Config{})
		var call, end hub.Status
		var flags hub.Flags
		for _, line := range []string{`{"ev":"call","id":"1","fn":"` + name + `","in":{}}`, `{"ev":"bye","why":"` + why + `"}`} {
			decoded, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
			if err != nil {
				t.Fatal(err)
			}
			for _, ev := range seq.Push(nil, decoded, 0) {
				switch ev.Kind {
				case hub.ToolStart:
					flags = ev.Flags
				case hub.ToolEnd:
					call = ev.Status
				case hub.RunEnd:
					end = ev.Status
				}
			}
		}
		if client := want == hub.StatusClient; call != want || (end == hub.StatusTools) != client || flags.Has(hub.ClientRuns) != client {
			t.Errorf("%s: the call ended with %s and the run with %s, want %s", run, call, end, want)
		}
	}
}
