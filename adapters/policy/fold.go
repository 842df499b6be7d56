package policy

import (
	"strconv"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// folder writes text of its own between the parts of a stream. A normalized stream has one open part at a time in a sub-agent,
// so what comes up while one is open waits for its end.
type folder struct {
	opened int    // parts that are open
	spoke  bool   // there was text already, which a folded line must not be joined to
	made   int    // parts made
	lines  []byte // string body: what waits
	id     []byte
	unique []byte           // makes the ids of parts unlike those of other answers; empty where they are not kept
	seen   func(*hub.Event) // receives the events that are made; may be nil
}

// maxLines bounds what waits, in bytes. What is more is shown in the middle of a part.
const maxLines = 64 << 10

func (f *folder) reset() {
	*f = folder{lines: f.lines[:0], id: f.id[:0], unique: f.unique[:0], seen: f.seen}
}

func (f *folder) full() bool { return len(f.lines) > maxLines }

func (f *folder) add(line []byte) {
	f.lines = append(f.lines, line...)
	f.lines = append(f.lines, `\n\n`...)
}

// flush shows what waits as a part of its own.
func (f *folder) flush(enc hub.Encoder, out *wire.Out) {
	if len(f.lines) == 0 {
		return
	}
	p := f.begin(enc, out, 0, "")
	f.text(enc, out, p, f.lines)
	f.lines = f.lines[:0]
	f.end(enc, out, p, "")
}

// folded is a part that is made: its number among these, and the slot of what it stands for.
type folded struct {
	n    int
	slot hub.Slot
}

// begin opens a part of answer text that begins with prefix.
func (f *folder) begin(enc hub.Encoder, out *wire.Out, slot hub.Slot, prefix string) folded {
	f.made++
	f.opened++
	p := folded{f.made, slot}
	f.write(enc, out, f.event(hub.TextStart, p))
	if f.spoke {
		prefix = `\n\n` + prefix
	}
	f.spoke = false
	if prefix != "" {
		f.text(enc, out, p, []byte(prefix))
	}
	return p
}

func (f *folder) text(enc hub.Encoder, out *wire.Out, p folded, text []byte) {
	ev := f.event(hub.TextDelta, p)
	ev.Text = text
	f.write(enc, out, ev)
}

func (f *folder) end(enc hub.Encoder, out *wire.Out, p folded, suffix string) {
	if suffix != "" {
		f.text(enc, out, p, []byte(suffix))
	}
	f.write(enc, out, f.event(hub.TextEnd, p))
	f.opened--
}

func (f *folder) write(enc hub.Encoder, out *wire.Out, ev *hub.Event) {
	if f.seen != nil {
		f.seen(ev)
	}
	enc.Encode(out, ev)
}

func (f *folder) event(kind hub.Kind, p folded) *hub.Event {
	f.id = append(f.id[:0], "folded_"...)
	if len(f.unique) > 0 {
		f.id = append(append(f.id, f.unique...), '_')
	}
	f.id = strconv.AppendInt(f.id, int64(p.n), 10)
	return &hub.Event{Kind: kind, Flags: hub.Synthetic, ID: f.id, Slot: p.slot}
}

// foldable are the classes that have a form as text.
var foldable = map[hub.Class]bool{
	hub.ClassReasoning: true, hub.ClassTools: true, hub.ClassProgress: true, hub.ClassAsks: true, hub.ClassPlan: true,
	hub.ClassNotice: true, hub.ClassSource: true, hub.ClassFile: true, hub.ClassSubAgents: true, hub.ClassData: true,
}

// Foldable reports whether events of a class can be folded into text.
func Foldable(c hub.Class) bool { return foldable[c] }

// maxFolded is how much of a value is shown, in bytes.
const maxFolded = 500

// appendFolded appends the string body of a line that says what ev says; nothing if there is nothing to say.
func appendFolded(dst []byte, ev *hub.Event) []byte {
	switch ev.Kind {
	case hub.Plan:
		return appendPlan(dst, ev)
	case hub.Notice:
		return appendNotice(dst, ev)
	case hub.Source:
		return appendLink(dst, "", ev)
	case hub.File:
		return appendLink(dst, "!", ev)
	case hub.Ask:
		return appendAsk(dst, ev)
	case hub.Answer:
		return bracket(dst, "answer", []byte(ev.Status.String()), nil)
	case hub.AgentStart:
		return bracket(dst, "agent", ev.Name, ev.Title)
	case hub.ToolUpdate, hub.ToolOutput:
		if len(ev.Text) > 0 {
			return bracket(dst, "progress", ev.Text, nil)
		}
	case hub.Data:
		return bracket(dst, "", ev.Name, quoted(ev.Value))
	}
	return dst
}

// bracket appends [label: name detail]; empty members are left out.
func bracket(dst []byte, label string, name, detail []byte) []byte {
	dst = append(dst, '[')
	dst = append(dst, label...)
	if label != "" && len(name) > 0 {
		dst = append(dst, ": "...)
	}
	dst = append(dst, name...)
	if len(detail) > 0 {
		dst = append(dst, ": "...)
		dst = clip(dst, detail)
	}
	return append(dst, ']')
}

func appendPlan(dst []byte, ev *hub.Event) []byte {
	if ev.More == nil {
		return dst
	}
	for i := range ev.More.Items {
		if i > 0 {
			dst = append(dst, `\n`...)
		}
		it := &ev.More.Items[i]
		switch string(it.Status) {
		case "completed":
			dst = append(dst, "- [x] "...)
		case "in_progress":
			dst = append(dst, "- [~] "...)
		default:
			dst = append(dst, "- [ ] "...)
		}
		dst = append(dst, it.Content...)
	}
	return dst
}

func appendNotice(dst []byte, ev *hub.Event) []byte {
	if len(ev.Text) == 0 {
		return dst
	}
	label := ev.Level.String()
	if label == "" {
		label = "notice"
	}
	dst = append(dst, '[')
	dst = append(dst, label...)
	dst = append(dst, ": "...)
	dst = append(dst, ev.Text...)
	return append(dst, ']')
}

// appendLink appends a link as Markdown has it.
func appendLink(dst []byte, mark string, ev *hub.Event) []byte {
	var file hub.FileRef
	if ev.More != nil {
		file = ev.More.File
	}
	name := ev.Title
	for _, other := range [][]byte{file.Name, file.URL, file.FileID, file.Media} {
		if len(name) == 0 {
			name = other
		}
	}
	if len(name) == 0 {
		return dst
	}
	if len(file.URL) == 0 {
		return bracket(dst, "file", name, nil)
	}
	dst = append(dst, mark...)
	dst = append(append(append(dst, '['), name...), "]("...)
	return append(append(dst, file.URL...), ')')
}

func appendAsk(dst []byte, ev *hub.Event) []byte {
	label := ev.AskKind.String()
	if label == "" {
		label = "question"
	}
	return bracket(dst, label, ev.Title, ev.Text)
}

// appendCall appends what a call was and what came of it.
func appendCall(dst []byte, c *call, end *hub.Event) []byte {
	dst = append(append(dst, '['), c.name...)
	if len(c.args) > 0 && string(c.args) != "{}" {
		dst = append(dst, ' ')
		dst = append(dst, c.args...)
	}
	dst = append(dst, " → "...)
	switch {
	case end.Status != hub.StatusOK:
		dst = append(dst, end.Status.String()...)
		if end.More != nil && len(end.More.Err) > 0 {
			dst = clip(append(dst, ": "...), end.More.Err)
		}
	case len(end.Text) > 0:
		dst = clip(dst, end.Text)
	case end.Value != nil:
		dst = clip(dst, quoted(end.Value))
	default:
		dst = append(dst, "done"...)
	}
	return append(dst, ']')
}

// quoted is the string body that shows a JSON value: its text if it is a string, else its notation.
func quoted(value []byte) []byte {
	if body, ok := rawjson.Str(value); ok {
		return body
	}
	return rawjson.AppendEscaped(nil, value)
}

// clip appends body, or its beginning if it is long. Escapes and characters stay whole.
func clip(dst, body []byte) []byte {
	if len(body) <= maxFolded {
		return append(dst, body...)
	}
	n := 0
	for n < maxFolded {
		n += charLen(body[n:])
	}
	return append(append(dst, body[:min(n, len(body))]...), "…"...)
}

// charLen is the length of the first character of a string body, or of a pair of escapes that make one.
func charLen(body []byte) int {
	const unit = len(`\u0000`)
	if body[0] != '\\' {
		_, n := utf8.DecodeRune(body)
		return n
	}
	if len(body) < 2 || body[1] != 'u' {
		return 2
	}
	if len(body) >= 2*unit && body[2]|0x20 == 'd' && body[3]|0x20 >= '8' && body[3]|0x20 <= 'b' && body[unit] == '\\' {
		return 2 * unit
	}
	return unit
}
