package hub

import (
	"bytes"
	"errors"
)

// MarshalText writes the note for another replica: the dialect, a space, and the raw value. It is text and no JSON value because encoders
// of JSON write a raw value anew, and its origin wants it back unchanged.
func (m Meta) MarshalText() ([]byte, error) {
	return append(append([]byte(m.Dialect), ' '), m.Raw...), nil
}

// UnmarshalText reads what [Meta.MarshalText] writes.
func (m *Meta) UnmarshalText(text []byte) error {
	dialect, raw, ok := bytes.Cut(text, []byte{' '})
	if !ok {
		return errors.New("a note of a dialect has no name of the dialect")
	}
	m.Dialect, m.Raw = string(dialect), bytes.Clone(raw)
	return nil
}
