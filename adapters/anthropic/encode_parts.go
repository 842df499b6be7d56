package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// WritePart implements [conversation.BlockForm].
func (w *turnWriter) WritePart(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		w.text(role, p)
	case hub.PartReasoning:
		w.reasoning(role, p)
	case hub.PartFile:
		w.file(role, p)
	case hub.PartSource:
		if !w.answers || !w.cite(p) {
			w.Other(role, p)
		}
	default:
		w.Other(role, p)
	}
}

// cite writes a source as a citation of the text that was written last, as the stream has it, and reports whether it has a form.
func (w *turnWriter) cite(p *hub.Part) bool {
	blocks := w.Turns.At(hub.RoleAgent).Blocks
	ev := p.Source()
	citation := appendCitation(nil, &ev)
	if len(blocks) == 0 || string(blocks[len(blocks)-1].Head) != textHead || citation == nil {
		return false
	}
	w.Losses.AddIf("messages.source", lacksPlace(p.Value))
	last := &blocks[len(blocks)-1]
	if cited, some := bytes.CutSuffix(last.Tail, []byte("]}")); some {
		last.Tail = append(append(append(cited, ','), citation...), "]}"...)
	} else {
		last.Tail = append(append([]byte(`","citations":[`), citation...), "]}"...)
	}
	return true
}

// text writes a text, unless there is nothing in it: the API refuses that.
func (w *turnWriter) text(role hub.Role, p *hub.Part) {
	if conversation.Blank(p.Text) {
		return
	}
	switch v := p.Meta.Of(dialectName); {
	case v == nil:
		w.Add(role, blockOfText(p.Text))
	case !rawjson.IsNull(v): // else it is in another block
		w.Add(role, conversation.Block{Body: v})
	}
}

const textHead = `{"type":"text","text":"`

func blockOfText(text []byte) conversation.Block {
	return conversation.Block{Head: []byte(textHead), Body: text, Tail: []byte(`"}`)}
}

// reasoning writes what the API has signed: it refuses any other.
func (w *turnWriter) reasoning(role hub.Role, p *hub.Part) {
	if len(p.Sig) == 0 || role != hub.RoleAgent {
		w.Losses.Add("messages.reasoning")
		return
	}
	b := jsonwriter.New(nil)
	b.Open('{')
	if string(p.Name) == signatures.Redacted {
		b.Const("type", "redacted_thinking")
		b.Text("data", p.Sig)
	} else {
		b.Const("type", "thinking")
		b.Text("thinking", p.Text)
		b.Text("signature", p.Sig)
	}
	b.Close('}')
	w.Add(role, conversation.Block{Body: b.Buf})
}

// file writes an image or a document. The model has none, nor has a system message.
func (w *turnWriter) file(role hub.Role, p *hub.Part) {
	if v := p.Meta.Of(dialectName); v != nil && role == hub.RoleUser {
		w.Add(role, conversation.Block{Body: v})
		return
	}
	block := fileBlock(p.File, w.Losses)
	if block.IsZero() || role != hub.RoleUser {
		w.Losses.Add("messages.file")
		return
	}
	w.Add(role, block)
}

// fileBlock is the block of a file, none if there is none for its type.
func fileBlock(f *hub.FileRef, l *hub.Losses) (block conversation.Block) {
	block.Head, block.Body, block.Tail = claudewire.FileBlock(f, l)
	return block
}

// ResultBlock implements [conversation.BlockForm]. An error has to say something.
func (w *turnWriter) ResultBlock(p *hub.Part, id []byte) conversation.Block {
	ev := p.Result.Event()
	failed := ev.Status != hub.StatusOK
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool_result")
	b.Text("tool_use_id", legalid.Append(nil, id))
	if failed {
		b.Bool("is_error", true)
	}
	if toolresult.OnlyBlocks(&ev) && len(p.Result.Err) == 0 {
		b.Key("content")
		conversation.WriteResult(b, p.Result.Content, claudewire.FileBlock, w.Losses)
		b.Close('}')
		return conversation.Block{Body: b.Buf}
	}
	w.Losses.AddIf("messages.result.content", toolresult.Content(&ev) != nil && !toolresult.OnlyBlocks(&ev))
	text := toolresult.Text(&ev)
	if failed && conversation.Blank(text) {
		text = []byte(phrases.Call(ev.Status))
	}
	b.Key("content")
	return conversation.Block{Head: append(b.Buf, '"'), Body: text, Tail: []byte(`"}`)}
}
