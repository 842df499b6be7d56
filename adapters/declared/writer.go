package declared

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// writer fills templates with one event. The zero value with an event is ready.
type writer struct {
	ev   *hub.Event
	rule *encodeRule // nil: no names, no items
	call *call       // nil: the event is about none
	enc  *encoder    // nil: what encoders know besides is absent

	status hub.Status // that is written: the event's own, or the one that stands for it

	request *hub.Request // that a template for requests is filled with; nil: the event

	part  *part    // of a list, that a template for items is filled with; nil: the event
	used  fieldSet // fields of the event that have been written
	other bool     // a constant stands for something that is absent: a reader learns what was never said

	scratch []byte // numbers, joined texts; what find returns is valid until its next call
}

// part is an item of a plan, or an option of a question.
type part struct {
	index int

	id, content, name, status, priority, kind []byte
}

// begin makes ev the event that templates are filled with.
func (w *writer) begin(ev *hub.Event, r *encodeRule, as hub.Status, c *call) {
	w.ev, w.rule, w.status, w.call = ev, r, as, c
	w.used, w.other = 0, false
}

// append appends a record. ok is false if the template is one placeholder, which is absent; dst is then as it was.
func (w *writer) append(dst []byte, t *template) (_ []byte, ok bool) {
	ok = true
	for i := range t.pieces {
		p := &t.pieces[i]
		n := len(dst)
		dst = p.appendLit(dst)
		if p.val == nil {
			continue
		}
		var there bool
		if dst, there = w.value(dst, p.val); !there {
			dst = dst[:n]
			ok = ok && len(t.pieces) > 1
		}
	}
	return dst, ok
}

// value appends what placeholders make; if one of them is absent, dst is worth nothing.
func (w *writer) value(dst []byte, v *value) (_ []byte, ok bool) {
	switch {
	case v.plain != fieldNone && w.part == nil && w.request == nil && (w.rule == nil || w.rule.names == nil):
		return w.plain(dst, v.plain)
	case !v.quoted:
		return w.segment(dst, v.texts[0].alt, false)
	}
	dst = append(dst, '"')
	for i := range v.texts {
		s := &v.texts[i]
		if s.alt == nil {
			dst = append(dst, s.lit...)
			continue
		}
		if dst, ok = w.segment(dst, s.alt, true); !ok {
			return dst, false
		}
	}
	return append(dst, '"'), true
}

// plain is value for a string of the event, as nearly all deltas have it.
func (w *writer) plain(dst []byte, f field) ([]byte, bool) {
	body := *fieldInfos[f].slice(w.ev)
	if body == nil || len(body) == 0 && f != fieldText {
		return dst, false
	}
	w.used |= 1 << f
	return rawjson.AppendQuoted(dst, body), true
}

// segment appends the first alternative that is there; one that is not the last must not be empty either.
func (w *writer) segment(dst []byte, alt []ref, quoted bool) ([]byte, bool) {
	for i := range alt {
		r := &alt[i]
		if r.isLit {
			w.other = w.other || i > 0 && len(r.lit) > 0
			return appendBody(dst, r.lit, quoted), true
		}
		used := w.used
		val, isJSON, ok := w.named(r)
		if !ok || len(val) == 0 && i < len(alt)-1 {
			w.used = used
			continue
		}
		if isJSON {
			return appendJSON(dst, val, quoted), true
		}
		return appendBody(dst, val, quoted), true
	}
	return dst, false
}

// appendBody appends a string body: within quotes as it is.
func appendBody(dst, body []byte, quoted bool) []byte {
	if quoted {
		return append(dst, body...)
	}
	return rawjson.AppendQuoted(dst, body)
}

// appendJSON appends a value: within quotes a string stays what it is, and other values are serialised.
func appendJSON(dst []byte, v rawjson.Value, quoted bool) []byte {
	body, isString := rawjson.Str(v)
	switch {
	case !quoted:
		return append(dst, v...)
	case isString:
		return append(dst, body...)
	}
	return rawjson.AppendEscaped(dst, v)
}

// named is find, with the names that the rule has for values.
func (w *writer) named(r *ref) (val []byte, isJSON, ok bool) {
	val, isJSON, ok = w.find(r)
	if !ok || isJSON || w.rule == nil || w.rule.names == nil || len(r.steps) > 0 {
		return val, isJSON, ok
	}
	table := w.rule.names[r.field]
	if table == nil {
		return val, false, true
	}
	n, known := table[string(val)]
	if !known {
		n, known = table[elseName]
	}
	if !known {
		w.other = true // the rules do not say how readers recognize it
		return val, false, true
	}
	w.other = w.other || n.shared
	return n.json, true, true
}

// find returns the value of a placeholder: JSON, or else the body of a string.
func (w *writer) find(r *ref) (val []byte, isJSON, ok bool) {
	if w.part != nil {
		return w.findPart(r.field)
	}
	val, isJSON, ok = w.field(r.field)
	if !ok || len(r.steps) == 0 {
		return val, isJSON, ok
	}
	if !isJSON {
		return nil, false, false
	}
	val = walk(val, r.steps)
	return val, true, val != nil
}

