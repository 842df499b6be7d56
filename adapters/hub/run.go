package hub

import "github.com/sabir-proxy/sabir/adapters/internal/rawjson"

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
	Meta         []byte // raw: the origin's own metadata of the end, as in [More]
	Usage        Counts
}

// End is the event with which the run ended, for what reads ends of events.
func (r *Run) End() Event {
	return Event{Kind: RunEnd, Status: r.Status, Name: r.Reason, More: &More{Err: r.Err, ErrCode: r.ErrCode, Meta: r.Meta}}
}

// StopSequence is the text at which the model stopped, a string body; nil where it is not known. It is what the dialect named notes of the
// end, or a server of Chat Completions.
func (ev *Event) StopSequence(dialect string) []byte {
	return rawjson.First(rawjson.Body(ev.Meta(dialect, "stop_sequence")), rawjson.Body(ev.Meta("stop_sequence")))
}
