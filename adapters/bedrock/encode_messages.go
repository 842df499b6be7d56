package bedrock

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/legalid"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// AppendMessages writes the turns of a conversation: what stands in a row on one side is one message, and the results of calls
// begin that of the user behind them.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	dst, _ = appendMessages(dst, ms, l)
	return dst
}

// appendMessages also returns whose the last turn is.
func appendMessages(dst []byte, ms []hub.Message, l *hub.Losses) ([]byte, hub.Role) {
	w := newTurnWriter(conversation.CallIDs(ms), l)
	conversation.LostNames(ms, l)
	for i := range ms {
		w.Message(&ms[i])
	}
	w.wordsBesideDocuments()
	w.UserFirst(textBlockOf)
	out := jsonwriter.New(dst)
	out.Open('[')
	w.Write(out, roleNames)
	out.Close(']')
	return out.Buf, w.Turns.Last()
}

// wordsBesideDocuments adds a text where the user sends documents and no word: the API wants one with them.
func (w *turnWriter) wordsBesideDocuments() {
	for i := range w.Turns {
		t := &w.Turns[i]
		if t.Role == hub.RoleUser && slices.ContainsFunc(t.Blocks, isBlock(`{"document":`)) && !slices.ContainsFunc(t.Blocks, isBlock(`{"text":`)) {
			t.Blocks = append(t.Blocks, textBlockOf([]byte(conversation.BesideDocuments)))
		}
	}
}

// isBlock tells blocks by how they begin.
func isBlock(head string) func(conversation.Block) bool {
	return func(b conversation.Block) bool {
		return bytes.HasPrefix(b.Head, []byte(head)) || len(b.Head) == 0 && bytes.HasPrefix(b.Body, []byte(head))
	}
}

// turnWriter writes the blocks of turns.
type turnWriter struct {
	conversation.TurnWriter
	answers   bool           // the turn is an answer, in which sources are citations: a request has only those that the API has made
	documents map[string]int // by the names that documents have, in lower case: the number that the last of that name has
}

func newTurnWriter(ids *conversation.IDs, l *hub.Losses) *turnWriter {
	w := new(turnWriter)
	w.TurnWriter = conversation.TurnWriter{IDs: ids, Losses: l, Dialect: dialectName, Form: w}
	return w
}

// roleNames are the roles that turns have.
var roleNames = map[hub.Role]string{hub.RoleSystem: "system", hub.RoleUser: "user", hub.RoleAgent: "assistant"}

// CallBlock implements [conversation.BlockForm].
func (w *turnWriter) CallBlock(p *hub.Part, id []byte) conversation.Block {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("toolUse", '{')
	b.Text("toolUseId", legalid.Append(nil, id))
	b.Text("name", p.Name)
	b.Key("input")
	return conversation.Block{Head: b.Buf, Body: conversation.ObjectArgs(p, w.Losses), Tail: []byte("}}")}
}

