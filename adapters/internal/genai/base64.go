package genai

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// IsBase64 reports whether a signature can be one of Gemini's: typed readers decode it as base64, and fail on anything else,
// also where its last digit has bits that mean nothing.
func IsBase64(sig []byte) bool {
	body := bytes.TrimRight(sig, "=")
	pad := len(sig) - len(body)
	if len(sig)%4 != 0 || pad > 2 {
		return false
	}
	last := byte(0)
	for _, c := range body {
		i := bytes.IndexByte([]byte(base64Digits), c)
		if i < 0 {
			return false
		}
		last = byte(i)
	}
	return last&(1<<(2*pad)-1) == 0
}

// Base64 returns bytes as readers outside of Google's take them. What Google's libraries in Python write, and so ADK's servers, has
// the digits - and _ in place of + and /, and protobuf lets the padding be left out. The body is copied only where that is so.
func Base64(body []byte) []byte {
	if bytes.IndexByte(body, '-') < 0 && bytes.IndexByte(body, '_') < 0 {
		return body
	}
	plain := bytes.Map(standardDigit, body)
	isDigit := func(r rune) bool { return bytes.ContainsRune([]byte(base64Digits), r) }
	if digits := bytes.TrimRight(plain, "="); len(digits)%4 == 1 || bytes.IndexFunc(digits, func(r rune) bool { return !isDigit(r) }) >= 0 {
		return body // something else, such as a signature of another provider
	}
	for len(plain)%4 != 0 {
		plain = append(plain, '=')
	}
	return plain
}

func standardDigit(r rune) rune {
	switch r {
	case '-':
		return '+'
	case '_':
		return '/'
	}
	return r
}

// NoSignature stands for the signature of a call that has none. It is a word, whatever its digits look like.
const NoSignature = "skip_thought_signature_validator"

// signature is a value that holds a signature, in the digits that [Base64] has.
func signature(v rawjson.Value) rawjson.Value {
	body := rawjson.Body(v)
	if string(body) == NoSignature {
		return v
	}
	if plain := Base64(body); len(body) > 0 && &plain[0] != &body[0] {
		return rawjson.AppendQuoted(nil, plain)
	}
	return v
}
