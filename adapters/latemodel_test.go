package adapters_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	framing "github.com/sabir-proxy/sabir/adapters/wire"
)

// TestModelNamedLate: where an agent names its model when it has begun to answer, the records that follow have that name, as an answer in one
// piece does. What a sub-agent asks is not the agent's, the first name is that of the run, and what the client asked for remains, where it counts.
func TestModelNamedLate(t *testing.T) {
	named := func(kind hub.Kind, model, subAgent string) hub.Event {
		ev := hub.Event{Kind: kind, SubAgent: []byte(subAgent), ID: []byte("s" + model), More: &hub.More{Model: []byte(model), Usage: hub.NoCounts}}
		if kind == hub.Usage {
			ev.Scope, ev.More.Usage.In, ev.More.Usage.Out = hub.StepScope, 3, 4
		}
		return ev
	}
	said := []hub.Event{
		{Kind: hub.RunStart, ID: []byte("r")}, {Kind: hub.AgentStart, ID: []byte("sub")}, {Kind: hub.TextDelta, ID: []byte("p"), Text: []byte("a")},
		named(hub.StepStart, "inner", "sub"), named(hub.Usage, "inner", "sub"), {Kind: hub.AgentEnd, ID: []byte("sub"), Status: hub.StatusDone},
	}
	end := named(hub.RunEnd, "last", "")
	end.Status = hub.StatusDone
	for target, member := range map[string]string{
		"openai-chat": "model", "openai-responses": "model", "gemini-interactions": "model", "gemini": "modelVersion",
	} {
		d, _ := adapters.Lookup(target)
		f := func(want string, late ...hub.Event) {
			t.Helper()
			s := &adaptertest.Stream{Loose: append(append(said[:len(said):len(said)], late...), end)}
			want = `"` + member + `":"` + want + `"`
			x := s.Translate(d, d.Defaults())
			for i := len(x.Sent) - 1; ; i-- {
				if wire := string(x.Sent[i].Bytes); strings.Contains(wire, `"`+member+`"`) {
					if last := wire[strings.LastIndex(wire, `"`+member+`"`):]; !strings.HasPrefix(last, want) {
						t.Errorf("%s: the stream ends with %.40s, want %s", target, last, want)
					}
					break
				}
			}
			whole := d.AppendAnswer(nil, d.Defaults(), &hub.Request{Unique: []byte("u1")}, foldedFor(d, s), new(hub.Losses))
			if !strings.Contains(string(whole), want) || strings.Contains(string(whole), "inner") {
				t.Errorf("%s: the answer has not %s\n%s", target, want, whole)
			}
		}
		f("late", named(hub.StepStart, "late", ""), named(hub.StepStart, "later", ""))
		f("late", named(hub.Usage, "late", ""))
		f("last")
		enc, out := d.NewEncoder(d.Defaults()), framing.NewOut(d.Framing)
		enc.(hub.Answerer).Answer(&hub.Request{Model: []byte("asked")})
		for _, ev := range []hub.Event{{Kind: hub.RunStart, ID: []byte("r")}, named(hub.StepStart, "late", ""), named(hub.Usage, "late", ""), end} {
			enc.Encode(out, &ev)
		}
		if kept := !strings.Contains(string(out.Buf), `:"late"`); kept != (target != "gemini") {
			t.Errorf("%s: the client asked for another model\n%s", target, out.Buf)
		}
	}
}
