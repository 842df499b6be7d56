package rawjson

import "bytes"

// separators begins the two characters that JSON allows in strings and some readers of lines take for the end of one.
var separators = []byte("\xe2\x80")

// EscapeSeparators escapes U+2028 and U+2029 in the record of buf that begins at from.
func EscapeSeparators(buf []byte, from int) []byte {
	for {
		i := bytes.Index(buf[from:], separators)
		if i < 0 {
			return buf
		}
		from += i + len(separators)
		if from < len(buf) && (buf[from] == 0xa8 || buf[from] == 0xa9) {
			digit := '8' + buf[from] - 0xa8
			buf = append(buf, "..."...)
			copy(buf[from+4:], buf[from+1:])
			copy(buf[from-2:], `\u202`)
			buf[from+3] = digit
		}
	}
}
