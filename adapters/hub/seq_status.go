package hub

// A status means something on one kind of event only. Decoders that put another one there are understood, so that
// encoders meet none but the right ones.

// endReason is the reason on a RunEnd. An end without a reason is a good one.
func endReason(st Status) Status {
	switch {
	case st >= StatusDone && st <= StatusTruncated:
		return st
	case st == StatusError || st == StatusDenied:
		return StatusFailed
	case st == StatusAborted:
		return StatusCancelled
	}
	return StatusDone
}

// endStatus is the status on the end of a tool or an agent; absent stands for one without.
func endStatus(st, absent Status) Status {
	switch st {
	case StatusNone:
		return absent
	case StatusOK, StatusError, StatusDenied, StatusAborted, StatusClient, StatusPaused, StatusUnknown:
		return st
	case StatusDone:
		return StatusOK
	case StatusFailed, StatusTruncated, StatusLength, StatusLimit, StatusFiltered:
		return StatusError
	case StatusRefused:
		return StatusDenied
	case StatusCancelled:
		return StatusAborted
	case StatusTools:
		return StatusClient
	}
	return StatusUnknown
}

// answerStatus is the status on an Answer.
func answerStatus(ev *Event) Status {
	switch {
	case ev.Status == StatusCancelled || ev.Status >= StatusChosen:
		return ev.Status
	case ev.Status == StatusDenied || ev.Status == StatusAborted:
		return StatusCancelled
	case len(ev.Name) > 0 || ev.Value != nil || ev.Status == StatusOK || ev.Status == StatusDone:
		return StatusChosen
	}
	return StatusUnresolved
}

// agentReason is how the end of a lane ends what is still open in it.
func agentReason(st Status) Status {
	switch st {
	case StatusOK, StatusUnknown:
		return StatusDone
	case StatusPaused:
		return StatusPaused
	case StatusClient:
		return StatusTools
	}
	return StatusFailed
}

// openStatus is the status of a tool or lane that is still open when its run or lane ends for this reason.
func openStatus(reason Status) Status {
	switch reason {
	case StatusDone:
		return StatusUnknown
	case StatusTools:
		return StatusClient
	case StatusPaused:
		return StatusPaused
	}
	return StatusAborted
}
