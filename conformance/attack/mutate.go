package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
)

// A mutation damages the bytes of a stream as bad servers, networks and enemies do.
type mutation struct {
	name  string
	apply func(*rand.Rand, []byte) []byte
}

// mutations are what mutate chooses from. Each takes a slice that is not empty and may change it.
var mutations = []mutation{
	{"flip a byte", func(r *rand.Rand, b []byte) []byte {
		b[r.IntN(len(b))] ^= byte(1 + r.IntN(255))
		return b
	}},
	{"insert bytes", func(r *rand.Rand, b []byte) []byte {
		return slices.Insert(b, r.IntN(len(b)), nasty[r.IntN(len(nasty))]...)
	}},
	{"delete bytes", func(r *rand.Rand, b []byte) []byte {
		i := r.IntN(len(b))
		return slices.Delete(b, i, min(len(b), i+1+r.IntN(16)))
	}},
	{"cut", func(r *rand.Rand, b []byte) []byte { return b[:r.IntN(len(b))] }},
	{"swap records", func(r *rand.Rand, b []byte) []byte {
		lines := recordsOf(b)
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		lines[i], lines[j] = lines[j], lines[i]
		return bytes.Join(lines, nil)
	}},
	{"repeat a record", func(r *rand.Rand, b []byte) []byte {
		lines := recordsOf(b)
		i := r.IntN(len(lines))
		for range 1 + r.IntN(4) {
			lines = slices.Insert(lines, i, lines[i])
		}
		return bytes.Join(lines, nil)
	}},
	{"lose a record", func(r *rand.Rand, b []byte) []byte {
		lines := recordsOf(b)
		i := r.IntN(len(lines))
		return bytes.Join(slices.Delete(lines, i, i+1), nil)
	}},
	{"replace a value", replaceValue},
	{"replace a string", replaceString},
	{"swap names", func(r *rand.Rand, b []byte) []byte {
		strings := stringsOf(b)
		if len(strings) < 2 {
			return b
		}
		from, to := strings[r.IntN(len(strings))], strings[r.IntN(len(strings))]
		return splice(b, from, bytes.Clone(b[to.start:to.end]))
	}},
	{"nest deep", func(r *rand.Rand, b []byte) []byte {
		depth := []int{10, 511, 512, 513, 2000, 20_000}[r.IntN(6)]
		open, shut := "[", "]"
		if r.IntN(2) == 0 {
			open, shut = `{"a":`, "}"
		}
		return insertValue(r, b, strings.Repeat(open, depth)+"1"+strings.Repeat(shut, depth))
	}},
	{"repeat a slice", func(r *rand.Rand, b []byte) []byte {
		i := r.IntN(len(b))
		part := bytes.Clone(b[i:min(len(b), i+1+r.IntN(200))])
		return slices.Insert(b, i, bytes.Repeat(part, 1+r.IntN(20))...)
	}},
}

// nasty are bytes that parsers stumble over.
var nasty = [][]byte{
	[]byte("\x00"), []byte("\xff"), []byte("\xc0\x80"), []byte("\xed\xa0\x80"), []byte("\xef\xbb\xbf"), []byte(`\ud800`), []byte(`\u0000`), []byte("\\"),
	[]byte(`"`), []byte("{"), []byte("}"), []byte("["), []byte("]"), []byte(","), []byte(":"), []byte("\n"), []byte("\r"), []byte("\r\n\r\n"),
	[]byte("data: "), []byte("data: [DONE]\n\n"), []byte("event: error\n"), []byte("\u2028"), []byte("1e999"), []byte("Content-Length: 9\r\n\r\n"),
}

// values take the place of others.
var values = []string{
	"null", "true", "false", "0", "-0", "1e999", "-1e-999", "9223372036854775807", "18446744073709551616", "0.1e+1", "1" + strings.Repeat("0", 500),
	`""`, `"x"`, `"\ud800"`, `"\u0000\u001f\u2028"`, `"` + strings.Repeat("y", 5000) + `"`, "[]", "{}", "[null]", `{"":{}}`, `[[[[]]]]`,
	`{"type":"text","text":"t"}`, `[{"type":"text"},1,"a",null]`, "NaN", "Infinity", "undefined", "'x'", "01", "+1", ".5", "tru", "\"\xff\"", "\"\n\"",
}

type span struct{ start, end int }

func splice(b []byte, at span, with []byte) []byte {
	return slices.Replace(b, at.start, at.end, with...)
}

// recordsOf cuts a stream after each empty line, or after each line if it has none.
func recordsOf(b []byte) [][]byte {
	sep := []byte("\n\n")
	if !bytes.Contains(b, sep) {
		sep = []byte("\n")
	}
	return slices.DeleteFunc(bytes.SplitAfter(bytes.Clone(b), sep), func(p []byte) bool { return len(p) == 0 && len(b) > 0 })
}

// stringsOf finds the quoted strings.
func stringsOf(b []byte) (all []span) {
	start := -1
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '\\':
			i++
		case b[i] == '"' && start < 0:
			start = i
		case b[i] == '"':
			all = append(all, span{start, i + 1})
			start = -1
		}
	}
	return all
}

// valuesOf finds where values begin: after the colons behind names.
func valuesOf(b []byte) (all []int) {
	for _, s := range stringsOf(b) {
		rest := bytes.TrimLeft(b[s.end:], " ")
		if len(rest) > 0 && rest[0] == ':' {
			all = append(all, len(b)-len(rest)+1)
		}
	}
	return all
}

// valueLength is how long the value is that b begins with.
func valueLength(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return len(b)
}

func replaceValue(r *rand.Rand, b []byte) []byte {
	return insertValue(r, b, values[r.IntN(len(values))])
}

// insertValue puts a value in the place of another.
func insertValue(r *rand.Rand, b []byte, value string) []byte {
	all := valuesOf(b)
	if len(all) == 0 {
		return b
	}
	at := all[r.IntN(len(all))]
	return splice(b, span{at, at + valueLength(b[at:])}, []byte(value))
}

func replaceString(r *rand.Rand, b []byte) []byte {
	all := stringsOf(b)
	if len(all) == 0 {
		return b
	}
	return splice(b, all[r.IntN(len(all))], []byte(values[r.IntN(len(values))]))
}

// maxMutated bounds a mutated stream.
const maxMutated = 256 << 10

// mutate applies one to five mutations to a copy of b, and says which.
func mutate(r *rand.Rand, b []byte) (out []byte, how string) {
	out = bytes.Clone(b)
	for range 1 + r.IntN(5) {
		if len(out) == 0 {
			break
		}
		m := mutations[r.IntN(len(mutations))]
		out = m.apply(r, out)
		how += m.name + ", "
		if len(out) > maxMutated {
			out = out[:maxMutated]
		}
	}
	return out, how
}
