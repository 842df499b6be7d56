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
	turns := newTurnWriter(new(conversation.IDs), l)
	turns.answers = true
	asked := turns.WriteAnswer(w, conversation.Spoken(run, l), reasoningBlockOf)
	w.Close('}')
	w.Close('}')
	end := run.End()
	reason, _ := stopReason(&end, asked)
	w.Const("stopReason", reason)
	w.Value("usage", appendUsage(nil, &run.Usage))
	w.Close('}')
	return w.Buf
}
