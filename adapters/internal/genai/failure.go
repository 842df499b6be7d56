package genai

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// errorStatuses are the status of an error and the HTTP code that goes with it (google.rpc.Code); the first of a code is the usual one.
var errorStatuses = []struct {
	code   int
	status string
}{
	{400, "INVALID_ARGUMENT"}, {400, "FAILED_PRECONDITION"}, {400, "OUT_OF_RANGE"}, {401, "UNAUTHENTICATED"},
	{403, "PERMISSION_DENIED"}, {404, "NOT_FOUND"}, {405, "INVALID_ARGUMENT"}, {406, "INVALID_ARGUMENT"},
	{408, "DEADLINE_EXCEEDED"}, {409, "ABORTED"}, {409, "ALREADY_EXISTS"}, {413, "INVALID_ARGUMENT"},
	{429, "RESOURCE_EXHAUSTED"}, {499, Cancelled}, {500, "INTERNAL"}, {500, "UNKNOWN"}, {500, "DATA_LOSS"},
	{501, "UNIMPLEMENTED"}, {502, "UNAVAILABLE"}, {503, "UNAVAILABLE"}, {504, "DEADLINE_EXCEEDED"},
}

// Cancelled is the status of what was cancelled.
const Cancelled = "CANCELLED"

// StatusOfCode is the status that goes with an HTTP code.
func StatusOfCode(code int) string {
	for _, s := range errorStatuses {
		if s.code == code {
			return s.status
		}
	}
	return "UNKNOWN"
}

// CodeOfStatus is the code for the status of an error; 0 if it is none of Google's.
func CodeOfStatus(status []byte) int {
	code := 0
	for _, s := range errorStatuses {
		if s.status == string(status) && (code == 0 || s.code == 503) {
			code = s.code
		}
	}
	return code
}

// AppendFailure appends the body of an HTTP error as Google words it.
func AppendFailure(dst []byte, f *hub.Failure) []byte {
	code := f.HTTPStatus()
	dst = append(dst, `{"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":"`...)
	dst = append(dst, f.Text()...)
	dst = append(dst, `","status":"`...)
	dst = append(dst, StatusOfCode(code)...)
	return append(dst, `"}}`...)
}
