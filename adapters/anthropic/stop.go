package anthropic

import "github.com/sabir-proxy/sabir/adapters/hub"

// stopReasons are the reasons of the API, and what they mean. The first of a status is the one that is written for it.
var stopReasons = []struct {
	name   string
	status hub.Status
}{
	{"end_turn", hub.StatusDone},
	{"stop_sequence", hub.StatusDone},
	{"max_tokens", hub.StatusLength},
	{"model_context_window_exceeded", hub.StatusLength},
	{"tool_use", hub.StatusTools},
	{"pause_turn", hub.StatusPaused}, // the server's own tools took too many turns: the client sends the message back
	{"compaction", hub.StatusPaused}, // likewise, after the conversation was summed up
	{"refusal", hub.StatusRefused},
}

// stopStatus is what a reason means; known is false for one that is new.
func stopStatus(reason []byte) (st hub.Status, known bool) {
	for i := range stopReasons {
		if stopReasons[i].name == string(reason) {
			return stopReasons[i].status, true
		}
	}
	return hub.StatusDone, false
}

// stopReason is the reason to write. asked says that the client has calls to run, which it only does after tool_use.
func stopReason(ev *hub.Event, asked bool) (reason string, disposition hub.Disposition) {
	switch ev.Status {
	case hub.StatusDone, hub.StatusPaused:
		if asked {
			return "tool_use", hub.Folded
		}
	case hub.StatusTools:
		if !asked {
			return "end_turn", hub.Folded // its calls went out as such that were run
		}
	case hub.StatusLimit:
		return "max_tokens", hub.Folded // cut short by another budget
	case hub.StatusFiltered:
		return "refusal", hub.Folded
	}
	for i := range stopReasons {
		r := &stopReasons[i]
		if r.status != ev.Status {
			continue
		}
		if reason == "" || r.name == string(ev.Name) {
			reason = r.name
		}
	}
	if ev.Status == hub.StatusPaused && reason != string(ev.Name) {
		return reason, hub.Folded // what the run waits for is not said
	}
	return reason, hub.Native
}
