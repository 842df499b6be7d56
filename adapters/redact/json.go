package redact

import "bytes"

// jsonState is where in JSON a text is. Matches lie in one string, or in what stands outside of strings.
type jsonState struct {
	form   form
	begun  bool
	plain  bool // it is no JSON
	string bool // inside of a string
}

// jsonByte takes a byte of JSON.
func (s *searcher) jsonByte(t *text, c byte, at int) {
	j := &t.json
	if !j.begun && !isSpace(c) {
		j.begun, j.plain = true, t.form == args && bytes.IndexByte([]byte(`{["-0123456789tfn`), c) < 0
	}
	switch {
	case j.plain:
		s.char(t, c, at)
	case !j.string:
		s.outside(t, c, at)
	case t.inner.open():
		s.escaped(t, c, at)
	case c == '"':
		s.quote(t, c, at)
	case c == '\\':
		t.inner.add(c, at)
	default:
		s.char(t, c, at)
	}
}

// escaped takes a byte of an escape in a string.
func (s *searcher) escaped(t *text, c byte, at int) {
	switch complete, bad := t.inner.add(c, at); {
	case bad:
		t.inner.n--
		s.giveUp(t)
		s.jsonByte(t, c, at)
	case complete:
		seen := t.inner
		t.inner.n = 0
		r, _ := unescape(seen.chars[:seen.n])
		for _, c := range r.bytes() {
			s.char(t, c, seen.at[0])
		}
	}
}

// outside takes a byte that stands in no string.
func (s *searcher) outside(t *text, c byte, at int) {
	switch {
	case c == '"':
		s.quote(t, c, at)
	case isSpace(c) || bytes.IndexByte([]byte(`{}[]:,`), c) >= 0:
		s.border(t, c, at)
	default:
		s.step(t, c, at)
	}
}

// quote begins or ends a string.
func (s *searcher) quote(t *text, c byte, at int) {
	s.border(t, c, at)
	t.json.string = !t.json.string
}

// border ends what is searched together.
func (s *searcher) border(t *text, c byte, at int) {
	s.giveUp(t)
	s.stop(t, at)
	t.prev = c
}

// bare reports whether what is to be masked is of a number or a word that stands for itself in JSON.
func (j *jsonState) bare(covered []byte) bool {
	if j.form == body || j.form == plain || j.plain || j.string {
		return false
	}
	return len(bytes.Trim(covered, "-+.E0123456789truefalsn")) == 0
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
