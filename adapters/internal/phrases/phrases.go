// Package phrases holds the texts for people where an upstream has none of its own, so that clients of all dialects get
// the same ones. All are plain enough to stand in the body of a JSON string as they are.
package phrases

import "github.com/sabir-proxy/sabir/adapters/hub"

// What is said of a call that has no result.
const (
	Denied  = "The call was not allowed."
	Aborted = "The run ended before the call did."
	Failed  = "The call failed."
)

// Call is what is said of a call that ended with this status, and did not say why it failed.
func Call(s hub.Status) string {
	switch s {
	case hub.StatusDenied:
		return Denied
	case hub.StatusAborted:
		return Aborted
	}
	return Failed
}

// Run is what is said of a run that ended with this status, not well, and did not say why.
func Run(s hub.Status) string {
	switch s {
	case hub.StatusCancelled:
		return "The run was cancelled."
	case hub.StatusTruncated:
		return "The agent stopped before the answer was complete."
	}
	return "The run failed."
}

// Early is what is said of a run that ended without a failure before its answer was complete, "" of any other, where a dialect has no reason
// for that.
func Early(s hub.Status) string {
	switch s {
	case hub.StatusLength:
		return "The answer was cut at its maximum length."
	case hub.StatusLimit:
		return "The run was stopped at its limit of turns or costs."
	case hub.StatusRefused:
		return "The model refused to answer."
	case hub.StatusFiltered:
		return "The answer was cut by a content filter."
	}
	return ""
}

// RunError is why a run did not end well: in its own words, or in those of Run.
func RunError(ev *hub.Event) []byte {
	if why := hub.Why(ev); len(why) > 0 {
		return why
	}
	return []byte(Run(ev.Status))
}

// ErrorEnd is the end of a run that is to be written as an error, nil if the run did not go wrong. broken says that a call for the client
// cannot run: clients would run it with what they can read of its arguments.
func ErrorEnd(ev *hub.Event, broken bool) (failure *hub.Event, disposition hub.Disposition) {
	switch {
	case ev.Status == hub.StatusFailed:
		return ev, hub.Native
	case ev.Status == hub.StatusCancelled, ev.Status == hub.StatusTruncated:
		return ev, hub.Folded
	case broken && (ev.Status == hub.StatusDone || ev.Status == hub.StatusTools):
		return brokenEnd, hub.Folded
	}
	return nil, hub.Native
}

// BrokenArgs is said of a run with such a call.
const BrokenArgs = "The arguments of a tool call are not valid JSON."

var brokenEnd = &hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: &hub.More{Err: []byte(BrokenArgs)}}
