package gemini

import (
	"slices"

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
	"OTHER": true, "MALFORMED_FUNCTION_CALL": true, "UNEXPECTED_TOOL_CALL": true, "MALFORMED_RESPONSE": true, "NO_IMAGE": true,
	"IMAGE_OTHER": true,
}

const (
	malformedCall = "MALFORMED_FUNCTION_CALL"
	noReason      = "FINISH_REASON_UNSPECIFIED"
	noBlock       = "BLOCK_REASON_UNSPECIFIED"
)

// statusOf is what a finishReason means. One that is not known is no success: it is better to say that something is wrong
// than to pass off half an answer as a whole one.
func statusOf(reason []byte) hub.Status {
	if st, ok := reasons[string(reason)]; ok {
		return st
	}
	return hub.StatusFailed
}

// reasonOf is the finishReason for an end that is no failure. exact says that a reader understands the same.
func reasonOf(st hub.Status) (reason string, exact bool) {
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

// finished reports whether v is a finishReason that says something.
func finished(v rawjson.Value) bool {
	reason, _ := rawjson.Str(v)
	return len(reason) > 0 && string(reason) != noReason
}

// blocked reports whether v is the blockReason of a prompt that got no answer.
func blocked(v rawjson.Value) bool {
	reason, _ := rawjson.Str(v)
	return len(reason) > 0 && string(reason) != noBlock
}

// status of an error and the HTTP code that goes with it (google.rpc.Code); the first of a code is the usual one.
var errorStatuses = []struct {
	code   int
	status string
}{
	{400, "INVALID_ARGUMENT"}, {400, "FAILED_PRECONDITION"}, {400, "OUT_OF_RANGE"}, {401, "UNAUTHENTICATED"},
	{403, "PERMISSION_DENIED"}, {404, "NOT_FOUND"}, {405, "INVALID_ARGUMENT"}, {406, "INVALID_ARGUMENT"},
	{408, "DEADLINE_EXCEEDED"}, {409, "ABORTED"}, {409, "ALREADY_EXISTS"}, {413, "INVALID_ARGUMENT"},
	{429, "RESOURCE_EXHAUSTED"}, {499, cancelled}, {500, "INTERNAL"}, {500, "UNKNOWN"}, {500, "DATA_LOSS"},
	{501, "UNIMPLEMENTED"}, {502, "UNAVAILABLE"}, {503, "UNAVAILABLE"}, {504, "DEADLINE_EXCEEDED"},
}

const cancelled = "CANCELLED"

func statusOfCode(code int) string {
	for _, s := range errorStatuses {
		if s.code == code {
			return s.status
		}
	}
	return "UNKNOWN"
}

// codeOfStatus is the code for the status of an error; 0 if it is none of Google's.
func codeOfStatus(status []byte) int {
	code := 0
	for _, s := range errorStatuses {
		if s.status == string(status) && (code == 0 || s.code == 503) {
			code = s.code
		}
	}
	return code
}

// codeOf is the error code for the reason and the code of a RunEnd.
func codeOf(st hub.Status, errCode []byte) int {
	if code := codeOfStatus(errCode); code != 0 {
		return code
	}
	switch {
	case st == hub.StatusCancelled:
		return 499
	case st == hub.StatusTruncated:
		return 503
	case slices.Contains(hub.Codes(), hub.Code(errCode)):
		return hub.Fail(hub.Code(errCode), nil).HTTPStatus()
	}
	return 500
}
