package recency

import (
	"slices"
	"testing"
)

// TestOrder: all things have an order, and those of a scope.
func TestOrder(t *testing.T) {
	t.Parallel()
	var o Order[string]
	if _, ok := o.Oldest(); ok || o.Len() != 0 {
		t.Error("there is something in nothing")
	}
	places := map[string]*Place{}
	for _, name := range []string{"a1", "b1", "a2", "b2", "a3"} {
		places[name] = o.Add(name[:1], name)
	}
	f := func(oldest string, ofA ...string) {
		t.Helper()
		if got, _ := o.Oldest(); got != oldest {
			t.Errorf("the oldest is %s, want %s", got, oldest)
		}
		if got := slices.Collect(o.Of("a")); !slices.Equal(got, ofA) {
			t.Errorf("a has %v, want %v", got, ofA)
		}
	}
	f("a1", "a3", "a2", "a1")
	o.Use(places["a1"])
	f("b1", "a1", "a3", "a2")
	o.UseAfter(places["a2"], places["a1"])
	f("b1", "a1", "a2", "a3")
	if got, ok := o.OldestBeyond("a", 2); !ok || got != "a3" {
		t.Errorf("of a, more than two: %s, %t", got, ok)
	}
	for most, scope := range map[int]string{0: "a", 3: "a", 1: "none"} {
		if got, ok := o.OldestBeyond(scope, most); ok {
			t.Errorf("%s has more than %d: %s", scope, most, got)
		}
	}
	for name, p := range places {
		if name[0] == 'b' {
			o.Remove(p)
		}
	}
	f("a3", "a1", "a2", "a3")
	if got := slices.Collect(o.Scopes()); !slices.Equal(got, []string{"a"}) || o.Len() != 3 {
		t.Errorf("scopes %v have %d", got, o.Len())
	}
	for scope := range o.Of("b") {
		t.Errorf("%s is left", scope)
	}
}
