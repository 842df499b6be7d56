package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// appendAnswer writes a message. Its blocks are those of a history, but for reasoning without a signature, which clients show.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	e := newEncoder(o).(*encoder)
	e.Answer(req)
	start := hub.Event{ID: run.ID, More: &hub.More{Model: run.Model}}
	e.learnNames(&start)
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("id", e.id)
	w.Const("type", typeMessage)
	w.Const("role", "assistant")
	w.Text("model", e.model)
	turns := newTurnWriter(new(conversation.IDs), l)
	turns.answers = true
	asked := turns.WriteAnswer(w, conversation.Spoken(run, l), unsigned)
	ev := run.End()
	reason, _ := stopReason(&ev, asked)
	w.Const("stop_reason", reason)
	w.Value("stop_sequence", appendSequence(nil, &ev, reason))
	if reason == "refusal" {
		w.Buf = appendDetails(w.Buf, &ev)
	}
	c := run.Usage
	c.In, c.Out = max(c.In, 0), max(c.Out, 0)
	w.Value("usage", appendUsage(nil, &c))
	w.Close('}')
	return w.Buf
}

const typeMessage = "message"

// unsigned is a block of reasoning without a signature, as the stream has it.
func unsigned(p *hub.Part) conversation.Block {
	return conversation.Block{Head: []byte(`{"type":"thinking","thinking":"`), Body: p.Text, Tail: []byte(`","signature":""}`)}
}
