package genai

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// reasons are the values of finishReason (FinishReason in @google/genai 3.1.0) that do not mean that the run failed.
var reasons = map[string]hub.Status{
	"STOP":                     hub.StatusDone,
	"MAX_TOKENS":               hub.StatusLength,
	"CONTINUATION":             hub.StatusLength, // goes on in another request, which is not this stream
	"TOO_MANY_TOOL_CALLS":      hub.StatusLimit,
	"SAFETY":                   hub.StatusFiltered,
	"RECITATION":               hub.StatusFiltered,
	"LANGUAGE":                 hub.StatusFiltered,
	"BLOCKLIST":                hub.StatusFiltered,
	"PROHIBITED_CONTENT":       hub.StatusFiltered,
	"SPII":                     hub.StatusFiltered,
	"IMAGE_SAFETY":             hub.StatusFiltered,
	"IMAGE_PROHIBITED_CONTENT": hub.StatusFiltered,
	"IMAGE_RECITATION":         hub.StatusFiltered,
}

// failures are the other values; they are written where the upstream gave one of them.
var failures = map[string]bool{
	"OTHER": true, MalformedCall: true, "UNEXPECTED_TOOL_CALL": true, "MALFORMED_RESPONSE": true, "NO_IMAGE": true,
	"IMAGE_OTHER": true,
}

// MalformedCall is the reason of a call whose arguments cannot be read.
const MalformedCall = "MALFORMED_FUNCTION_CALL"

const noReason = "FINISH_REASON_UNSPECIFIED"

// StatusOf is what a finishReason means. One that is not known is no success: it is better to say that something is wrong
// than to pass off half an answer as a whole one.
func StatusOf(reason []byte) hub.Status {
	if st, ok := reasons[string(reason)]; ok {
		return st
	}
	return hub.StatusFailed
}

// IsFailure reports whether reason is a finishReason of a run that failed.
func IsFailure(reason []byte) bool { return failures[string(reason)] }

// ReasonOf is the finishReason for an end that is no failure: the upstream's own word, if it is one that means the same. exact
// says that a reader understands the same.
func ReasonOf(st hub.Status, own []byte) (reason string, exact bool) {
	if reasons[string(own)] == st && string(own) != "CONTINUATION" {
		return string(own), true
	}
	switch st {
	case hub.StatusLength:
		return "MAX_TOKENS", true
	case hub.StatusLimit:
		return "TOO_MANY_TOOL_CALLS", true
	case hub.StatusFiltered:
		return "SAFETY", true
	case hub.StatusRefused:
		return "SAFETY", false
	case hub.StatusPaused:
		return "STOP", false
	}
	return "STOP", true
}

// Finished reports whether v is a finishReason that says something.
func Finished(v rawjson.Value) bool {
	reason := rawjson.Body(v)
	return len(reason) > 0 && string(reason) != noReason
}
