// Package member reads the members of a record that a protocol demands, and writes those that it knows. A record that lacks
// what it needs is an error that names the member, with the same words in each dialect.
package member

import (
	"bytes"
	"strconv"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Text reads a string that must be there. It returns its body, which aliases v.
func Text(v rawjson.Value, path string) ([]byte, error) {
	if s, ok := rawjson.Str(v); ok {
		return s, nil
	}
	return nil, Wrong(v, path, "want a string")
}

// Wrong is the error of a required member that is absent, null or of another JSON type.
func Wrong(v rawjson.Value, path, want string) error {
	if rawjson.IsNull(v) {
		return hub.NewError(hub.ReasonMissing, path, -1, want)
	}
	return hub.NewError(hub.ReasonType, path, -1, want)
}

// Millis reads the body of a time of RFC 3339 as milliseconds since the Unix epoch; 0 is unknown.
func Millis(body []byte) int64 {
	if len(body) == 0 { // most records have none, and the error of a parser is memory
		return 0
	}
	t, err := time.Parse(time.RFC3339, string(body))
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// Clock reads the times of one stream. Most are of the minute of the one before, which is not read again.
type Clock struct {
	minute [len("2006-01-02T15:04:")]byte
	begins int64 // the minute; 0: none is known
}

// Millis is [Millis] of a time.
func (c *Clock) Millis(body []byte) int64 {
	const form, seconds, fraction = "2006-01-02T15:04:05.000Z", len(c.minute), len("2006-01-02T15:04:05.")
	if len(body) != len(form) || body[len(form)-1] != 'Z' {
		return Millis(body)
	}
	if c.begins > 0 && body[fraction-1] == '.' && string(body[:seconds]) == string(c.minute[:]) {
		s, millis := digits(body[seconds:fraction-1]), digits(body[fraction:len(form)-1])
		if 0 <= s && s < 60 && millis >= 0 {
			return c.begins + 1000*s + millis
		}
	}
	t := Millis(body)
	copy(c.minute[:], body)
	c.begins = max(t, 0) / 60_000 * 60_000
	return t
}

// Times writes the times of one stream. Most are of the second of the one before, which is not made anew.
type Times struct {
	second int64 // 0: none is known
	text   []byte
}

// Append appends a time in milliseconds behind head.
func (t *Times) Append(dst []byte, head string, millis int64) []byte {
	second := millis / 1000
	if second <= 0 {
		return AppendInt(dst, head, millis)
	}
	if second != t.second {
		t.second, t.text = second, strconv.AppendInt(t.text[:0], second, 10)
	}
	rest := byte(millis % 1000 / 10)
	return append(append(append(dst, head...), t.text...), '0'+rest/10, '0'+rest%10, '0'+byte(millis%10))
}

// digits reads a few digits; -1 if something else is among them.
func digits(p []byte) (n int64) {
	for _, c := range p {
		if c < '0' || '9' < c {
			return -1
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// Begin starts a record and returns what to append to; event is the name of a server-sent event, where there is one.
func Begin(out *wire.Out, event string) []byte {
	out.Begin(event)
	return out.Buf
}

// End ends a record that Begin has begun.
func End(out *wire.Out, record []byte) {
	out.Buf = record
	out.End()
}

// Open starts a record with one string member, a body. head is `{"type":"text-start","id":"`.
func Open(out *wire.Out, head string, body []byte) []byte {
	return append(append(append(Begin(out, ""), head...), body...), '"')
}

// Close ends a record that holds all but its last bracket.
func Close(out *wire.Out, record []byte) { End(out, append(record, '}')) }

// AppendText appends a string member with its comma, unless its body is empty. head is `,"title":"`.
func AppendText(dst []byte, head string, body []byte) []byte {
	if len(body) == 0 {
		return dst
	}
	dst = append(dst, head...)
	dst = append(dst, body...)
	return append(dst, '"')
}

// AppendRaw appends a member with its comma, unless its value is absent. head is `,"cost":`.
func AppendRaw(dst []byte, head string, value []byte) []byte {
	if len(value) == 0 {
		return dst
	}
	return append(append(dst, head...), value...)
}

// AppendCount appends a member with its comma, unless its count is negative, which is unknown.
func AppendCount(dst []byte, head string, n int64) []byte {
	if n < 0 {
		return dst
	}
	return AppendInt(dst, head, n)
}

// AppendInt appends a number behind head.
func AppendInt(dst []byte, head string, n int64) []byte {
	return strconv.AppendInt(append(dst, head...), n, 10)
}

// CutDataURL returns the media type and the base64 text of a data URL; ok is false for any other URL.
func CutDataURL(url []byte) (media, data []byte, ok bool) {
	rest, ok := bytes.CutPrefix(url, []byte("data:"))
	if !ok {
		return nil, nil, false
	}
	return bytes.Cut(rest, []byte(";base64,"))
}

// AppendOptions appends the choices of a question with their comma, as the model has them, unless there are none.
func AppendOptions(dst []byte, options []hub.AskOption) []byte {
	return eventjson.Append(dst, &hub.Event{More: &hub.More{Options: options}}, eventjson.Options)
}
