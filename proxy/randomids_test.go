package proxy

import (
	"fmt"
	"regexp"
	"testing"
)

// TestRandomIDs: ids are by chance, and as long as they have to be for that.
func TestRandomIDs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form string
		make func() string
	}{
		"conversation": {`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, func() string { return string(newThread()) }},
		"request":      {`^[0-9a-f]{16}$`, func() string { return string(randomID()) }},
		"run":          {`^[0-9a-f]{32}$`, newToken},
	} {
		seen := map[string]bool{}
		for range 100 {
			id := c.make()
			if seen[id] || !regexp.MustCompile(c.form).MatchString(id) {
				t.Fatalf("%s: %s, the first one or again", name, id)
			}
			seen[id] = true
		}
	}
}

// TestSessionIDForm: the id of a session is a UUID of version 5, the same in each release, since servers keep it.
func TestSessionIDForm(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for _, names := range [][]string{{}, {"/run", "", "t"}, {"a", "b"}, {"a", "b", ""}, {"ü"}} {
		if id := string(sessionID(names...)); !form.MatchString(id) {
			t.Errorf("%q: %s", names, id)
		}
	}
	if id := string(sessionID("/run", "", "t")); id != "6b1f6b62-a5e3-54a4-988e-cc64703afce8" {
		t.Errorf("servers have sessions by another id than %s", id)
	}
}

// TestPositions: a position is a run, how much of it stood in a snapshot, and how many records of it a client has.
func TestPositions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		position
		ok bool
	}{
		"a": {position{"a", "", 0, 0}, true}, "a-0": {position{"a", "", 0, 0}, true}, "a-7": {position{"a", "", 0, 7}, true}, "a.9-7": {position{"a", "", 9, 7}, true},
		"a~0f0f.9-7": {position{"a", "0f0f", 9, 7}, true}, "a~0f0f-7": {position{"a", "0f0f", 0, 7}, true},
		"": {}, "a--7": {}, "-7": {}, "a-": {}, "a-x": {}, "a.-7": {}, "a.0-7": {}, "a.x-7": {}, "a.-1-7": {}, ".9-7": {}, "a.9.9-7": {},
	} {
		got, ok := parsePosition(text)
		if ok != want.ok || ok && got != want.position {
			t.Errorf("%q: %v, %t", text, got, ok)
		}
		if again, _ := parsePosition(fmt.Sprintf("%s-%d", got.name(), got.records)); ok && again != got {
			t.Errorf("%q is named %q", text, got.name())
		}
	}
}

// TestLocations: fields that hold an address, by each of their names.
func TestLocations(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"location": true, "content-location": true, "refresh": true, "": false, "link": false} {
		if got := isLocation(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
