package rawjson

import (
	"bytes"
	"math"
)

// decimal is a number as it was written: the digits of whole and frac in a row, times ten to the power of exp.
// Zeros at both ends are cut off, so equal numbers have equal digits and equal exp. No digits: the number is zero.
type decimal struct {
	neg         bool
	whole, frac []byte
	exp         int64
	huge        bool // exp is not the exponent, which is beyond maxExp
}

// maxExp is far beyond any float, and so small that no length of input brings exp near an overflow.
const maxExp = math.MaxInt64 / 100

// parseDecimal reads a valid number.
func parseDecimal(text []byte) (d decimal) {
	if d.neg = len(text) > 0 && text[0] == '-'; d.neg {
		text = text[1:]
	}
	d.whole, text = cutDigits(text)
	if len(text) > 0 && text[0] == '.' {
		d.frac, text = cutDigits(text[1:])
	}
	if len(text) > 0 {
		d.exp, d.huge = parseExp(text[1:])
	}
	d.exp -= int64(len(d.frac))
	d.trimZeros()
	return d
}

// trimZeros cuts the zeros off both ends of the digits.
func (d *decimal) trimZeros() {
	if d.whole = bytes.TrimLeft(d.whole, "0"); len(d.whole) == 0 {
		d.frac = bytes.TrimLeft(d.frac, "0")
	}
	n := d.len()
	if d.frac = bytes.TrimRight(d.frac, "0"); len(d.frac) == 0 {
		d.whole = bytes.TrimRight(d.whole, "0")
	}
	d.exp += int64(n - d.len())
	if d.len() == 0 {
		*d = decimal{} // zero has one form: no sign, no exponent
	}
}

func (d *decimal) len() int { return len(d.whole) + len(d.frac) }

func (d *decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	return d.frac[i-len(d.whole)]
}

// cutDigits splits the digits off the front of text.
func cutDigits(text []byte) (digits, rest []byte) {
	n := 0
	for n < len(text) && text[n]-'0' < 10 {
		n++
	}
	return text[:n], text[n:]
}

// parseExp reads an exponent, with or without a sign.
func parseExp(text []byte) (exp int64, huge bool) {
	neg := len(text) > 0 && text[0] == '-'
	if neg || len(text) > 0 && text[0] == '+' {
		text = text[1:]
	}
	for _, c := range text {
		if exp = exp*10 + int64(c-'0'); exp > maxExp {
			return 0, true
		}
	}
	if neg {
		exp = -exp
	}
	return exp, false
}

// int64 returns the number if it is whole and fits.
func (d *decimal) int64() (int64, bool) {
	const maxDigits = 19 // of an int64; that many always fit into a uint64
	if d.huge || d.exp < 0 || int64(d.len())+d.exp > maxDigits {
		return 0, false
	}
	u := uint64(0)
	for i := range d.len() {
		u = u*10 + uint64(d.digit(i)-'0')
	}
	for range d.exp {
		u *= 10
	}
	if d.neg {
		return -int64(u), u <= -math.MinInt64
	}
	return int64(u), u <= math.MaxInt64
}

// equalNumber reports whether two numbers are the same, however they are spelled. With exponents beyond maxExp
// only the spelling tells.
func equalNumber(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := parseDecimal(a), parseDecimal(b)
	if x.huge || y.huge || x.neg != y.neg || x.exp != y.exp || x.len() != y.len() {
		return false
	}
	for i := range x.len() {
		if x.digit(i) != y.digit(i) {
			return false
		}
	}
	return true
}
