package rawjson

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// seeds are records and the hard cases of the tables, bare and as the member that a schema asks for.
var seeds = func() []string {
	out := []string{
		nested, flat,
		`{"a":1,"b":{"x":"1","y":[true,null,{}]}}`, `{"b":null,"b":{"x":1},"b":{"y":2}}`, `{"\u0061":"\ud83d\ude00"}`, `{"b":[]}`,
		strings.Repeat(`[`, 70) + strings.Repeat(`]`, 70), strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat(`}`, 70),
	}
	for _, in := range slices.Concat(accepted, rejected) {
		out = append(out, in, `{"a":`+in+`}`, `{"b":{"x":[`+in+`]}}`)
	}
	return out
}()

// depthOf returns how deep a valid text is nested, by the standard library's tokens.
func depthOf(text []byte) int {
	depth, deepest := 0, 0
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return deepest
		}
		if delim, ok := token.(json.Delim); ok && (delim == '{' || delim == '[') {
			depth++
		} else if ok {
			depth--
		}
		deepest = max(deepest, depth)
	}
}

// wantReason is what the standard library makes of data under a depth limit: "" or "depth" for valid text, else any of the others.
func wantReason(data []byte, maxDepth int) string {
	switch {
	case !utf8.Valid(data):
		return ReasonUTF8
	case !json.Valid(data):
		return ReasonSyntax
	case depthOf(data) > maxDepth:
		return ReasonDepth
	}
	return ""
}

// FuzzDecode: validity is what the standard library says, values alias the record and are what it says, and the functions that
// take apart and rewrite values keep their promises on them.
func FuzzDecode(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	const maxDepth = 64
	d := Decoder{MaxDepth: maxDepth}
	f.Fuzz(func(t *testing.T, data []byte) {
		want := wantReason(data, maxDepth)
		got := reasonOf(t, d.Valid(data))
		if (got == "") != (want == "") || want == ReasonUTF8 && got != want || want == ReasonDepth && got != want {
			t.Fatalf("Valid(%q) says %q, want %q", data, got, want)
		}
		var s small
		if reason := reasonOf(t, d.Decode(data, &s)); reason != got && reason != ReasonType {
			t.Fatalf("Decode(%q) says %q, Valid %q", data, reason, got)
		}
		if got != "" {
			return
		}
		checkMember(t, data, "a", s.A)
		checkMember(t, data, "Bare", s.Bare)
		checkValue(t, data)
	})
}

// checkMember compares a field with what the standard library finds under its name, and checks that it aliases the record.
func checkMember(t *testing.T, data []byte, name string, got Value) {
	t.Helper()
	var members map[string]json.RawMessage
	_ = json.Unmarshal(data, &members) // no object: no members
	if want := members[name]; !bytes.Equal(got, want) {
		t.Fatalf("%q: %s is %q, want %q", data, name, got, want)
	}
	if other := Get(data, name); !bytes.Equal(got, other) {
		t.Fatalf("%q: %s is %q, Get finds %q", data, name, got, other)
	}
	if len(got) > 0 && !aliases(data, got) {
		t.Fatalf("%q: %s does not alias the record", data, name)
	}
}

// aliases reports whether part lies within data: a change of its first byte shows there.
func aliases(data, part []byte) bool {
	before := bytes.Clone(data)
	part[0] ^= 1
	changed := !bytes.Equal(before, data)
	part[0] ^= 1
	return changed
}

// checkValue checks what must hold for any valid text.
func checkValue(t *testing.T, v Value) {
	t.Helper()
	var std bytes.Buffer
	if err := json.Compact(&std, v); err != nil {
		t.Fatal(err)
	}
	compact := Value(AppendCompact(nil, v))
	if !bytes.Equal(compact, std.Bytes()) {
		t.Fatalf("%q: compact is %q, want %q", v, compact, std.Bytes())
	}
	if !Equal(v, compact) || !Equal(compact, v) {
		t.Fatalf("%q does not equal its compact form", v)
	}
	if rebuilt := rebuild(nil, v); !bytes.Equal(rebuilt, compact) {
		t.Fatalf("%q: rebuilt from its parts is %q", v, rebuilt)
	}
	checkElements(t, v)
	text := AppendEscaped(nil, v)
	if inner, ok := ValueOfText(nil, text); !ok || !bytes.Equal(inner, trim(v)) {
		t.Fatalf("%q: as text is %q, %v", v, inner, ok)
	}
}

// checkElements holds the elements with their members against those that are read one by one.
func checkElements(t *testing.T, v Value) {
	t.Helper()
	next := Elems(v)
	for elem, o := range EachObject(v) {
		want, _ := next.Next()
		members := ReadObject(want)
		if !bytes.Equal(elem, want) || o.Len() != members.Len() || !bytes.Equal(o.Get("a"), members.Get("a")) {
			t.Fatalf("%q: %q with %d members, want %q with %d", v, elem, o.Len(), want, members.Len())
		}
	}
	if left, ok := next.Next(); ok {
		t.Fatalf("%q: %q is missing", v, left)
	}
}

// rebuild appends v from what the iterators give, without whitespace.
func rebuild(dst []byte, v Value) []byte {
	switch Kind(v) {
	case '[':
		dst = append(dst, '[')
		n := len(dst)
		for it := Elems(v); ; {
			elem, ok := it.Next()
			if !ok {
				return append(dst, ']')
			}
			if len(dst) > n {
				dst = append(dst, ',')
			}
			dst = rebuild(dst, elem)
		}
	case '{':
		dst = append(dst, '{')
		n := len(dst)
		for it := Fields(v); ; {
			key, val, ok := it.Next()
			if !ok {
				return append(dst, '}')
			}
			if len(dst) > n {
				dst = append(dst, ',')
			}
			dst = rebuild(append(AppendQuoted(dst, key), ':'), val)
		}
	case '"':
		body, _ := Str(v)
		return AppendQuoted(dst, body)
	}
	return append(dst, trim(v)...)
}

// FuzzGarbage: functions that expect valid values survive any other input.
func FuzzGarbage(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := Value(data)
		Kind(v)
		Str(v)
		Bool(v)
		Int(v)
		Get(v, "a", "b")
		Equal(v, Value(bytes.Repeat(data, 2)))
		AppendCompact(nil, v)
		AppendUnescaped(nil, data)
		EqualBody(data, append([]byte(`\u0041`), data...))
		ValueOfText(nil, data)
		n := 0
		for it := Elems(v); ; n++ {
			if _, ok := it.Next(); !ok {
				break
			}
		}
		for it := Fields(v); ; n++ {
			if _, _, ok := it.Next(); !ok {
				break
			}
		}
		for range EachObject(v) {
			n++
		}
		if n > 2*len(data) {
			t.Fatalf("%q: %d parts of %d bytes", data, n, len(data))
		}
	})
}
