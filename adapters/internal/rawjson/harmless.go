package rawjson

import "bytes"

// Readers in JavaScript reject a whole record for one key __proto__ in it, at any depth, or for a key prototype in an object
// that is a constructor: such JSON has been used to attack programs that merge what they read.

const (
	protoKey       = "__proto__"
	constructorKey = "constructor"
)

// Harmless reports whether v has no key that such readers reject. It may say no to a value that only mentions one.
func Harmless(v Value) bool {
	return !bytes.Contains(v, []byte(protoKey)) &&
		(!bytes.Contains(v, []byte(`"`+constructorKey+`"`)) || !bytes.Contains(v, []byte(`"prototype"`)))
}

// AppendHarmless appends v. Keys that such readers reject get an underscore in front.
func AppendHarmless(dst []byte, v Value) []byte {
	if Harmless(v) {
		return append(dst, v...)
	}
	run := 0 // start of what is still to be copied
	for i := 0; i < len(v); i++ {
		if v[i] != '"' {
			continue
		}
		end := stringEnd(v, i+1)
		if key := v[i+1 : end]; isKey(v, end+1) && len(HarmlessKey(key)) > len(key) {
			dst = append(append(dst, v[run:i+1]...), '_')
			run = i + 1
		}
		i = end
	}
	return append(dst, v[run:]...)
}

// HarmlessKey is key, or with an underscore in front what such readers reject.
func HarmlessKey(key []byte) []byte {
	if string(key) == protoKey || string(key) == constructorKey {
		return append([]byte{'_'}, key...)
	}
	return key
}

// stringEnd is the index of the quote that ends a string whose body begins at i; the last index if none does.
func stringEnd(v []byte, i int) int {
	for ; i < len(v); i++ {
		switch v[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return len(v) - 1
}

// isKey reports whether a string that ends before i is the name of a member.
func isKey(v []byte, i int) bool {
	for i < len(v) && (v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r') {
		i++
	}
	return i < len(v) && v[i] == ':'
}
