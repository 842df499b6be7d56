package redact

import (
	"bytes"
	"net/netip"
	"slices"
)

// Builtin are the names of patterns that need no expression.
func Builtin() []string { return []string{"cards", "emails", "ips", "keys"} }

// builtin returns the patterns of a name.
func builtin(name string) (list []Pattern) {
	switch name {
	case "cards":
		list = []Pattern{{Expr: `[0-9](?:[ -]?[0-9]){12,18}`, find: findCard, half: halfCard}}
	case "emails":
		list = []Pattern{{Expr: `[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}`, Max: 254, half: halfEmail}}
	case "ips":
		const octet = `(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])`
		list = []Pattern{
			{Expr: `\b(?:` + octet + `\.){3}` + octet + `\b`, half: halfIPv4},
			{Expr: `(?:\b[0-9A-Fa-f]{1,4}:|::)[0-9A-Fa-f:]{1,33}[0-9A-Fa-f]\b`, ok: isIPv6, half: halfIPv6},
		}
	case "keys":
		list = keys()
	}
	for i := range list {
		list[i].Name = name
	}
	return list
}

// keys are those that are known by how they begin: of model APIs, clouds, code hosts and chats, tokens of JWT, and private keys as PEM.
func keys() (list []Pattern) {
	for _, p := range []struct {
		expr string
		max  int
	}{
		{`\b(?:sk|rk|pk)[-_](?:[A-Za-z0-9]{1,16}[-_]){0,3}[A-Za-z0-9_-]{16,}`, 64},
		{`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`, 0},
		{`\bAIza[0-9A-Za-z_-]{35}`, 0},
		{`\b(?:gh[pousr]|hf|npm)_[A-Za-z0-9]{30,}`, 64},
		{`\bgithub_pat_[A-Za-z0-9_]{22,}`, 64},
		{`\bglpat-[A-Za-z0-9_-]{20,}`, 64},
		{`\bxox[abeprs]-[A-Za-z0-9-]{10,}`, 64},
		{`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`, 4096},
		{`-----BEGIN [A-Z0-9 ]{0,20}PRIVATE KEY-----(?:[\sA-Za-z0-9+/=:,]*(?:-----END [A-Z0-9 ]{0,20}PRIVATE KEY-----)?)?`, 128},
	} {
		list = append(list, Pattern{Expr: p.expr, Max: p.max})
	}
	return list
}

// How many digits cards have.
const (
	fewestDigits = 13
	mostDigits   = 19
)

// findCard finds the number of a card: groups of digits, with nothing, a space or a hyphen between them, that have a good check digit.
// The border of a number is one of a group.
func findCard(text []byte) (from, to int) {
	for i, c := range text {
		if isDigit(c) && (i == 0 || !isDigit(text[i-1])) {
			if end := cardEnd(text[i:]); end > 0 {
				return i, i + end
			}
		}
	}
	return -1, 0
}

// cardEnd is the length of the longest number of a card that text begins with; 0 for none.
func cardEnd(text []byte) (end int) {
	var digits [mostDigits]byte
	n := 0
	for i, c := range text {
		if !isDigit(c) {
			if c != ' ' && c != '-' || !isDigit(text[i-1]) {
				break
			}
			continue
		}
		if n == mostDigits {
			break
		}
		digits[n] = c - '0'
		n++
		last := i+1 == len(text) || !isDigit(text[i+1])
		if last && n >= fewestDigits && digits[0] >= 2 && digits[0] <= 6 && luhn(digits[:n]) {
			end = i + 1
		}
	}
	return end
}

// luhn reports whether the last digit is the check digit of the others.
func luhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isIPv6 reports whether text is an address of at least two groups with a digit. What stands between colons in code seldom is.
func isIPv6(text []byte) bool {
	address, err := netip.ParseAddr(string(text))
	groups := bytes.FieldsFunc(text, func(r rune) bool { return r == ':' })
	return err == nil && address.Is6() && len(groups) >= 2 && slices.ContainsFunc(text, isDigit)
}
