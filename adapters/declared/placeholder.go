package declared

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// placeholder reads a string, with or without placeholders, or a placeholder outside of quotes.
func (p *templater) placeholder() (*value, error) {
	if p.text[p.at] == '$' {
		s, err := p.reference()
		return &value{texts: []segment{s}}, err
	}
	p.at++
	v := &value{quoted: true}
	for {
		lit, err := p.literal()
		if err != nil {
			return nil, err
		}
		if lit != "" {
			v.texts = append(v.texts, segment{lit: []byte(lit)})
		}
		if p.text[p.at] == '"' {
			p.at++
			return v, nil
		}
		s, err := p.reference()
		if err != nil {
			return nil, err
		}
		v.texts = append(v.texts, s)
	}
}

// literal reads the text of a string up to its end or to a placeholder.
func (p *templater) literal() (string, error) {
	for from := p.at; p.at < len(p.text); p.at++ {
		switch p.text[p.at] {
		case '"':
			return p.text[from:p.at], nil
		case '$':
			if p.startsReference() {
				return p.text[from:p.at], nil
			}
		case '\\':
			p.at++
		}
	}
	p.at = len(p.text)
	return "", errors.New("a string has no closing quote")
}

// startsReference tells a placeholder from a dollar sign that means itself.
func (p *templater) startsReference() bool {
	if p.at+1 >= len(p.text) {
		return false
	}
	c := p.text[p.at+1]
	return c == '(' || isLower(c)
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }

// reference reads a placeholder from its dollar sign.
func (p *templater) reference() (s segment, err error) {
	if !p.startsReference() {
		return s, errors.New("a dollar sign outside of quotes must be followed by the name of a field")
	}
	p.at++
	if p.text[p.at] != '(' {
		r, err := p.field(p.simpleName())
		return segment{alt: []ref{r}}, err
	}
	p.at++
	for {
		r, err := p.alternative()
		if err != nil {
			return s, err
		}
		s.alt = append(s.alt, r)
		switch word := p.word(); word {
		case ")":
			return s, nil
		case "or":
		default:
			return s, errors.New("between the brackets of $( ) stand names of fields, or texts in quotes, with or between")
		}
	}
}

// simpleName reads a name behind a bare dollar sign: words of letters, digits and underscores with dots between.
func (p *templater) simpleName() string {
	from := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		isDot := c == '.' && p.at+1 < len(p.text) && isWordByte(p.text[p.at+1])
		if !isDot && !isWordByte(c) {
			break
		}
		p.at++
	}
	return p.text[from:p.at]
}

func isWordByte(c byte) bool {
	return isLower(c) || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// word reads up to white space or the closing bracket, which is a word of its own.
func (p *templater) word() string {
	if p.peek() == ')' {
		p.at++
		return ")"
	}
	from := p.at
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n)", p.text[p.at]) < 0 {
		p.at++
	}
	return p.text[from:p.at]
}

// alternative reads a field or a constant.
func (p *templater) alternative() (ref, error) {
	if p.peek() != '"' {
		return p.field(p.word())
	}
	from := p.at
	p.at++
	for p.at < len(p.text) && p.text[p.at] != '"' {
		if p.text[p.at] == '\\' {
			p.at++
		}
		p.at++
	}
	p.at = min(p.at+1, len(p.text))
	var json rawjson.Decoder
	quoted := p.text[from:p.at]
	if json.Valid([]byte(quoted)) != nil {
		return ref{}, errors.New("a text in quotes is no JSON string")
	}
	return ref{isLit: true, lit: []byte(quoted[1 : len(quoted)-1])}, nil
}

// field finds the field of a name, and what is wanted of the JSON in it.
func (p *templater) field(name string) (ref, error) {
	f, rest := cutField(name)
	switch {
	case f == fieldNone || !p.known.has(f):
		return ref{}, fmt.Errorf("%s has no field %q; there are %s", p.what, clip(name), p.known.names())
	case rest == "":
		p.out.uses |= 1 << f
		return ref{field: f}, nil
	case !holdsJSON(f):
		return ref{}, fmt.Errorf("%s holds no JSON to look into; write $(%s) where text follows", f, f)
	}
	steps, err := parsePath(rest)
	if err != nil {
		return ref{}, fmt.Errorf("%q %w", clip(rest), err)
	}
	p.out.uses |= 1 << f
	return ref{field: f, steps: steps}, nil
}

// cutField splits a name into a field and a path in what it holds.
func cutField(name string) (f field, rest string) {
	for n := len(name); n > 0; n = strings.LastIndexAny(name[:n], ".[") {
		if f = findField(name[:n]); f != fieldNone {
			return f, strings.TrimPrefix(name[n:], ".")
		}
	}
	return fieldNone, ""
}

// holdsJSON reports whether there may be something in a field to look into.
func holdsJSON(f field) bool {
	switch f.form() {
	case formRaw, formObject, formArray, formArgs, formResult:
		return true
	}
	return false
}
