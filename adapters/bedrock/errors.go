package bedrock

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

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
	{"content_filtered", hub.StatusFiltered},
	{"guardrail_intervened", hub.StatusFiltered},
	{"malformed_model_output", hub.StatusFailed},
	{"malformed_tool_use", hub.StatusFailed},
}

// stopStatus is what a reason means; one that is new is done.
func stopStatus(reason []byte) hub.Status {
	for i := range stopReasons {
		if stopReasons[i].name == string(reason) {
			return stopReasons[i].status
		}
	}
	return hub.StatusDone
}

// stopReason is the reason to write. asked says that the client has calls to run, which it only does after tool_use.
func stopReason(ev *hub.Event, asked bool) (reason string, disposition hub.Disposition) {
	status, disposition := ev.Status, hub.Native
	switch {
	case status == hub.StatusPaused, status == hub.StatusTools && !asked: // what the run waits for, and who runs it, is not said
		status, disposition = hub.StatusDone, hub.Folded
	case status == hub.StatusLimit:
		status, disposition = hub.StatusLength, hub.Folded // cut short by another budget
	case status == hub.StatusRefused:
		status, disposition = hub.StatusFiltered, hub.Folded
	}
	if status == hub.StatusDone && asked {
		status, disposition = hub.StatusTools, hub.Folded
	}
	for i := range stopReasons {
		r := &stopReasons[i]
		if r.status == status && (reason == "" || r.name == string(ev.Name)) {
			reason = r.name
		}
	}
	return reason, disposition
}

// exceptions are those that a stream can have.
var exceptions = []string{
	"internalServerException", "modelStreamErrorException", "validationException", "throttlingException", "serviceUnavailableException",
}

// exceptionOf is the exception for the code of a run that failed, whoever has given it.
func exceptionOf(code []byte) string {
	if i := slices.Index(exceptions, string(code)); i >= 0 {
		return exceptions[i]
	}
	if !slices.Contains(hub.Codes(), hub.Code(code)) {
		return "modelStreamErrorException"
	}
	switch status := hub.Fail(hub.Code(code), nil).HTTPStatus(); {
	case status == 429:
		return "throttlingException"
	case status == 503:
		return "serviceUnavailableException"
	case status < 500:
		return "validationException"
	case status == 500:
		return "internalServerException"
	}
	return "modelStreamErrorException"
}

// appendException appends the members of an exception. It has to say something.
func appendException(dst []byte, ev *hub.Event) []byte {
	dst = append(append(dst, `{"message":"`...), rawjson.Or(hub.Why(ev), phrases.Run(ev.Status))...)
	return append(dst, `"}`...)
}

// errorTypes are the types of errors of the API by HTTP status.
var errorTypes = map[int]string{
	403: "AccessDeniedException", 404: "ResourceNotFoundException", 408: "ModelTimeoutException", 409: "ConflictException",
	424: "ModelErrorException", 429: "ThrottlingException", 500: "InternalServerException", 503: "ServiceUnavailableException",
}

// appendFailure appends the body of an HTTP error response. SDKs find its type in the body where no header tells it.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	typ, status := "InternalServerException", f.HTTPStatus()
	if known, ok := errorTypes[status]; ok {
		typ = known
	} else if status < 500 {
		typ = "ValidationException"
	}
	dst = append(append(dst, `{"__type":"`...), typ...)
	return append(append(append(dst, `","message":"`...), f.Text()...), `"}`...)
}
