package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// AppendMessages writes the turns of a conversation: what stands in a row on one side is one message, and the results of calls
// begin that of the user behind them.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := turnWriter{ids: conversation.CallIDs(ms), losses: l}
	for i := range ms {
		w.message(&ms[i])
	}
	w.trimEnd()
	out := jsonwriter.New(dst)
	out.Open('[')
	for i := range w.turns {
		writeTurn(out, &w.turns[i])
	}
	out.Close(']')
	return out.Buf
}

// turnWriter collects the turns.
type turnWriter struct {
	turns  conversation.Turns
	ids    *conversation.IDs
	tail   []byte // the text that the last block is, nil if it is none
	losses *hub.Losses
}

func writeTurn(w *jsonwriter.Writer, t *conversation.Turn) {
	if t.Whole != nil {
		w.Raw(t.Whole)
		return
	}
	w.Open('{')
	w.Const("role", roleNames[t.Role])
	w.OpenAt("content", '[')
	conversation.WriteBlocks(w, t.Results)
	conversation.WriteBlocks(w, t.Blocks)
	w.Close(']')
	w.Close('}')
}

// roleNames are the roles that turns have.
var roleNames = map[hub.Role]string{hub.RoleSystem: roleSystem, hub.RoleUser: "user", hub.RoleAgent: "assistant"}

const roleSystem = "system"

func (w *turnWriter) message(m *hub.Message) {
	if whole := m.Meta.Of(dialectName); whole != nil {
		w.turns = append(w.turns, conversation.Turn{Role: m.Role, Whole: whole})
		return
	}
	var results []conversation.Block
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			w.part(m.Role, p)
		} else if result := w.call(m, p); !result.IsZero() {
			results = append(results, result)
		}
	}
	if len(results) > 0 {
		t := w.turns.At(hub.RoleUser)
		t.Results = append(t.Results, results...)
	}
}

// call writes a call, and returns the block of its result, none if that is elsewhere or did not come. The call of a lone result
// is in no message here.
func (w *turnWriter) call(m *hub.Message, p *hub.Part) (result conversation.Block) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if ran := p.Meta.Of(dialectName); ran != nil && !p.ClientRuns {
		w.serverCall(ran)
		return result
	}
	id := p.ID
	if m.Role == hub.RoleAgent {
		id = w.ids.Of(id)
		w.add(hub.RoleAgent, w.callBlock(p, legalid.Append(nil, id)))
	}
	if p.Result == nil {
		return result
	}
	return w.resultBlock(p, legalid.Append(nil, id))
}

// serverCall writes a call that the server has run, with its result if that came: one block, or a list of both.
func (w *turnWriter) serverCall(v rawjson.Value) {
	if rawjson.Kind(v) == '{' {
		w.add(hub.RoleAgent, conversation.Block{Body: v})
	}
	for block := range rawjson.Each(v) {
		w.add(hub.RoleAgent, conversation.Block{Body: block})
	}
}

func (w *turnWriter) callBlock(p *hub.Part, id []byte) conversation.Block {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool_use")
	b.Text("id", id)
	b.Text("name", p.Name)
	if caller := rawjson.Get(p.Meta.Of(dialectName), "caller"); caller != nil {
		b.Value("caller", caller)
	}
	if cache := rawjson.Get(p.Meta.Of(dialectName), "cache_control"); cache != nil {
		b.Value("cache_control", cache)
	}
	b.Key("input")
	return conversation.Block{Head: b.Buf, Body: conversation.ObjectArgs(p, w.losses), Tail: []byte("}")}
}

// add appends a block to the last turn of a role.
func (w *turnWriter) add(role hub.Role, block conversation.Block) {
	t := w.turns.At(role)
	t.Blocks = append(t.Blocks, block)
	w.tail = nil
}

// trimEnd takes the white space from the end of an answer that the model is to go on from: the API refuses it.
func (w *turnWriter) trimEnd() {
	n := len(w.turns)
	if n == 0 || w.turns[n-1].Role != hub.RoleAgent || w.tail == nil {
		return
	}
	blocks := w.turns[n-1].Blocks
	blocks[len(blocks)-1] = blockOfText(conversation.TrimRight(w.tail))
}
