// Package replay is the form at rest of conversations in dialects that have none of their own but their streams: the list of the
// records that tell the conversation again, as a session that is loaded, a log or a list of events does.
package replay

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/stages"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// A Form is the form at rest of one dialect.
type Form struct {
	Dialect *hub.Dialect

	// Wrap makes the record that an element of the list is in a stream; nil: it is one.
	Wrap func(element rawjson.Value) rawjson.Value

	// Unwrap is the element that a record is in the list, nil for a record that tells nothing of the conversation, such as the end of
	// a run; nil: all are elements as they are.
	Unwrap func(record rawjson.Value) rawjson.Value
}

// Former is implemented by a type that says what the form of its dialect is. A Form holds its dialect, and that its messages: a type
// says it when it is asked, where a variable would be made of itself.
type Former interface {
	Form() Form
}

// FormOf is the form that F says.
func FormOf[F Former]() Form {
	var f F
	return f.Form()
}

// Messages reads and writes conversations in the form that F says.
type Messages[F Former] struct{}

// DecodeMessages is [Form.DecodeMessages].
func (Messages[F]) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	return FormOf[F]().DecodeMessages(dst, v)
}

// AppendMessages is [Form.AppendMessages].
func (Messages[F]) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	return FormOf[F]().AppendMessages(dst, ms, l)
}

// DecodeMessages appends what the records of a list tell. Ends of runs between them end nothing.
func (f Form) DecodeMessages(dst []hub.Message, v rawjson.Value) ([]hub.Message, error) {
	r := reader{dec: f.Dialect.NewDecoder(f.Dialect.Defaults()), seq: sequencer.New(sequencer.Config{Replace: true}), folder: conversation.NewFolder(nil)}
	i := 0
	for element := range rawjson.Each(v) {
		if f.Wrap != nil {
			element = f.Wrap(element)
		}
		if err := r.read(element); err != nil {
			return dst, hub.NewError(hub.ReasonSyntax, "messages."+strconv.Itoa(i), -1, err.Error())
		}
		i++
	}
	return append(dst, r.end()...), nil
}

// reader folds what a decoder reads.
type reader struct {
	dec    hub.Decoder
	seq    *sequencer.Sequencer
	folder *conversation.Folder
	loose  []hub.Event
	strict []hub.Event
}

func (r *reader) read(record rawjson.Value) (err error) {
	r.loose, err = r.dec.Decode(r.loose[:0], wire.Record{Data: record})
	r.push()
	return err
}

// push takes in what was decoded, but for starts and ends of runs.
func (r *reader) push() {
	for i := range r.loose {
		if ev := &r.loose[i]; ev.Kind != hub.RunStart && ev.Kind != hub.RunEnd {
			r.take(r.seq.Push(r.strict[:0], r.loose[i:i+1], 0))
		}
	}
}

func (r *reader) take(strict []hub.Event) {
	r.strict = strict
	for i := range strict {
		r.folder.Add(&strict[i])
	}
}

// end ends the conversation as a run that waits: calls without results are open.
func (r *reader) end() []hub.Message {
	r.loose = r.dec.Finish(r.loose[:0], nil)
	r.push()
	r.take(r.seq.Push(r.strict[:0], []hub.Event{{Kind: hub.RunEnd, Status: hub.StatusPaused}}, 0))
	r.take(r.seq.Flush(r.strict[:0], nil))
	return r.folder.Messages()
}

// AppendMessages writes the records that tell the messages. Instructions are lost, as clients would show them; so are questions
// whether a call may run, which are put anew by whom they are of.
func (f Form) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := writer{Form: f, enc: f.Dialect.NewEncoder(f.Dialect.Defaults()), out: wire.NewOut(wire.NDJSON), losses: l, buf: append(dst, '[')}
	if f.Dialect.Caps.Has(hub.CapLinear) {
		w.linear = stages.NewLinear(0)
	}
	seq := sequencer.New(sequencer.Config{Replace: f.Dialect.Caps.Has(hub.CapReplace)})
	w.take(seq.Push(nil, conversation.Unfold(nil, expressible(ms, l)), 0))
	w.take(seq.Push(nil, []hub.Event{{Kind: hub.RunEnd, Status: hub.StatusPaused}}, 0))
	w.take(seq.Flush(nil, nil))
	if w.linear != nil {
		w.encode(w.linear.Flush(nil, nil))
	}
	return append(w.buf, ']')
}

