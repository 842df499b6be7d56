package bedrock

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// appendAnswer writes what Converse answers. Its blocks are those of a history, but for reasoning without a signature, which
// clients show.
func appendAnswer(dst []byte, _ hub.Options, _ *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Value("metrics", []byte(`{"latencyMs":0}`))
	w.OpenAt("output", '{')
	w.OpenAt("message", '{')
	w.Const("role", roleNames[hub.RoleAgent])
	w.OpenAt("content", '[')
	asked := wholeContent(w, conversation.Spoken(run, l), l)
	w.Close(']')
	w.Close('}')
	w.Close('}')
	reason, _ := stopReason(&hub.Event{Status: run.Status, Name: run.Reason}, asked)
	w.Const("stopReason", reason)
	w.Value("usage", appendUsage(nil, &run.Usage))
	w.Close('}')
	return w.Buf
}

// wholeContent writes the blocks, and reports whether the client has calls to run.
func wholeContent(w *jsonwriter.Writer, parts []*hub.Part, l *hub.Losses) (asked bool) {
	t := turnWriter{ids: new(conversation.IDs), losses: l}
	answer := hub.Message{Role: hub.RoleAgent}
	for _, p := range parts {
		switch {
		case p.Kind == hub.PartReasoning && len(p.Sig) == 0:
			t.add(hub.RoleAgent, reasoningBlockOf(p))
		case p.Kind == hub.PartCall && p.Value == nil && len(p.Text) > 0:
			l.Add("messages.arguments") // broken off: the client would run it with others
		default:
			asked = asked || p.Kind == hub.PartCall
			answer.Parts = []hub.Part{*p}
			t.message(&answer)
		}
	}
	for i := range t.turns {
		conversation.WriteBlocks(w, t.turns[i].Blocks)
	}
	return asked
}
