package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestCases(t *testing.T) {
	fixtures, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	target, err := adapters.Lookup("agui")
	if err != nil {
		t.Fatal(err)
	}
	const mutations = 50
	first, second := casesFor(target, fixtures, mutations), casesFor(target, fixtures, mutations)
	if !reflect.DeepEqual(lines(t, first), lines(t, second)) {
		t.Error("the cases differ from run to run")
	}
	names, mutated, dialects := map[string]bool{}, 0, map[string]bool{}
	for _, c := range first {
		if names[c.Name] {
			t.Errorf("two cases are named %q", c.Name)
		}
		names[c.Name] = true
		if c.Body == "" || c.Meaning.End == "" {
			t.Errorf("%s: has no body or no end", c.Name)
		}
		if c.Mutated {
			mutated++
		}
		dialect, _, _ := strings.Cut(c.Name, "/")
		dialects[dialect] = true
	}
	if mutated != mutations {
		t.Errorf("%d damaged streams, want %d", mutated, mutations)
	}
	for _, d := range adapters.All() {
		if !dialects[d.Name] {
			t.Errorf("there is no case of dialect %s", d.Name)
		}
	}
}

func lines(t *testing.T, cases []*Case) (all []string) {
	t.Helper()
	for _, c := range cases {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(line))
	}
	return all
}

func TestMeaning(t *testing.T) {
	m := newMeaning()
	for _, ev := range []hub.Event{
		{Kind: hub.RunStart},
		{Kind: hub.TextStart, ID: []byte("p1")},
		{Kind: hub.TextStart, ID: []byte("p2"), Chan: hub.Reasoning},
		{Kind: hub.TextDelta, ID: []byte("p2"), Text: []byte(`a\n`)},
		{Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte("b")},
		{Kind: hub.ToolStart, ID: []byte("c1"), Name: []byte("f")},
		{Kind: hub.ToolArgs, ID: []byte("c1"), Text: []byte(`{\"x\":`)},
		{Kind: hub.ToolArgs, ID: []byte("c1"), Text: []byte("1}")},
		{Kind: hub.ToolEnd, ID: []byte("c1"), Status: hub.StatusOK, Value: []byte(`"y"`)},
		{Kind: hub.ToolStart, ID: []byte("c2"), Name: []byte("f")},
		{Kind: hub.ToolEnd, ID: []byte("c2"), Status: hub.StatusPaused},
		{Kind: hub.Ask, ID: []byte("q1")},
		{Kind: hub.Answer, ID: []byte("q1")},
		{Kind: hub.Ask, ID: []byte("q2")},
		{Kind: hub.RunEnd, Status: hub.StatusPaused},
	} {
		m.event(&ev)
	}
	got, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"answers":["b"],"users":[],"others":[],"reasoning":["a\n"],"tools":[` +
		`{"id":"c1","name":"f","args":"{\"x\":1}","result":"y","answered":true},` +
		`{"id":"c2","name":"f","args":"","result":"","answered":false,"paused":true}],` +
		`"agents":[],"steps":0,"end":"interrupt","interrupts":["q2"]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
