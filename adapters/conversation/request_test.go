package conversation

import (
	"slices"
	"strings"
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

// TestReturned: results are new behind what the agent said last, also where it has gone on talking since it made the calls.
func TestReturned(t *testing.T) {
	id := func(s string) []byte { return []byte(s) }
	text := hub.Part{Kind: hub.PartText, Text: id("Meanwhile")}
	var b Builder
	check := func(when, want string) {
		t.Helper()
		var got []string
		for _, p := range Returned(&hub.Request{Messages: b.Messages}) {
			got = append(got, string(p.ID))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v are new, want %q", when, got, want)
		}
	}
	b.Begin(hub.RoleUser, id("u1"))
	b.BeginAgent(id("a1"))
	b.Add(hub.Part{Kind: hub.PartCall, ID: id("its")})
	b.Add(hub.Part{Kind: hub.PartCall, ID: id("own"), ClientRuns: true})
	b.Result(id("its"), nil, hub.CallResult{Text: id("9")})
	b.BeginAgent(id("a2"))
	b.Add(text)
	check("while the call waits", "")
	b.Result(id("own"), nil, hub.CallResult{Text: id("Bergen")})
	check("behind what the agent said meanwhile", "own")
	b.Begin(hub.RoleUser, id("u2"))
	b.Add(text)
	check("with words", "own")
	b.BeginAgent(id("a3"))
	b.Add(text)
	check("with an answer", "")
	b.Add(hub.Part{Kind: hub.PartCall, ID: id("first")})
	b.Add(hub.Part{Kind: hub.PartCall, ID: id("second")})
	b.Result(id("first"), nil, hub.CallResult{Text: id("1")})
	b.BeginAgent(id("a4"))
	b.Add(text)
	b.Result(id("second"), nil, hub.CallResult{Text: id("2")})
	check("of calls of the agent's own", "")
}
