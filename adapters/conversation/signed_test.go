package conversation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
)

// TestSignedCalls: calls get the signatures that reasoning has for them, by their ids or, if those are others by now, in their order. The
// conversation that was given stays as it is.
func TestSignedCalls(t *testing.T) {
	sealed := func(id, sig, text string) hub.Part {
		return hub.Part{Kind: hub.PartReasoning, Sig: signatures.SealCall([]byte(id), []byte(sig)), Text: []byte(text)}
	}
	call := func(id string) hub.Part { return hub.Part{Kind: hub.PartCall, ID: []byte(id)} }
	agent := func(parts ...hub.Part) hub.Message { return hub.Message{Role: hub.RoleAgent, Parts: parts} }
	before := []hub.Message{
		agent(sealed("a", "one", "So."), call("a"), call("b")),
		agent(sealed("a", "two", ""), sealed("b", "three", ""), call("b-x"), call("a-x"), call("c-x")),
		agent(call("d"), sealed("d", "late", "")),
		agent(sealed("e", "before", "")), agent(call("f")),
		agent(sealed("g", "lone", "")), {Role: hub.RoleUser}, agent(call("h")),
		agent(hub.Part{Kind: hub.PartReasoning, Sig: []byte("own")}),
	}
	shown := show(before)
	want := `reasoning "So." ""; call a "one"; call b ""; call b-x "three"; call a-x "two"; call c-x ""; call d "late"; call f "before"; ` +
		`call h ""; reasoning "" "own"; `
	if got := show(signedCalls(before)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if show(before) != shown {
		t.Errorf("the conversation has changed: %s", show(before))
	}
}

func show(ms []hub.Message) string {
	var b strings.Builder
	for i := range ms {
		for _, p := range ms[i].Parts {
			if p.Kind == hub.PartCall {
				fmt.Fprintf(&b, "call %s %q; ", p.ID, p.Sig)
			} else {
				fmt.Fprintf(&b, "reasoning %q %q; ", p.Text, p.Sig)
			}
		}
	}
	return b.String()
}
