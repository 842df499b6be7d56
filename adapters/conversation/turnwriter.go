package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TurnWriter collects a conversation as turns of blocks, for model APIs that take the result of a call as a block of the user's.
type TurnWriter struct {
	Turns   Turns
	IDs     *IDs
	Losses  *hub.Losses
	Dialect string
	Form    BlockForm
}

// BlockForm is how a dialect writes blocks.
type BlockForm interface {
	// CallBlock is the block of a call, whose id it makes one that the API takes.
	CallBlock(p *hub.Part, id []byte) Block

	// ResultBlock is the block of the result of a call, with the same id.
	ResultBlock(p *hub.Part, id []byte) Block

	// WritePart adds the blocks of a part that is no call.
	WritePart(role hub.Role, p *hub.Part)
}

// Message adds a message. The results of its calls begin the turn of the user's behind it.
func (w *TurnWriter) Message(m *hub.Message) {
	LostBlanks(m, w.Losses)
	var results []Block
	for i := range m.Parts {
		p := &m.Parts[i]
		if p.Kind != hub.PartCall {
			w.Form.WritePart(m.Role, p)
		} else if result := w.call(m, p); !result.IsZero() {
			results = append(results, result)
		}
	}
	if len(results) > 0 {
		t := w.Turns.At(hub.RoleUser)
		t.Results = append(t.Results, results...)
	}
}

// call writes a call, and returns the block of its result, none if that is elsewhere or did not come. The call of a lone result
// is in no message here.
func (w *TurnWriter) call(m *hub.Message, p *hub.Part) (result Block) {
	w.Losses.AddIf("messages.approval", p.Approval != nil)
	if ran := p.Meta.Of(w.Dialect); ran != nil && !p.ClientRuns {
		w.serverCall(ran)
		return result
	}
	id := p.ID
	if m.Role == hub.RoleAgent {
		id = w.IDs.Of(id)
		w.Add(hub.RoleAgent, w.Form.CallBlock(p, id))
	}
	if p.Result == nil {
		return result
	}
	return w.Form.ResultBlock(p, id)
}

// serverCall writes a call that the API has run, with its result if that came: one block, or a list of both.
func (w *TurnWriter) serverCall(v rawjson.Value) {
	if rawjson.Kind(v) == '{' {
		w.Add(hub.RoleAgent, Block{Body: v})
	}
	for block := range rawjson.Each(v) {
		w.Add(hub.RoleAgent, Block{Body: block})
	}
}

// Add adds a block to the last turn of a role.
func (w *TurnWriter) Add(role hub.Role, block Block) {
	t := w.Turns.At(role)
	t.Blocks = append(t.Blocks, block)
}

// Other adds a part of the kinds that model APIs have no block for: only their own come back to them.
func (w *TurnWriter) Other(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartRaw:
		if v := p.Meta.Of(w.Dialect); v != nil {
			w.Add(role, Block{Body: v})
		} else {
			w.Losses.Add("messages.other")
		}
	case hub.PartSource: // those of the API's own stand with their text
		w.Losses.AddIf("messages.source", p.Meta.Of(w.Dialect) == nil)
	case hub.PartData:
		w.Losses.Add("messages.data")
	}
}

// WriteAnswer writes the parts of an answer as a member, and reports whether the client has calls to run. unsigned is the block of
// reasoning without a signature: an answer may have it, a request may not.
func (w *TurnWriter) WriteAnswer(out *jsonwriter.Writer, parts []*hub.Part, unsigned func(*hub.Part) Block) (asked bool) {
	answer := hub.Message{Role: hub.RoleAgent}
	for _, p := range parts {
		switch {
		case p.Kind == hub.PartReasoning && len(p.Sig) == 0:
			w.Add(hub.RoleAgent, unsigned(p))
		case p.Kind == hub.PartCall && p.Value == nil && len(p.Text) > 0:
			w.Losses.Add("messages.arguments") // broken off: the client would run it with others
		default:
			asked = asked || p.Kind == hub.PartCall
			answer.Parts = []hub.Part{*p}
			w.Message(&answer)
		}
	}
	out.OpenAt("content", '[')
	for i := range w.Turns {
		WriteBlocks(out, w.Turns[i].Blocks)
	}
	out.Close(']')
	return asked
}

// UserFirst puts a turn of the user's in front of a conversation that the agent begins. text makes its block.
func (w *TurnWriter) UserFirst(text func(body []byte) Block) {
	w.Turns.UserFirst(text([]byte(Opening)))
}

// Write writes the turns as messages.
func (w *TurnWriter) Write(out *jsonwriter.Writer, roles map[hub.Role]string) {
	for i := range w.Turns {
		t := &w.Turns[i]
		if t.Whole != nil {
			out.Raw(t.Whole)
			continue
		}
		out.Open('{')
		out.Const("role", roles[t.Role])
		out.OpenAt("content", '[')
		WriteBlocks(out, t.Results)
		WriteBlocks(out, t.Blocks)
		out.Close(']')
		out.Close('}')
	}
}

// WriteSystem writes the instructions as a member, each part as blocks of its own: what the client marks for the cache stays where it is.
func (w *TurnWriter) WriteSystem(out *jsonwriter.Writer, ms []hub.Message) {
	for i := range ms {
		for j := range ms[i].Parts {
			w.Form.WritePart(hub.RoleSystem, &ms[i].Parts[j])
		}
	}
	if len(w.Turns) > 0 {
		out.OpenAt("system", '[')
		WriteBlocks(out, w.Turns[0].Blocks)
		out.Close(']')
	}
}