// field returns the value of a field.
func (w *writer) field(f field) (val []byte, isJSON, ok bool) {
	if w.request != nil {
		return w.ofRequest(f)
	}
	switch f.form() {
	case formWord:
		return w.word(f)
	case formCount:
		return w.count(f)
	case formMade:
		return w.made(f)
	case formArgs:
		return w.args()
	case formResult:
		return w.result()
	case formItems, formOptions:
		return w.list(f)
	}
	if f == fieldName && len(w.ev.Name) == 0 && w.call != nil {
		return w.call.name, false, true
	}
	slot := f.slot(w.ev)
	if slot == nil || *slot == nil || len(*slot) == 0 && f != fieldText {
		return nil, false, false
	}
	w.used |= 1 << f
	isBody := f.form() == formBody || f.form() == formLabel
	return *slot, !isBody, true
}

// wordBodies are the names of all words as bytes.
var wordBodies = func() (all [fieldWhat + 1][32][]byte) {
	for f := fieldStatus; f <= fieldWhat; f++ {
		for i := range all[f] {
			all[f][i] = []byte(wordFields[f].name(uint8(i)))
		}
	}
	return all
}()

func (w *writer) word(f field) (val []byte, isJSON, ok bool) {
	v := wordOf(f, w.ev)
	if f == fieldStatus {
		v = uint8(w.status)
	}
	val = wordBodies[f][v]
	return val, false, len(val) > 0
}

func (w *writer) count(f field) (val []byte, isJSON, ok bool) {
	if w.ev.More == nil {
		return nil, false, false
	}
	n := *fieldInfos[f].count(w.ev.More)
	if n < 0 || n == 0 && f == fieldTime {
		return nil, false, false
	}
	w.used |= 1 << f
	return w.number(n), true, true
}

func (w *writer) number(n int64) []byte {
	w.scratch = strconv.AppendInt(w.scratch[:0], n, 10)
	return w.scratch
}

// made returns what the encoder knows besides the event.
func (w *writer) made(f field) (val []byte, isJSON, ok bool) {
	switch {
	case f == fieldKind:
		w.scratch = append(w.scratch[:0], w.ev.Kind.String()...)
		return w.scratch, false, true
	case w.enc == nil:
	case f == fieldSeq:
		return w.number(w.enc.seq), true, true
	case f == fieldIndex && w.call != nil:
		return w.number(w.enc.calls.indexOf(w.call)), true, true
	case f == fieldRun:
		return w.enc.run, false, len(w.enc.run) > 0
	case f == fieldThread:
		return w.enc.thread, false, len(w.enc.thread) > 0
	}
	return nil, false, false
}

// args returns the arguments of a call: those of the event, or those that were kept for its end.
func (w *writer) args() (val []byte, isJSON, ok bool) {
	ev := w.ev
	if ev.Kind == hub.ToolEnd {
		if w.call == nil || w.call.args == nil {
			return nil, false, false
		}
		return w.argsText(w.call.args, w.call.argsJSON)
	}
	switch {
	case ev.Value != nil:
		w.used |= 1 << fieldValue
		return w.argsText(ev.Value, true)
	case ev.Text != nil:
		w.used |= 1 << fieldText
		return ev.Text, false, true
	}
	return nil, false, false
}

// argsText returns arguments that are a string or null as their JSON text: a string is read as the text of arguments, and null as
// none.
func (w *writer) argsText(args []byte, isJSON bool) (val []byte, _, ok bool) {
	if k := rawjson.Kind(args); isJSON && (k == '"' || k == 'n') {
		w.scratch = rawjson.AppendEscaped(w.scratch[:0], args)
		return w.scratch, false, true
	}
	return args, isJSON, true
}

// result returns what a tool gave: text, JSON, or what its content blocks say.
func (w *writer) result() (val []byte, isJSON, ok bool) {
	ev := w.ev
	switch {
	case ev.Text != nil:
		w.used |= 1 << fieldText
		return ev.Text, false, true
	case ev.Value != nil:
		w.used |= 1 << fieldValue
		return ev.Value, true, true
	case ev.Rare().Content != nil:
		w.used |= 1 << fieldContent
		w.other = true // blocks become text, or JSON of Sabir's own
		return w.blocks(ev.More.Content)
	}
	return nil, false, false
}

// blocks joins the texts of content blocks, if all of them are text.
func (w *writer) blocks(content rawjson.Value) (val []byte, isJSON, ok bool) {
	w.scratch = w.scratch[:0]
	for block := range rawjson.Each(content) {
		body, isText := rawjson.Str(rawjson.Get(block, "content", "text"))
		if !isText {
			return content, true, true
		}
		w.scratch = append(w.scratch, body...)
	}
	return w.scratch, false, true
}
