package hub

import (
	"hash/maphash"
	"slices"
)

// IDSet is a set of ids of which it keeps hashes alone, so that it is no larger than the request that they come from,
// however small the messages are. That it takes an id for another is as good as impossible, and costs that a suffix.
type IDSet struct {
	hashes []uint64
	sorted bool
}

var idSeed = maphash.MakeSeed()

// Add adds an id.
func (s *IDSet) Add(id []byte) {
	s.hashes, s.sorted = append(s.hashes, maphash.Bytes(idSeed, id)), false
}

// Has reports whether an id was added.
func (s *IDSet) Has(id []byte) bool {
	if !s.sorted {
		slices.Sort(s.hashes)
		s.sorted = true
	}
	_, found := slices.BinarySearch(s.hashes, maphash.Bytes(idSeed, id))
	return found
}

// Len is how many ids were added.
func (s *IDSet) Len() int { return len(s.hashes) }
