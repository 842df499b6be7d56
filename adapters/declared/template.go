package declared

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A template is the JSON of a record with placeholders: $text, or $(err or result or "Failed") for the first that is there
// and not empty. Within quotes a placeholder stands for a piece of text, elsewhere for a JSON value. A member whose
// placeholders are absent is left out.
//
// It is compiled into a list of pieces: literal bytes, and values that may take the literal before them back.

// template is compiled. It never changes.
type template struct {
	pieces []piece
	uses   fieldSet // all fields in it
}

// piece is one step of writing a template.
type piece struct {
	comma bool // a comma comes first, unless an object or array has just been opened
	lit   []byte
	val   *value // nil: only lit
}

// value is what placeholders make. If it is absent, so is the piece.
type value struct {
	quoted bool // within quotes: texts is a string of literals and placeholders
	texts  []segment
	plain  field // quoted, and nothing but this field, which is a string of the event; fieldNone: it is more than that
}

// segment is a literal, or the first of some alternatives.
type segment struct {
	lit []byte
	alt []ref
}

// ref is a placeholder: a field, or something in the JSON that a field holds, or a constant.
type ref struct {
	field field
	steps []step
	lit   []byte // a string body
	isLit bool
}

const (
	maxTemplate = 16 << 10 // bytes
	maxNesting  = 32       // of objects and arrays in a template
)

// templater reads one template.
type templater struct {
	text  string
	at    int
	out   template
	lit   []byte // not in out yet
	comma bool   // of lit
	known fieldSet
	what  string // whose fields they are, for messages
}

// parseTemplate reads a template that may use these fields.
func parseTemplate(text string, known fieldSet, what string) (*template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("is longer than %d bytes", maxTemplate)
	}
	p := &templater{text: text, known: known, what: what}
	err := p.value(maxNesting)
	if err == nil {
		p.space()
		if p.at < len(text) {
			err = fmt.Errorf("%q follows the JSON", text[p.at])
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w (character %d)", err, len([]rune(text[:p.at]))+1)
	}
	p.flush()
	if err := p.out.check(); err != nil {
		return nil, err
	}
	return &p.out, nil
}

// check tries the template out: whatever the reader let pass must be JSON in the end.
func (t *template) check() error {
	var json rawjson.Decoder
	var sample []byte
	for _, p := range t.pieces {
		sample = p.appendLit(sample)
		if p.val == nil {
			continue
		}
		if !p.val.quoted {
			sample = append(sample, "0"...)
			continue
		}
		sample = append(sample, '"')
		sample = append(p.val.appendLits(sample), '"')
	}
	err := json.Valid(sample)
	var fault *rawjson.Error
	if errors.As(err, &fault) {
		return fmt.Errorf("is no JSON: %s", fault.Msg)
	}
	return nil
}

// refers reports whether something holds of one of the placeholders.
func (t *template) refers(holds func(*segment) bool) bool {
	for i := range t.pieces {
		v := t.pieces[i].val
		if v != nil && slices.ContainsFunc(v.texts, func(s segment) bool { return holds(&s) }) {
			return true
		}
	}
	return false
}

// appendLit appends the literal of a piece, with its comma if it needs one.
func (p *piece) appendLit(dst []byte) []byte {
	if n := len(dst); p.comma && n > 0 && dst[n-1] != '{' && dst[n-1] != '[' {
		dst = append(dst, ',')
	}
	return append(dst, p.lit...)
}

func (p *templater) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next byte behind white space, 0 at the end.
func (p *templater) peek() byte {
	p.space()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// flush makes a piece of the literal so far.
func (p *templater) flush() {
	if len(p.lit) > 0 || p.comma {
		p.out.pieces = append(p.out.pieces, piece{comma: p.comma, lit: p.lit})
	}
	p.lit, p.comma = nil, false
}

// value reads a value that is always there, or the placeholder that the whole template is.
func (p *templater) value(left int) error {
	switch c := p.peek(); {
	case c == '{' || c == '[':
		return p.container(c, left)
	case c == 0:
		return errors.New("is empty or ends too early")
	case c == '"' || c == '$':
		v, err := p.placeholder()
		p.add(v)
		return err
	}
	token := p.token()
	if token == "" {
		return errors.New("a value is missing")
	}
	p.lit = append(p.lit, token...)
	return nil
}

// token reads a number or a word such as true. What it is, is checked in the end.
func (p *templater) token() string {
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n,:]}\"$[{", p.text[p.at]) < 0 {
		p.at++
	}
	return p.text[from:p.at]
}

