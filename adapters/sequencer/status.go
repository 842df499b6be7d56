package sequencer

import "github.com/sabir-proxy/sabir/adapters/hub"

// A status means something on one kind of event only. Decoders that put another one there are understood, so that
// encoders meet none but the right ones.

// endReason is the reason on a RunEnd. An end without a reason is a good one.
func endReason(st hub.Status) hub.Status {
	switch {
	case st >= hub.StatusDone && st <= hub.StatusTruncated:
		return st
	case st == hub.StatusError || st == hub.StatusDenied:
		return hub.StatusFailed
	case st == hub.StatusAborted:
		return hub.StatusCancelled
	}
	return hub.StatusDone
}

// endStatus is the status on the end of a tool or an agent; absent stands for one without.
func endStatus(st, absent hub.Status) hub.Status {
	switch st {
	case hub.StatusNone:
		return absent
	case hub.StatusOK, hub.StatusError, hub.StatusDenied, hub.StatusAborted, hub.StatusClient, hub.StatusPaused, hub.StatusUnknown:
		return st
	case hub.StatusDone:
		return hub.StatusOK
	case hub.StatusFailed, hub.StatusTruncated, hub.StatusLength, hub.StatusLimit, hub.StatusFiltered:
		return hub.StatusError
	case hub.StatusRefused:
		return hub.StatusDenied
	case hub.StatusCancelled:
		return hub.StatusAborted
	case hub.StatusTools:
		return hub.StatusClient
	}
	return hub.StatusUnknown
}

// answerStatus is the status on an Answer.
func answerStatus(ev *hub.Event) hub.Status {
	switch {
	case ev.Status == hub.StatusCancelled || ev.Status >= hub.StatusChosen:
		return ev.Status
	case ev.Status == hub.StatusDenied || ev.Status == hub.StatusAborted:
		return hub.StatusCancelled
	case len(ev.Name) > 0 || ev.Value != nil || ev.Status == hub.StatusOK || ev.Status == hub.StatusDone:
		return hub.StatusChosen
	}
	return hub.StatusUnresolved
}

// agentReason is how the end of a sub-agent ends what is still open in it.
func agentReason(st hub.Status) hub.Status {
	switch st {
	case hub.StatusOK, hub.StatusUnknown:
		return hub.StatusDone
	case hub.StatusPaused:
		return hub.StatusPaused
	case hub.StatusClient:
		return hub.StatusTools
	}
	return hub.StatusFailed
}

// openStatus is the status of a tool or sub-agent that is still open when its run or sub-agent ends for this reason.
func openStatus(reason hub.Status) hub.Status {
	switch reason {
	case hub.StatusDone:
		return hub.StatusUnknown
	case hub.StatusTools:
		return hub.StatusClient
	case hub.StatusPaused:
		return hub.StatusPaused
	}
	return hub.StatusAborted
}
