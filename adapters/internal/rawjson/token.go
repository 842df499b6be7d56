package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The tokens of JSON: strings, numbers, literals, whitespace. The scan functions report a fault at p as ^p; see scan.go.

// Eight bytes at a time: a byte of the word is a stop when it ends a run of ordinary string bytes.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stops marks the high bit of each byte of w that is a quote, a backslash or a control character. Only the lowest mark is
// exact: subtracting borrows out of a byte that is too small, which spoils the bytes above. Bytes over 0x7f are never marked.
func stops(w uint64) uint64 {
	quoteOrControl := (w ^ ones*2) - ones*0x21 // flipping bit 1 brings the quote, and nothing else, next to the control characters
	backslash := (w ^ ones*'\\') - ones
	return (quoteOrControl | backslash) &^ w & highs
}

// Below, data[i : i+8] instead of data[i:] lets the compiler drop the checks on the load: a third of the time on long strings.

// plainRun returns the index of the first quote, backslash or control character of data at or after i, or len(data).
func plainRun(data []byte, i int) int {
	for ; i+8 <= len(data); i += 8 {
		if m := stops(binary.LittleEndian.Uint64(data[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// EqualRun returns how many bytes at the start of a and b are the same.
func EqualRun(a, b []byte) (n int) {
	most := min(len(a), len(b))
	a, b = a[:most], b[:most]
	for ; n+8 <= most; n += 8 {
		if diff := binary.LittleEndian.Uint64(a[n:n+8]) ^ binary.LittleEndian.Uint64(b[n:n+8]); diff != 0 {
			return n + bits.TrailingZeros64(diff)/8
		}
	}
	for n < most && a[n] == b[n] {
		n++
	}
	return n
}

// scanString scans a string whose body starts at i.
func scanString(data []byte, i int) int {
	for i+8 <= len(data) {
		m := stops(binary.LittleEndian.Uint64(data[i : i+8]))
		if m == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(m) / 8; data[i] == '"' {
			return i + 1
		}
		if data[i] != '\\' {
			return ^i
		}
		if i = scanEscape(data, i+1); i < 0 {
			return i
		}
	}
	return scanStringEnd(data, i)
}

// scanStringEnd is scanString for a string that ends with the data.
func scanStringEnd(data []byte, i int) int {
	for i < len(data) && data[i] >= ' ' {
		switch data[i] {
		case '"':
			return i + 1
		case '\\':
			if i = scanEscape(data, i+1); i < 0 {
				return i
			}
		default:
			i++
		}
	}
	return ^i
}

// scanEscape scans what follows a backslash.
func scanEscape(data []byte, i int) int {
	if i >= len(data) {
		return ^i
	}
	switch data[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for end := i + 5; i+1 < end; {
			if i++; i >= len(data) || unhex[data[i]] < 0 {
				return ^i
			}
		}
		return i + 1
	}
	return ^i
}

// scanWord scans one of the three literals.
func scanWord(data []byte, i int, word string) int {
	if bytes.HasPrefix(data[i:], []byte(word)) {
		return i + len(word)
	}
	for k := 0; i < len(data) && data[i] == word[k]; k++ {
		i++
	}
	return ^i
}

// scanNumber scans a number; there is none if another byte is at i.
func scanNumber(data []byte, i int) int {
	if data[i] == '-' {
		i++
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if i = scanDigits(data, i); i < 0 {
		return i
	}
	if i < len(data) && data[i] == '.' {
		if i = scanDigits(data, i+1); i < 0 {
			return i
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		if i++; i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		return scanDigits(data, i)
	}
	return i
}

// scanDigits scans one or more digits.
func scanDigits(data []byte, i int) int {
	start := i
	for i < len(data) && data[i]-'0' < 10 {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}

// skipSpace returns the index of the first byte at or after i that is not whitespace.
func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// firstInvalid returns the offset of the first byte of data that is not UTF-8, or the length of data.
func firstInvalid(data []byte) int {
	i := 0
	for i < len(data) {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		i += n
	}
	return i
}