// container reads an object or an array. The pieces of its members follow each other; commas depend on which of them are
// there when a record is written.
func (p *templater) container(open byte, left int) error {
	if left == 0 {
		return fmt.Errorf("is nested deeper than %d levels", maxNesting)
	}
	p.at++
	p.lit = append(p.lit, open)
	sure := false // a member before this one is always there
	for first := true; ; first = false {
		if c := p.peek(); c == open+2 && first { // the brackets of ASCII are two apart
			break
		}
		always, err := p.member(open, left, first, sure)
		if err != nil {
			return err
		}
		sure = sure || always
		if c := p.peek(); c == open+2 {
			break
		} else if c != ',' {
			return fmt.Errorf("a comma or %q is missing", open+2)
		}
		p.at++
	}
	p.at++
	p.lit = append(p.lit, open+2)
	return nil
}

// member reads one member or element. always says that it is never left out.
func (p *templater) member(open byte, left int, first, sure bool) (always bool, err error) {
	var name []byte
	if open == '{' {
		if name, err = p.name(); err != nil {
			return false, err
		}
	}
	c := p.peek()
	var v *value
	if c == '"' || c == '$' {
		if v, err = p.placeholder(); err != nil {
			return false, err
		}
	}
	if v.isOptional() || !sure && !first {
		p.flush() // what can be taken back, or needs a comma now and then, is a piece of its own
		p.comma = !sure && !first
	}
	if sure {
		p.lit = append(p.lit, ',')
	}
	p.lit = append(p.lit, name...)
	if v == nil {
		return true, p.value(left - 1)
	}
	p.add(v)
	return !v.isOptional(), nil
}

// name reads the name of a member and the colon.
func (p *templater) name() ([]byte, error) {
	if p.peek() != '"' {
		return nil, errors.New("the name of a member is missing; names stand in quotes")
	}
	v, err := p.placeholder()
	switch {
	case err != nil:
		return nil, err
	case len(v.texts) > 1 || len(v.texts) == 1 && v.texts[0].alt != nil:
		return nil, errors.New("the name of a member cannot have placeholders")
	case p.peek() != ':':
		return nil, errors.New("a colon is missing")
	}
	p.at++
	return append(v.appendLits([]byte{'"'}), `":`...), nil
}

func (v *value) appendLits(dst []byte) []byte {
	for _, s := range v.texts {
		dst = append(dst, s.lit...)
	}
	return dst
}

// add adds a value: to the literal if it has no placeholders, otherwise as a piece of its own.
func (p *templater) add(v *value) {
	switch {
	case v == nil:
	case v.isConstant():
		p.lit = append(v.appendLits(append(p.lit, '"')), '"')
	default:
		v.plain = v.plainField()
		p.out.pieces = append(p.out.pieces, piece{comma: p.comma, lit: p.lit, val: v})
		p.lit, p.comma = nil, false
	}
}

// plainField is the field of a value that is one string of an event.
func (v *value) plainField() field {
	if !v.quoted || len(v.texts) != 1 || len(v.texts[0].alt) != 1 {
		return fieldNone
	}
	switch r := v.texts[0].alt[0]; r.field {
	case fieldID, fieldRef, fieldSubAgent, fieldMsg, fieldTitle, fieldText:
		return r.field
	}
	return fieldNone
}

func (v *value) isConstant() bool {
	return !slices.ContainsFunc(v.texts, func(s segment) bool { return s.alt != nil })
}

// isOptional reports whether the value may be absent when a record is written.
func (v *value) isOptional() bool {
	return v != nil && slices.ContainsFunc(v.texts, func(s segment) bool { return s.alt != nil && !s.isSure() })
}

// isSure reports whether one of the alternatives is always there.
func (s *segment) isSure() bool {
	return slices.ContainsFunc(s.alt, func(r ref) bool { return r.isLit || alwaysThere.has(r.field) })
}

// alwaysThere are the fields that every event has.
var alwaysThere = setOf(fieldKind, fieldSeq)
