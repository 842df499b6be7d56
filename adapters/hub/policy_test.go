package hub

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestParsePolicy reads every name that it writes, and no other.
func TestParsePolicy(t *testing.T) {
	for p := range policyCount {
		if got, err := ParsePolicy(p.String()); got != p || err != nil {
			t.Errorf("%s: got %s, %v", p, got, err)
		}
	}
	if got, err := ParsePolicy("none"); got != PolicyDefault || err == nil {
		t.Errorf("none: got %s, %v", got, err)
	}
}

// TestParseClass: none is no class that a route can name.
func TestParseClass(t *testing.T) {
	all := Classes()
	for _, c := range all {
		if got, err := ParseClass(c.String()); got != c || err != nil {
			t.Errorf("%s: got %s, %v", c, got, err)
		}
	}
	if len(all) != len(classNames)-1 || all[0] != ClassReasoning || all[len(all)-1] != ClassRaw {
		t.Errorf("the classes are %v", all)
	}
	got, err := ParseClass("none")
	if got != ClassNone || err == nil || err.Error() != `there is no class "none" of events; there is: reasoning, tools, progress, lanes, steps, asks, plan, usage, notice, source, file, data, raw` {
		t.Errorf("none: got %s, %v", got, err)
	}
}

// TestClassOf: what clients must act on has no class.
func TestClassOf(t *testing.T) {
	f := func(ev Event, want Class) {
		t.Helper()
		if got := ClassOf(&ev); got != want {
			t.Errorf("%s: got %s, want %s", ev.Kind, got, want)
		}
	}
	for _, kind := range []Kind{TextStart, TextDelta, TextEnd} {
		f(Event{Kind: kind}, ClassNone)
		f(Event{Kind: kind, Chan: Reasoning}, ClassReasoning)
	}
	f(Event{Kind: ToolStart}, ClassTools)
	f(Event{Kind: ToolStart, Flags: ClientRuns}, ClassNone)
	f(Event{Kind: ToolOutput, Chan: Reasoning}, ClassProgress)
	f(Event{Kind: RunEnd}, ClassNone)
	f(Event{Kind: Answer}, ClassAsks)
}

func TestParseSubAgentMode(t *testing.T) {
	for i, name := range SubAgentModeNames() {
		if got, ok := ParseSubAgentMode(name); int(got) != i || !ok || got.String() != name {
			t.Errorf("%s: got %s, %t", name, got, ok)
		}
	}
	if _, ok := ParseSubAgentMode("none"); ok || len(SubAgentModeNames()) != int(subAgentModeCount) {
		t.Errorf("the modes are %v", SubAgentModeNames())
	}
}

// TestVersionOf: the first version counts that any of the records shows.
func TestVersionOf(t *testing.T) {
	shows := func(text string) func(wire.Record) bool {
		return func(rec wire.Record) bool { return string(rec.Data) == text }
	}
	d := Dialect{Versions: []Version{{Name: "v3", Shows: shows("3")}, {Name: "v2", Shows: shows("2")}}}
	f := func(want string, texts ...string) {
		t.Helper()
		var records []wire.Record
		for _, text := range texts {
			records = append(records, wire.Record{Data: []byte(text)})
		}
		if got := d.VersionOf(records); got != want {
			t.Errorf("%q: got %q, want %q", texts, got, want)
		}
	}
	f("", "1")
	f("v2", "1", "2")
	f("v3", "1", "2", "3")
	d.Versions = append(d.Versions, Version{Name: "v1"})
	f("v1", "1")
	f("v2", "2", "1")
	f("")
}