// expressible returns the messages as events can express them.
func expressible(ms []hub.Message, l *hub.Losses) []hub.Message {
	all := make([]hub.Message, 0, len(ms))
	for i := range ms {
		m := ms[i]
		switch m.Role {
		case hub.RoleSystem:
			l.Add("messages.system")
			continue
		case hub.RoleResults: // a stream would begin their calls
			l.Add("messages.result")
			continue
		}
		m.Parts = make([]hub.Part, 0, len(m.Parts))
		for _, p := range ms[i].Parts {
			l.AddIf("messages.approval", p.Approval != nil)
			l.AddIf("messages.other", p.Kind == hub.PartRaw)
			l.AddIf("messages.source", p.Kind == hub.PartSource) // where a stream has them, they are links
			p.Approval, p.Result = nil, plain(p.Result, l)
			if p.Kind != hub.PartSource {
				m.Parts = append(m.Parts, p)
			}
		}
		all = append(all, m)
	}
	return all
}

// plain is a result as a value, or as one text: streams have it in several forms, and each tells other parts of it.
func plain(r *hub.CallResult, l *hub.Losses) *hub.CallResult {
	if r == nil || r.Value != nil && len(r.Text)+len(r.Content)+len(r.Err) == 0 {
		return r
	}
	l.AddIf("messages.result.content", !conversation.OnlyText(r.Content))
	ev := r.Event()
	return &hub.CallResult{ID: r.ID, Status: r.Status, Text: toolresult.Text(&ev)}
}

// writer collects records.
type writer struct {
	Form
	enc    hub.Encoder
	linear *stages.Linear // nil: the dialect has things side by side
	out    *wire.Out
	losses *hub.Losses
	buf    []byte
}

func (w *writer) take(strict []hub.Event) {
	if w.linear != nil {
		strict = w.linear.Push(nil, strict, 0)
	}
	w.encode(strict)
}

func (w *writer) encode(strict []hub.Event) {
	for i := range strict {
		ev := &strict[i]
		if ev.Kind == hub.ToolEnd && (ev.Status == hub.StatusClient || ev.Status == hub.StatusPaused) {
			continue // the call has no result yet
		}
		switch w.enc.Encode(w.out, ev) {
		case hub.Dropped:
			w.lose(ev)
		case hub.Folded:
			w.losses.AddIf("messages.arguments", ev.Kind == hub.ToolReady && rawjson.Kind(ev.Value) != '{')
		}
		w.records()
	}
}

// lost are the names of what an event says, where it is lost.
var lost = map[hub.Kind]string{
	hub.File: "messages.file", hub.Data: "messages.data",
	hub.ToolStart: "messages.call", hub.ToolReady: "messages.call", hub.ToolEnd: "messages.call",
}

func (w *writer) lose(ev *hub.Event) {
	name := lost[ev.Kind]
	if ev.Kind == hub.TextDelta && ev.Chan == hub.Reasoning {
		name = "messages.reasoning"
	}
	if name != "" {
		w.losses.Add(name)
	}
}

// records takes over what was written.
func (w *writer) records() {
	for rest := w.out.Buf; len(rest) > 0; {
		line := rest
		for i, c := range rest {
			if c == '\n' {
				line = rest[:i]
				break
			}
		}
		rest = rest[min(len(line)+1, len(rest)):]
		if w.Unwrap != nil {
			line = w.Unwrap(line)
		}
		if len(line) > 0 {
			if w.buf[len(w.buf)-1] != '[' {
				w.buf = append(w.buf, ',')
			}
			w.buf = append(w.buf, line...)
		}
	}
	w.out.Reset()
}
