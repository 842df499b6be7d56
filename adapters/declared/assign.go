package declared

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// find returns what a source gives for a field of this form, nil if there is nothing that fits; and the value that was looked
// at.
func (d *decoder) find(s *source, f form) (found []byte, v rawjson.Value) {
	if len(s.members) == 0 {
		return s.constant, nil
	}
	v = d.value(s)
	switch f {
	case formBody, formLabel:
		return d.body(s, f, v), v
	case formItems, formOptions, formArray:
		f = formArray
	}
	v = d.converted(s, v)
	if rawjson.Kind(v) == 'n' && f != formRaw || !fits(f, v) {
		return nil, v
	}
	return v, v
}

// body reads a value as a string body; nil if it is none.
func (d *decoder) body(s *source, f form, v rawjson.Value) []byte {
	body, isString := rawjson.Str(v)
	switch {
	case isString, rawjson.IsNull(v):
	case s.text, s.words != nil, f == formLabel && rawjson.Kind(v) == '0':
		body = d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), v))
	}
	if s.words == nil || body == nil {
		return body
	}
	if w, ok := s.words[string(d.plain(body))]; ok {
		return w.body
	}
	if s.other != nil {
		return s.other.body
	}
	return nil
}

// converted is v, or the JSON in it.
func (d *decoder) converted(s *source, v rawjson.Value) rawjson.Value {
	body, isString := rawjson.Str(v)
	if !s.json || !isString {
		return v
	}
	if inner, ok := rawjson.ValueOfText(d.scratch.Begin(), body); ok {
		return d.scratch.Since(inner)
	}
	return v
}

// slot puts a slice into a field; nil leaves it as it is.
func (d *decoder) slot(ev *hub.Event, f field, val []byte) {
	if val == nil {
		return
	}
	if info := &fieldInfos[f]; info.slice != nil {
		*info.slice(ev) = val
	} else {
		*info.more(d.scratch.MoreOf(ev)) = val
	}
}

// assign fills one field. What is absent or does not fit leaves it empty.
func (d *decoder) assign(ev *hub.Event, a *assign) {
	if len(a.members) > 0 && a.other == nil && d.value(&a.source) == nil {
		return // the usual case of a field that most records do not have
	}
	switch a.form {
	case formWord:
		d.word(ev, a)
	case formCount:
		d.count(ev, a)
	case formArgs:
		d.args(ev, &a.source)
	case formResult:
		d.result(ev, &a.source)
	default:
		val, _ := d.find(&a.source, a.form)
		d.slot(ev, a.field, val)
	}
}

// word maps a word of the upstream. Without a match the field keeps what events of its kind have.
func (d *decoder) word(ev *hub.Event, a *assign) {
	v := d.value(&a.source)
	if body, isString := rawjson.Str(v); isString {
		v = d.plain(body)
	}
	if w, ok := a.words[string(v)]; ok && v != nil {
		wordFields[a.field].set(ev, w.value)
	} else if a.other != nil {
		wordFields[a.field].set(ev, a.other.value)
	}
}

func (d *decoder) count(ev *hub.Event, a *assign) {
	v := rawjson.Value(a.constant)
	if len(a.members) > 0 {
		v = d.value(&a.source)
	}
	if n, ok := rawjson.Int(v); ok && n >= 0 {
		*fieldInfos[a.field].count(d.scratch.MoreOf(ev)) = n
	}
}

// args reads the arguments of a call: JSON, or a string that holds JSON. What is no JSON is kept as text.
func (d *decoder) args(ev *hub.Event, s *source) {
	if len(s.members) == 0 {
		ev.Value = s.constant
		return
	}
	d.scratch.SetArgs(ev, d.value(s))
}

// result reads what a tool gave. A string stays text, even if it holds JSON: the server means a string.
func (d *decoder) result(ev *hub.Event, s *source) {
	if len(s.members) == 0 {
		ev.Text = s.constant
		return
	}
	v := d.value(s)
	if body, ok := rawjson.Str(v); ok {
		ev.Text = body
	} else {
		ev.Value = v
	}
}

// list reads the items of a plan, or the options of a question.
func (d *decoder) list(ev *hub.Event, l *listSource) {
	m := d.scratch.MoreOf(ev)
	elems := rawjson.Elems(d.value(&l.source))
	for range maxElements {
		elem, ok := elems.Next()
		if !ok {
			return
		}
		d.views[l.inner].look(elem)
		var parts [4][]byte
		for i, s := range l.parts {
			if s != nil {
				parts[i], _ = d.find(s, formLabel)
			}
		}
		if l.field == fieldItems {
			m.Items = append(m.Items, hub.PlanItem{ID: parts[0], Content: parts[1], Status: parts[2], Priority: parts[3]})
		} else {
			m.Options = append(m.Options, hub.AskOption{ID: parts[0], Name: parts[1], Kind: parts[2]})
		}
	}
}
