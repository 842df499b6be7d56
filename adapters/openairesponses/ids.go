package openairesponses

import (
	"bytes"
	"math"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// Items of a response have ids of their own, which begin with what they are and are never used again: clients refuse a
// response with two items of one id, and servers that keep conversations mix up those of two responses. An upstream's own
// id is kept if it has that form. All others are made of a tag of the response and the index of the item.

// Prefixes of ids.
const (
	prefixMessage   = "msg_"
	prefixReasoning = "rs_"
	prefixCall      = "fc_"
	prefixImage     = "ig_"
	prefixApproval  = "mcpr_"
)

// longestID is the longest id of an upstream that is kept, in bytes.
const longestID = 128

// appendItemID appends the id of an item.
func (e *encoder) appendItemID(dst []byte, prefix string, id []byte, at int) []byte {
	if rest, ok := bytes.CutPrefix(id, []byte(prefix)); ok && len(id) <= longestID && e.foreign(rest) {
		return append(dst, id...)
	}
	dst = append(append(append(dst, prefix...), e.tag...), '_')
	return strconv.AppendInt(dst, int64(at), 10)
}

// foreign reports whether the rest of an id is plain and unlike those that are made here.
func (e *encoder) foreign(rest []byte) bool {
	if len(rest) == 0 || bytes.HasPrefix(rest, e.tag) {
		return false
	}
	return bytes.IndexByte(rest, '\\') < 0
}

// appendTag appends what tells the ids of one response from those of another: 80 bits of a hash, in base 32. Equal
// requests and runs have equal tags: what is translated twice comes out the same.
func appendTag(dst, run, request []byte) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	h := texthash.Add(texthash.Of(run), []byte{0})
	h = texthash.Add(h, request)
	for range 2 {
		for i := range 8 {
			dst = append(dst, digits[h>>(24+5*i)&31])
		}
		h = texthash.Add(h, []byte{1})
	}
	return dst
}

// reserve takes the next output index.
func (e *encoder) reserve() int {
	e.items = append(e.items, nil)
	return len(e.items) - 1
}

// keep counts bytes of output that are kept until the end, and reports whether there is room for them.
func (e *encoder) keep(n int) bool {
	if e.full || e.used+n > e.maxOutput {
		e.full = true
		return false
	}
	e.used += n
	return true
}

// Kept implements [hub.Keeper]. Where the dialect's own limit was reached, the rest is lost, whatever the limit of all is.
func (e *encoder) Kept() int {
	if e.full {
		return math.MaxInt
	}
	return e.used
}

// overhead is what an item costs beside its text, about, in bytes.
const overhead = 256
