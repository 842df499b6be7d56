package adapters

import "testing"

// People write the names that they know. Each of these reads as one line of an error that says what to write instead.
func TestUnknownDialect(t *testing.T) {
	f := func(name, want string) {
		t.Helper()
		if _, err := Lookup(name); err == nil || err.Error() != "there is no dialect \""+name+"\"; did you mean "+want+"?" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	f("ag-ui", "agui")
	f("AG-UI", "agui")
	f("vercel", "aisdk or datastream")
	f("openai", "openai-chat or openai-responses")
	f("claude", "anthropic or claude-cli")
	f("pydantic-ai", "agui or aisdk")
}

// An alias that is a name as well would never be suggested.
func TestAliasesAreNoNames(t *testing.T) {
	for _, d := range All() {
		for _, alias := range d.Aliases {
			if _, err := Lookup(alias); err == nil {
				t.Errorf("%s: the alias %s is the name of a dialect", d.Name, alias)
			}
		}
	}
}
