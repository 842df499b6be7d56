package bench

import (
	"bytes"
	"fmt"
)

// Every delta of a measured stream has a text of 12 characters that tells what it is: a tilde, a number in eight
// hexadecimal digits, and MarkTail. The numbers of one stream rise in equal steps. Flowing streams count their deltas;
// paced streams say when each was due, in microseconds. So one law finds what is missing, doubled, moved or changed.
const (
	MarkSize  = 12
	markSign  = '~'
	MarkTail  = " ok"
	markStart = 1 // where the digits begin
	markEnd   = 9 // where they end
)

// AppendMark appends the text of the delta with number n.
func AppendMark(dst []byte, n uint32) []byte {
	dst = append(dst, markSign, 0, 0, 0, 0, 0, 0, 0, 0)
	putDigits(dst[len(dst)-markEnd+markStart:], n)
	return append(dst, MarkTail...)
}

// SetMark changes the number of the first mark in p. It reports whether there is one.
func SetMark(p []byte, n uint32) bool {
	at := FindMark(p)
	if at < 0 {
		return false
	}
	putDigits(p[at+markStart:], n)
	return true
}

// SetMarks changes the number of every mark in p: some records say a delta twice.
func SetMarks(p []byte, n uint32) {
	for SetMark(p, n) {
		p = p[FindMark(p)+MarkSize:]
	}
}

func putDigits(p []byte, n uint32) {
	const digits = "0123456789abcdef"
	for i := markEnd - markStart - 1; i >= 0; i-- {
		p[i] = digits[n&15]
		n >>= 4
	}
}

// FindMark returns where the first whole mark in p begins, or -1.
func FindMark(p []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(p[from:], markSign)
		if i < 0 {
			return -1
		}
		from += i
		if _, ok := ReadMark(p[from:]); ok {
			return from
		}
		from++
	}
}

// ReadMark returns the number of the mark that p begins with.
func ReadMark(p []byte) (n uint32, ok bool) {
	if len(p) < MarkSize || p[0] != markSign || string(p[markEnd:MarkSize]) != MarkTail {
		return 0, false
	}
	for _, c := range p[markStart:markEnd] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		default:
			return 0, false
		}
		n = n<<4 | uint32(c)
	}
	return n, true
}

// CheckMarks says what is wrong with text, which should be the marks of count deltas whose numbers rise by step.
func CheckMarks(text []byte, count int, step uint32) error {
	if len(text) != count*MarkSize {
		return fmt.Errorf("the text has %d bytes, want %d deltas of %d", len(text), count, MarkSize)
	}
	var first uint32
	for i := range count {
		n, ok := ReadMark(text[i*MarkSize:])
		if i == 0 {
			first = n
		}
		if want := first + uint32(i)*step; !ok || n != want {
			return fmt.Errorf("delta %d is %q, want number %08x", i, text[i*MarkSize:(i+1)*MarkSize], want)
		}
	}
	return nil
}
