package legalid

import "testing"

func TestIDs(t *testing.T) {
	f := func(id, want string) {
		t.Helper()
		onWire := string(Append(nil, []byte(id)))
		if onWire != want {
			t.Errorf("%q is written as %q, not %q", id, onWire, want)
		}
		if back := string(AppendPlain(nil, []byte(onWire))); back != id {
			t.Errorf("%q is read back as %q, not %q", onWire, back, id)
		}
	}
	f("toolu_01-x", "toolu_01-x")
	f("functions.Bash:0", "sabir_functions-2eBash-3a0")
	f("a-b c", "sabir_a-2db-20c")
	f("sabir_x", "sabir_sabir_x")
	f("ä", "sabir_-c3-a4")
	f(`a\"b\\c\n`, "sabir_a-22b-5cc-0a")
	f("", "sabir_")

	foreign := func(id string) {
		t.Helper()
		if back := string(AppendPlain(nil, []byte(id))); back != id {
			t.Errorf("%q is not ours, but was read as %q", id, back)
		}
	}
	foreign("sabir_a-b")
	foreign("sabir_-2E")
	foreign("sabir_-61") // a letter has no need of it
	foreign("sabir_-ff") // not UTF-8
	foreign("sabir_a.b")
	foreign("sabir_-2")
}
