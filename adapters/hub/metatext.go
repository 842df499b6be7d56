package hub

import (
	"bytes"
	"encoding/base64"
	"errors"
	"unicode/utf8"
)

// MarshalText writes the note for another replica: the dialect, a space, and the raw value. It is text and no JSON value because encoders
// of JSON write a raw value anew, and its origin wants it back unchanged. For the same reason a value that is no text, as strings in it may
// be anything, is a "=" and base64.
func (m Meta) MarshalText() ([]byte, error) {
	text := append([]byte(m.Dialect), ' ')
	if utf8.Valid(m.Raw) {
		return append(text, m.Raw...), nil
	}
	return base64.StdEncoding.AppendEncode(append(text, '='), m.Raw), nil
}

// UnmarshalText reads what [Meta.MarshalText] writes.
func (m *Meta) UnmarshalText(text []byte) (err error) {
	dialect, raw, ok := bytes.Cut(text, []byte{' '})
	if !ok {
		return errors.New("a note of a dialect has no name of the dialect")
	}
	m.Dialect, m.Raw = string(dialect), nil // codecs ask whether there is a note
	if coded, is := bytes.CutPrefix(raw, []byte{'='}); is {
		m.Raw, err = base64.StdEncoding.AppendDecode(nil, coded)
	} else if len(raw) > 0 {
		m.Raw = bytes.Clone(raw)
	}
	return err
}
