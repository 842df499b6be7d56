package openaichat

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// reasoningForm says which members of a delta carry reasoning.
type reasoningForm struct{ content, reasoning, details bool }

// reasoningForms are the values of the option.
var reasoningForms = map[string]reasoningForm{
	"reasoning_content": {content: true},
	"reasoning":         {reasoning: true},
	"both":              {content: true, reasoning: true},
	"details":           {reasoning: true, details: true},
}

// sealing is what reasoning_details need: which part of reasoning it is, counted from 0, and whether it has a text.
type sealing struct {
	part    []byte
	n       int
	hasText bool
}

// index returns the number of a part.
func (s *sealing) index(id []byte) int {
	if !bytes.Equal(s.part, id) {
		if s.part != nil {
			s.n++
		}
		s.part, s.hasText = append(s.part[:0:0], id...), false
	}
	return s.n
}

// reason writes a piece of reasoning. It is an extension in that OpenAI's own API has no member for it; most clients read
// it, and the others ignore it.
func (e *encoder) reason(out *wire.Out, ev *hub.Event) hub.Disposition {
	f := &e.reasoning
	b := append(member.Begin(out, ""), e.head...)
	sep := byte('{')
	if f.content {
		b = append(append(append(b, sep), `"reasoning_content":"`...), ev.Text...)
		b, sep = append(b, '"'), ','
	}
	if f.reasoning {
		b = append(append(append(b, sep), `"reasoning":"`...), ev.Text...)
		b = append(b, '"')
	}
	if f.details {
		n := e.sealing.index(ev.ID)
		e.sealing.hasText = true
		b = append(append(b, `,"reasoning_details":[{"type":"reasoning.text","text":"`...), ev.Text...)
		b = strconv.AppendInt(append(b, `","index":`...), int64(n), 10)
		b = append(b, "}]"...)
	}
	member.End(out, append(append(b, '}'), chunkEnd...))
	return hub.Extension
}

// reasonEnd writes the signature, where there is a place for it.
func (e *encoder) reasonEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	switch {
	case len(ev.Rare().Sig) == 0, !e.reasoning.details && !signatures.IsSigned(ev):
		return hub.Implied
	case !e.reasoning.details:
		return hub.Dropped
	}
	n := e.sealing.index(ev.ID)
	var p proofs
	p.show(&hub.Part{Sig: ev.More.Sig}, n, e.sealing.hasText)
	w := jsonwriter.New(append(member.Begin(out, ""), e.head...))
	w.Open('{')
	p.write(w)
	w.Close('}')
	member.End(out, append(w.Buf, chunkEnd...))
	return hub.Extension
}
