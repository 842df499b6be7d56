package conversation

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestIDs: an id that comes again gets a number that no other has.
func TestIDs(t *testing.T) {
	var ids IDs
	for _, c := range []struct{ id, want string }{
		{"c", "c"}, {"c_2", "c_2"}, {"c", "c_3"}, {"c", "c_4"}, {"c_2", "c_2_2"}, {"", "call"}, {"", "call_2"}, {"call", "call_3"},
	} {
		if got := string(ids.Of([]byte(c.id))); got != c.want {
			t.Errorf("%q became %q, want %q", c.id, got, c.want)
		}
	}
}

// TestHoist: instructions between the messages go to the top, but those that may stay.
func TestHoist(t *testing.T) {
	system := func(id string) hub.Message { return hub.Message{Role: hub.RoleSystem, ID: []byte(id)} }
	user := hub.Message{Role: hub.RoleUser}
	stays := func(m *hub.Message) bool { return string(m.ID) == "stays" }
	var l hub.Losses
	top, rest := Hoist([]hub.Message{system("a"), user, system("stays")}, stays, &l)
	if len(top) != 1 || len(rest) != 2 || len(l.Names) != 0 {
		t.Errorf("nothing moves: %v and %v, losses %v", top, rest, l.Names)
	}
	top, rest = Hoist([]hub.Message{system("a"), user, system("stays"), system("b")}, nil, &l)
	if len(top) != 3 || len(rest) != 1 || !slices.Equal(l.Names, []string{"messages.system"}) {
		t.Errorf("all move: %v and %v, losses %v", top, rest, l.Names)
	}
}

// TestAllowed: without names all tools are allowed.
func TestAllowed(t *testing.T) {
	tools := []hub.Tool{{Name: []byte("a")}, {Name: []byte("b")}}
	var l hub.Losses
	if got := Allowed(tools, hub.ToolChoice{}, &l); len(got) != 2 || len(l.Names) != 0 {
		t.Errorf("got %v, losses %v", got, l.Names)
	}
	if got := Allowed(tools, hub.ToolChoice{Names: [][]byte{[]byte("b"), []byte("c")}}, &l); len(got) != 1 || string(got[0].Name) != "b" || len(l.Names) != 1 {
		t.Errorf("got %v, losses %v", got, l.Names)
	}
}

// TestLostBeside: what only its own dialect knows is lost to the others.
func TestLostBeside(t *testing.T) {
	req := hub.Request{Extra: hub.Meta{Dialect: "a", Raw: []byte(`{}`)}}
	var none, all hub.Losses
	LostBeside(&req, "a", &none)
	req.State, req.Context, req.Answers = []byte("1"), make([]hub.Context, 1), make([]hub.Decision, 1)
	LostBeside(&req, "b", &all)
	if len(none.Names) != 0 || !slices.Equal(all.Names, []string{"state", "context", "answers", "extra"}) {
		t.Errorf("got %v and %v", none.Names, all.Names)
	}
}

// TestBlank reads escapes.
func TestBlank(t *testing.T) {
	for text, want := range map[string]bool{"": true, "  ": true, `\n\t `: true, " x": false, `\n\"`: false} {
		if Blank([]byte(text)) != want {
			t.Errorf("%q: blank is %t", text, !want)
		}
	}
	if got := string(TrimRight([]byte(`\na\"\n \t`))); got != `\na\"` {
		t.Errorf("got %q", got)
	}
}

// TestLatestBesideAnswers: of a whole conversation that ends with answers, the user's last words led to the questions. Where the client
// tells only what is new, they stand beside the answers.
func TestLatestBesideAnswers(t *testing.T) {
	req := &hub.Request{Messages: []hub.Message{{Role: hub.RoleUser}}}
	f := func(want int) {
		t.Helper()
		if got := Latest(req); len(got) != want {
			t.Errorf("partial %t, %d answers: %d messages, want %d", req.Partial, len(req.Answers), len(got), want)
		}
	}
	f(1)
	req.Answers = []hub.Decision{{}}
	f(0)
	req.Partial = true
	f(1)
}