// WritePart implements [conversation.BlockForm].
func (w *turnWriter) WritePart(role hub.Role, p *hub.Part) {
	switch p.Kind {
	case hub.PartText, hub.PartRefusal:
		if own := p.Meta.Of(dialectName); own != nil {
			w.Add(role, conversation.Block{Body: own})
		} else if !conversation.Blank(p.Text) {
			w.Add(role, textBlockOf(p.Text))
		}
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

const textHead, citedHead, citedTail = `{"text":"`, `{"citationsContent":{"content":[{"text":"`, `]}}`

func textBlockOf(text []byte) conversation.Block {
	return conversation.Block{Head: []byte(textHead), Body: text, Tail: []byte(`"}`)}
}

// cite writes a source as a citation of the text that was written last, as the stream has it, and reports whether it has a form.
func (w *turnWriter) cite(p *hub.Part) bool {
	blocks := w.Turns.At(hub.RoleAgent).Blocks
	ev := p.Source()
	citation := appendCitation(nil, &ev)
	if len(blocks) == 0 || citation == nil {
		return false
	}
	w.Losses.AddIf("messages.source", lacks(&ev))
	last := &blocks[len(blocks)-1]
	switch string(last.Head) {
	case textHead:
		last.Head, last.Tail = []byte(citedHead), append(append([]byte(`"}],"citations":[`), citation...), citedTail...)
	case citedHead:
		last.Tail = append(append(append(bytes.TrimSuffix(last.Tail, []byte(citedTail)), ','), citation...), citedTail...)
	default:
		return false
	}
	return true
}

// reasoning writes what a model has signed: it refuses any other.
func (w *turnWriter) reasoning(role hub.Role, p *hub.Part) {
	if len(p.Sig) == 0 || role != hub.RoleAgent {
		w.Losses.Add("messages.reasoning")
		return
	}
	w.Add(role, reasoningBlockOf(p))
}

func reasoningBlockOf(p *hub.Part) conversation.Block {
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("reasoningContent", '{')
	if string(p.Name) == signatures.Redacted {
		b.Text("redactedContent", p.Sig)
	} else {
		b.OpenAt("reasoningText", '{')
		b.Text("text", p.Text)
		b.TextIf("signature", p.Sig)
		b.Close('}')
	}
	b.Close('}')
	b.Close('}')
	return conversation.Block{Body: b.Buf}
}

// file writes a file. The instructions have none, and of the model's only images are taken.
func (w *turnWriter) file(role hub.Role, p *hub.Part) {
	if v := p.Meta.Of(dialectName); v != nil && role != hub.RoleSystem {
		w.Add(role, conversation.Block{Body: v})
		return
	}
	head, body, tail, ok := w.fileBlock(p.File)
	if !ok || role != hub.RoleUser {
		w.Losses.Add("messages.file")
		return
	}
	w.Add(role, conversation.Block{Head: head, Body: body, Tail: tail})
}

// ResultBlock implements [conversation.BlockForm].
func (w *turnWriter) ResultBlock(p *hub.Part, id []byte) conversation.Block {
	ev := p.Result.Event()
	failed := ev.Status != hub.StatusOK
	b := jsonwriter.New(nil)
	b.Open('{')
	b.OpenAt("toolResult", '{')
	b.Text("toolUseId", legalid.Append(nil, id))
	b.OpenAt("content", '[')
	if toolresult.OnlyBlocks(&ev) && len(p.Result.Err) == 0 {
		w.resultContent(b, p.Result.Content)
	} else {
		w.resultValue(b, &ev)
	}
	b.Close(']')
	if failed {
		b.Const("status", "error")
	}
	b.Close('}')
	b.Close('}')
	return conversation.Block{Body: b.Buf}
}

// resultValue writes a result that is a text or a value: an object as such. An error has to say something.
func (w *turnWriter) resultValue(b *jsonwriter.Writer, ev *hub.Event) {
	w.Losses.AddIf("messages.result.content", toolresult.Content(ev) != nil && !toolresult.OnlyBlocks(ev))
	if len(ev.Text) == 0 && rawjson.Kind(ev.Value) == '{' {
		b.Open('{')
		b.Value("json", ev.Value)
		b.Close('}')
		return
	}
	text := toolresult.Text(ev)
	if ev.Status != hub.StatusOK && conversation.Blank(text) {
		text = []byte(phrases.Call(ev.Status))
	}
	conversation.WriteBlocks(b, []conversation.Block{textBlockOf(text)})
}

// resultContent writes texts and files. What has no form here is written as text.
func (w *turnWriter) resultContent(b *jsonwriter.Writer, content rawjson.Value) {
	for v := range rawjson.Each(content) {
		inner := rawjson.Get(v, "content")
		f, isFile := conversation.BlockFile(v)
		if head, body, tail, ok := w.fileBlock(&f); ok && isFile {
			conversation.WriteBlocks(b, []conversation.Block{{Head: head, Body: body, Tail: tail}})
			continue
		}
		text, isText := rawjson.Str(rawjson.Get(inner, "text"))
		if !isText || string(rawjson.Text(inner, "type")) != "text" {
			w.Losses.Add("messages.result.content")
			text = toolresult.AppendBlocks(nil, append(append([]byte{'['}, v...), ']'))
		}
		if !conversation.Blank(text) {
			conversation.WriteBlocks(b, []conversation.Block{textBlockOf(text)})
		}
	}
}
