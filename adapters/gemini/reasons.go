package gemini

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

const noBlock = "BLOCK_REASON_UNSPECIFIED"

// blocked reports whether v is the blockReason of a prompt that got no answer.
func blocked(v rawjson.Value) bool {
	reason := rawjson.Body(v)
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
