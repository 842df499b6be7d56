package hub

// Run is what came of a run, at rest: what an answer in one piece says.
//
// Strings are bodies (still escaped) and values are raw, as in an [Event].
type Run struct {
	ID, Thread []byte
	Model      []byte
	Time       int64 // when it began, in milliseconds since the Unix epoch, by the upstream's clock; 0 = not said

	Messages []Message // what was said in it, in order
	Asks     []Event   // the questions that wait for an answer

	Queued       bool // the agent has not been asked yet
	Ended        bool // the members below hold
	Status       Status
	Reason       []byte // the upstream's own word for Status
	Err, ErrCode []byte
	Usage        Counts
}
