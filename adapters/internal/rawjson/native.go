//go:build (amd64 || arm64) && !go1.28 && !sabir_portable

package rawjson

import (
	"encoding/binary"

	"github.com/bytedance/sonic/utf8"
)

// validUTF8 is utf8.Valid of the standard library, with vector instructions: ten times as fast on text that is not ASCII.
// To prepare them costs more than a look at a short text, and most are ASCII. The constraint above is sonic's own; for other
// systems see portable.go.
func validUTF8(data []byte) bool {
	return len(data) <= shortText && isASCII(data) || utf8.Validate(data)
}

// shortText is how many bytes are short.
const shortText = 64

// isASCII reports whether all bytes of data are.
func isASCII(data []byte) bool {
	all := uint64(0)
	for ; len(data) >= 8; data = data[8:] {
		all |= binary.LittleEndian.Uint64(data)
	}
	for _, c := range data {
		all |= uint64(c)
	}
	return all&highs == 0
}
