package acpwire

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ToolStatus reads the status of a tool call; paused and cancelled are of version 2. Others are none, as ACP's own client
// reads them.
func ToolStatus(v rawjson.Value) hub.Status {
	body, _ := rawjson.Str(v)
	switch string(body) {
	case "pending", "paused":
		return hub.StatusPending
	case "in_progress":
		return hub.StatusRunning
	case "completed":
		return hub.StatusOK
	case "failed":
		return hub.StatusError
	case "cancelled":
		return hub.StatusAborted
	}
	return hub.StatusNone
}

// Ended reports whether a status is that of a call that is over. The statuses of ends come last in the hub.
func Ended(s hub.Status) bool { return s >= hub.StatusOK }

// FailureText is why a call failed, as far as anybody knows, nil where its result says it; aborted is what is said of a call
// that the end of the run has stopped.
func FailureText(ev *hub.Event, aborted string) []byte {
	if ev.More != nil && len(ev.More.Err) > 0 {
		return ev.More.Err
	}
	if len(ev.Text) > 0 || ev.Value != nil || ev.More != nil && ev.More.Content != nil {
		return nil
	}
	switch ev.Status {
	case hub.StatusDenied:
		return []byte(phrases.Denied)
	case hub.StatusAborted:
		return []byte(aborted)
	}
	return nil
}

// stopReasons are why a turn stopped.
var stopReasons = []struct {
	name   string
	status hub.Status
}{
	{"end_turn", hub.StatusDone},
	{"max_tokens", hub.StatusLength},
	{"max_turn_requests", hub.StatusLimit},
	{"refusal", hub.StatusRefused},
	{"cancelled", hub.StatusCancelled},
}

// StopStatus is the status for a reason to stop. Reasons of later versions, and none at all, as version 2 allows, are a good
// end.
func StopStatus(reason []byte) hub.Status {
	for _, s := range stopReasons {
		if s.name == string(reason) {
			return s.status
		}
	}
	return hub.StatusDone
}

// StopReason is the closest that ACP has for the end of a run that did not fail.
func StopReason(s hub.Status) string {
	for _, r := range stopReasons {
		if r.status == s {
			return r.name
		}
	}
	if s == hub.StatusFiltered {
		return "refusal"
	}
	return "end_turn"
}
