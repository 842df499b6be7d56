package hub

// A Counted is how clients say where they are in a run whose records they count themselves: by a parameter of the URL by which they come
// to it. A snapshot has other records, so they never get one.
type Counted struct {
	Parameter string

	// Has is how many records a client has that says so.
	Has func(said string) int64

	// Boundary is a record that tells the client of an [OpRejoin] that it has got what was said before it came; "": there is none.
	Boundary string
}
