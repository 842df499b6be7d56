package hub

import "slices"

// IDSet is a set of ids of which it keeps hashes alone, so that it is no larger than the request that they come from,
// however small the messages are. That it takes an id for another is as good as impossible, and costs that a suffix.
type IDSet struct {
	hashes []uint64
	sorted bool
}

// hashOf is FNV-1a of 64 bits: the same in every process, so that a set can go to another one. Who makes two ids with one hash gets
// the suffix.
func hashOf(id []byte) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, c := range id {
		h = (h ^ uint64(c)) * prime
	}
	return h
}

// Add adds an id.
func (s *IDSet) Add(id []byte) {
	s.hashes, s.sorted = append(s.hashes, hashOf(id)), false
}

// Has reports whether an id was added.
func (s *IDSet) Has(id []byte) bool {
	s.sort()
	_, found := slices.BinarySearch(s.hashes, hashOf(id))
	return found
}

// sort prepares looking; afterwards several goroutines may look.
func (s *IDSet) sort() {
	if !s.sorted {
		slices.Sort(s.hashes)
		s.sorted = true
	}
}

// Len is how many ids were added.
func (s *IDSet) Len() int { return len(s.hashes) }
