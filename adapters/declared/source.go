package declared

import (
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// source is where the value of a field comes from: a constant, or members of the record, the first of them that is there.
type source struct {
	view    int // number of the view that has the members
	members []int
	path    string // of the first, for errors

	constant []byte // a string body, or JSON; used when there are no members
	text     bool   // any JSON becomes text
	json     bool   // a string that holds JSON becomes that JSON

	words map[string]word // by plain text; nil: the value as it is
	place string          // of words in the document
	other *word           // for what is not in words
}

// word is what a value of the upstream stands for.
type word struct {
	body  []byte // for fields that hold text
	value uint8  // for fields of a vocabulary
}

// Paths in the document that stand for something other than a member.
const pathEvent = "@event"

// memberEvent is the SSE event name.
const memberEvent = -1

// reader reads what belongs to decoding: sources add what they want to the plan.
type reader struct {
	plan *plan
	view int  // number of the view for the plan
	each bool // paths start at an element
}

// source reads where the value of field f comes from, for an event of one of these kinds. ok is false when it is not set
// or wrong.
func (r *reader) source(n node, f field, kinds []hub.Kind) (s source, ok bool) {
	s.view = r.view
	switch val := n.val.(type) {
	case nil:
		return s, false
	case map[string]any, map[any]any:
		return r.longSource(n, f, kinds)
	case string:
		if f.form() == formWord {
			return r.constWord(n, f, kinds)
		}
		if text, found := strings.CutPrefix(val, "="); found {
			s.constant, ok = constant(n, f, text)
			return s, ok
		}
	}
	if f.form() == formWord {
		n.problem("must be one of %s, or a map with from and map", strings.Join(wordsOf(kinds, f), ", "))
		return s, false
	}
	ok = r.paths(n, &s)
	return s, ok
}

func (r *reader) constWord(n node, f field, kinds []hub.Kind) (s source, ok bool) {
	w, ok := r.word(n, f, kinds)
	s.other = &w
	return s, ok
}

// word reads one word of a vocabulary, or a text.
func (r *reader) word(n node, f field, kinds []hub.Kind) (w word, ok bool) {
	text, ok := n.word()
	if !ok {
		return w, false
	}
	if f.form() != formWord {
		w.body = rawjson.AppendEscaped(nil, []byte(text))
		return w, true
	}
	if !mean(kinds, f, text) {
		n.problem("must be one of %s, not %q", strings.Join(wordsOf(kinds, f), ", "), clip(text))
		return w, false
	}
	w.value, _ = wordFields[f].parse(text)
	return w, true
}

// constant reads what stands behind an equals sign.
func constant(n node, f field, text string) ([]byte, bool) {
	switch f.form() {
	case formLabel, formBody, formResult:
		return rawjson.AppendEscaped(nil, []byte(text)), true
	}
	value := rawjson.Value(text)
	var json rawjson.Decoder
	if json.Valid(value) != nil || !fits(f.form(), value) {
		n.problem("must be %s behind the equals sign, not %q", wants(f.form()), clip(text))
		return nil, false
	}
	return value, true
}

// paths reads a path, or several of which the first that leads somewhere counts.
func (r *reader) paths(n node, s *source) bool {
	good := true
	for i, e := range n.oneOrMore() {
		m, ok := r.path(e)
		good = good && ok
		s.members = append(s.members, m)
		if i == 0 {
			s.path, _ = e.val.(string)
		}
	}
	return good && len(s.members) > 0
}

// path reads one path and wants it.
func (r *reader) path(n node) (m int, ok bool) {
	text, ok := n.text()
	switch {
	case !ok:
		return 0, false
	case text == pathEvent && r.each:
		n.problem("%s belongs to the record; paths start at the element here", pathEvent)
		return 0, false
	case text == pathEvent:
		return memberEvent, true
	}
	steps, err := parsePath(text)
	if err != nil {
		n.problem("%v", err)
		return 0, false
	}
	m = r.plan.want(steps)
	if at := &r.plan.members[m]; at.wanted == "" {
		at.wanted = n.path
	}
	return m, true
}

// longSource reads the form with keys.
func (r *reader) longSource(n node, f field, kinds []hub.Kind) (s source, ok bool) {
	s.view = r.view
	m, _ := n.fixed("from", "as", "map", "else")
	from := m.get("from")
	if !from.isSet() {
		from.problem("is missing; a path says where %s comes from", f)
		return s, false
	}
	ok = r.paths(from, &s)
	if as := m.get("as"); as.isSet() {
		r.as(as, f, &s)
	}
	r.words(m, f, kinds, &s)
	if f.form() == formWord && s.words == nil {
		n.problem("needs map: which word of the upstream stands for which of %s", strings.Join(wordsOf(kinds, f), ", "))
		return s, false
	}
	return s, ok
}

// as reads how the value is converted.
func (r *reader) as(n node, f field, s *source) {
	how, ok := n.text()
	isText := slices.Contains([]form{formLabel, formBody}, f.form())
	isJSON := slices.Contains([]form{formRaw, formObject, formArray}, f.form())
	switch {
	case !ok:
	case how == "text" && isText:
		s.text = true
	case how == "json" && isJSON:
		s.json = true
	case how == "text" || how == "json":
		n.problem("%s cannot be read as %s", f, how)
	default:
		n.problem(`must be text (any JSON becomes text) or json (a string that holds JSON), not %q`, clip(how))
	}
}

// words reads what words of the upstream stand for.
func (r *reader) words(m fields, f field, kinds []hub.Kind, s *source) {
	table, isSet := m.get("map").free()
	mapped := slices.Contains([]form{formWord, formLabel, formBody}, f.form())
	if isSet && !mapped {
		table.problem("%s holds JSON, which cannot be mapped", f)
		return
	}
	if isSet {
		s.words, s.place = map[string]word{}, table.path
	}
	for _, key := range table.keys() {
		if w, ok := r.word(table.get(key), f, kinds); ok {
			s.words[key] = w
		}
	}
	other := m.get("else")
	switch {
	case !other.isSet() && (f == fieldStatus || f.form() != formWord): // other words have a meaning where nothing is said
		table.halfBoolean()
	case !other.isSet():
	case !isSet:
		other.problem("stands beside map, which is missing")
	default:
		if w, ok := r.word(other, f, kinds); ok {
			s.other = &w
		}
	}
}

// halfBoolean reports a map for true or for false alone: the other one would silently leave the field as it is.
func (f fields) halfBoolean() {
	_, yes := f.vals["true"]
	_, no := f.vals["false"]
	switch {
	case yes && !no:
		f.problem("says what true stands for, but not false; add it, or an else beside map")
	case no && !yes:
		f.problem("says what false stands for, but not true; add it, or an else beside map")
	}
}

// fits reports whether v is what a field of this form holds.
func fits(f form, v rawjson.Value) bool {
	switch f {
	case formObject:
		return rawjson.Kind(v) == '{'
	case formArray:
		return rawjson.Kind(v) == '['
	case formNumber:
		return rawjson.Kind(v) == '0'
	case formPct:
		return rawjson.IsPercent(v)
	case formCount:
		_, ok := rawjson.Int(v)
		return ok
	}
	return v != nil
}

func wants(f form) string {
	switch f {
	case formObject:
		return "a JSON object"
	case formArray:
		return "a JSON array"
	case formNumber:
		return "a number"
	case formPct:
		return "a number from 0 to 100"
	case formCount:
		return "a whole number"
	}
	return "JSON"
}
