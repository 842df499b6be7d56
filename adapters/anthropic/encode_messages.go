package anthropic

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// AppendMessages writes the turns of a conversation: what stands in a row on one side is one message, and the results of calls
// begin that of the user behind them.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := turnWriter{losses: l}
	for i := range ms {
		w.message(&ms[i])
	}
	w.trimEnd()
	out := jsonwriter.New(dst)
	out.Open('[')
	for i := range w.turns {
		w.turns[i].write(out)
	}
	out.Close(']')
	return out.Buf
}

// turnWriter collects the turns: what belongs into one comes from several messages, and not in its order.
type turnWriter struct {
	turns  []turn
	ids    conversation.IDs
	tail   []byte // the text that the last block is, nil if it is none
	losses *hub.Losses
}

// turn is one message of the API.
type turn struct {
	role            string
	whole           rawjson.Value // the message as it came
	results, blocks [][]byte
}

func (t *turn) write(w *jsonwriter.Writer) {
	if t.whole != nil {
		w.Raw(t.whole)
		return
	}
	w.Open('{')
	w.Const("role", t.role)
	w.OpenAt("content", '[')
	for _, list := range [][][]byte{t.results, t.blocks} {
		for _, block := range list {
			w.Raw(block)
		}
	}
	w.Close(']')
	w.Close('}')
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleSystem    = "system"
)

// at returns the last turn if it is of that role, or a new one.
func (w *turnWriter) at(role string) *turn {
	if n := len(w.turns); n == 0 || w.turns[n-1].role != role || w.turns[n-1].whole != nil {
		w.turns = append(w.turns, turn{role: role})
	}
	return &w.turns[len(w.turns)-1]
}

func (w *turnWriter) message(m *hub.Message) {
	role := roleUser
	switch m.Role {
	case hub.RoleAgent:
		role = roleAssistant
	case hub.RoleSystem:
		if whole := m.Meta.Of(dialectName); whole != nil {
			w.turns = append(w.turns, turn{role: roleSystem, whole: whole})
			return
		}
		role = roleSystem
	}
	var results [][]byte
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			w.part(role, p)
		} else if result := w.call(m, p); result != nil {
			results = append(results, result)
		}
	}
	if len(results) > 0 {
		t := w.at(roleUser)
		t.results = append(t.results, results...)
	}
}

// call writes a call, and returns the block of its result, nil if that is elsewhere or did not come. The call of a lone result
// is in no message here.
func (w *turnWriter) call(m *hub.Message, p *hub.Part) (result []byte) {
	w.losses.AddIf("messages.approval", p.Approval != nil)
	if ran := p.Meta.Of(dialectName); ran != nil && !p.ClientRuns {
		w.serverCall(ran)
		return nil
	}
	id := appendWireID(nil, p.ID)
	if m.Role == hub.RoleAgent {
		id = w.ids.Of(id)
		w.add(roleAssistant, w.callBlock(p, id))
	}
	if p.Result == nil {
		return nil
	}
	return w.resultBlock(p, id)
}

// serverCall writes a call that the server has run, with its result if that came: one block, or a list of both.
func (w *turnWriter) serverCall(v rawjson.Value) {
	if rawjson.Kind(v) == '{' {
		w.add(roleAssistant, v)
	}
	for block := range rawjson.Each(v) {
		w.add(roleAssistant, block)
	}
}

func (w *turnWriter) callBlock(p *hub.Part, id []byte) []byte {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool_use")
	b.Text("id", id)
	b.Text("name", p.Name)
	b.Value("input", w.input(p))
	if caller := rawjson.Get(p.Meta.Of(dialectName), "caller"); caller != nil {
		b.Value("caller", caller)
	}
	if cache := rawjson.Get(p.Meta.Of(dialectName), "cache_control"); cache != nil {
		b.Value("cache_control", cache)
	}
	b.Close('}')
	return b.Buf
}

// input are the arguments of a call, which have to be an object.
func (w *turnWriter) input(p *hub.Part) rawjson.Value {
	switch {
	case rawjson.Kind(p.Value) == '{':
		return p.Value
	case p.Value == nil && len(p.Text) == 0:
		return rawjson.Value("{}")
	}
	w.losses.Add("messages.arguments")
	b := jsonwriter.New(nil)
	b.Open('{')
	if p.Value != nil {
		b.Value("value", p.Value)
	} else {
		b.Text("value", p.Text)
	}
	b.Close('}')
	return b.Buf
}

// add appends a block to the last turn of a role.
func (w *turnWriter) add(role string, block []byte) {
	t := w.at(role)
	t.blocks = append(t.blocks, block)
	w.tail = nil
}

// trimEnd takes the white space from the end of an answer that the model is to go on from: the API refuses it.
func (w *turnWriter) trimEnd() {
	n := len(w.turns)
	if n == 0 || w.turns[n-1].role != roleAssistant || w.tail == nil {
		return
	}
	blocks := w.turns[n-1].blocks
	blocks[len(blocks)-1] = blockOfText(conversation.TrimRight(w.tail))
}
