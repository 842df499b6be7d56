package rawjson

// AppendCompact appends v without its insignificant whitespace. The result holds no line break, as framings by line need it.
func AppendCompact(dst []byte, v Value) []byte {
	run := 0 // start of what is still to be copied
	for i := 0; i < len(v); {
		switch v[i] {
		case '"':
			i = skipString(v, i+1)
		case ' ', '\n', '\t', '\r':
			dst = append(dst, v[run:i]...)
			i = skipSpace(v, i)
			run = i
		default:
			i++
		}
	}
	return append(dst, v[run:]...)
}

// ValueOfText appends the plain text of a string body to dst, without surrounding whitespace, if that text is itself one valid
// JSON value: tool arguments often travel as a string. The value is what was appended; it is valid as long as the result is.
// Otherwise ok is false and the result is dst, perhaps with more room behind it.
func ValueOfText(dst, body []byte) (result []byte, ok bool) {
	n := len(dst)
	dst = AppendUnescaped(dst, body)
	var s scanner
	if s.pass(dst[n:], DefaultMaxDepth, nil, nil) < 0 {
		return dst[:n], false
	}
	text := trim(dst[n:])
	return dst[:n+copy(dst[n:], text)], true
}
