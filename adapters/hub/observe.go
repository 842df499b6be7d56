package hub

// Observation is what a record means for a stream that is copied instead of translated.
type Observation uint8

// Observations.
const (
	ObservedNothing Observation = iota
	ObservedStart               // the run has an end of its own: without it the stream was cut
	ObservedEnd                 // the run is over
)
