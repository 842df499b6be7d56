package hub

import (
	"math"
	"strconv"
)

// A Counted is how clients say where they are in a run whose records they count themselves: by a parameter of the URL by which they come
// to it. A snapshot has other records, so they never get one.
type Counted struct {
	Parameter string

	// Has is how many records a client has that says so; ok is false for what says nothing of that kind. It is not asked about "".
	Has func(said string) (n int64, ok bool)

	// Boundary is a record that tells the client of an [OpRejoin] that it has got what was said before it came; "": there is none.
	Boundary string
}

// ParseCount reads the number of a record. One that is too large is the largest that another can follow.
func ParseCount(said string) (n int64, ok bool) {
	for i := range len(said) {
		if said[i] < '0' || said[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(said, 10, 64)
	if said == "" || err == nil {
		return min(n, math.MaxInt64-1), err == nil
	}
	return math.MaxInt64 - 1, true
}
