// Package texthash is FNV-1a of 64 bits: the same in every process, and the same however a text was cut. By it a text is known again
// without being kept, and ids are made of what an encoder knows.
package texthash

const (
	offset = 14695981039346656037
	prime  = 1099511628211
)

// Of is the hash of a text.
func Of(text []byte) uint64 { return Add(offset, text) }

// Add goes on with the hash of what came before.
func Add(h uint64, text []byte) uint64 {
	for _, c := range text {
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// Pair is the hash of two texts; where the first ends makes a difference.
func Pair(first, second []byte) uint64 { return Add(Of(first)*prime, second) }

// Extent stands for a text of which only its length and a hash are kept. The zero value is the empty text; two of the same text are
// equal.
type Extent struct {
	Length int
	hash   uint64
}

// Add adds to the text.
func (x *Extent) Add(text []byte) { x.hash, x.Length = Add(x.hash, text), x.Length+len(text) }

// Opens reports whether full begins with the text.
func (x *Extent) Opens(full []byte) bool {
	return len(full) >= x.Length && Add(0, full[:x.Length]) == x.hash
}
