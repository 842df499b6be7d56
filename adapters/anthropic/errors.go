package anthropic

import "github.com/sabir-proxy/sabir/adapters/hub"

// errorTypes are the types of errors of the API. Clients choose what to throw by the status of the response, and inside a
// stream by the type.
var errorTypes = map[string]bool{
	"invalid_request_error": true, "authentication_error": true, "billing_error": true, "permission_error": true,
	"not_found_error": true, "conflict_error": true, "request_too_large": true, "rate_limit_error": true, "api_error": true,
	"timeout_error": true, "overloaded_error": true,
}

// codeTypes are the types for Sabir's own codes; those that are not listed are api_error.
var codeTypes = map[hub.Code]string{
	hub.CodeTimeout:         "timeout_error",
	hub.CodeIdle:            "timeout_error",
	hub.CodeDuration:        "timeout_error",
	hub.CodeClientSlow:      "timeout_error",
	hub.CodeUnauthorized:    "authentication_error",
	hub.CodeUnauthenticated: "authentication_error",
	hub.CodeExpired:         "authentication_error",
	hub.CodeForbidden:       "permission_error",
	hub.CodeAuthUnavailable: "overloaded_error",
	hub.CodeNotFound:        "not_found_error",
	hub.CodeNoRoute:         "not_found_error",
	hub.CodeBusy:            "overloaded_error",
	hub.CodeLimit:           "overloaded_error",
	hub.CodeOverload:        "overloaded_error",
	hub.CodeBroken:          "overloaded_error",
	hub.CodeRate:            "rate_limit_error",
	hub.CodeTokens:          "rate_limit_error",
	hub.CodeBodies:          "overloaded_error",
	hub.CodeShutdown:        "overloaded_error",
	hub.CodeBadRequest:      "invalid_request_error",
	hub.CodeBadMethod:       "invalid_request_error",
	hub.CodeBadDialect:      "invalid_request_error",
	hub.CodeBadOrigin:       "permission_error",
	hub.CodeBadHost:         "invalid_request_error",
	hub.CodeBodyTooLarge:    "request_too_large",
	hub.CodeUnreadable:      "invalid_request_error",
	hub.CodeLossy:           "invalid_request_error",
	hub.CodePartial:         "invalid_request_error",
	hub.CodeAnswerUnknown:   "invalid_request_error",
	hub.CodeAnswerRuns:      "invalid_request_error",
	hub.CodeAnswerTaken:     "invalid_request_error",
	hub.CodeNoEndpoint:      "not_found_error",
}

// errorType is the type of an error with that code, whoever has given it.
func errorType(code []byte) string {
	if errorTypes[string(code)] {
		return string(code)
	}
	if typ, ok := codeTypes[hub.Code(code)]; ok {
		return typ
	}
	return "api_error"
}

// appendError appends the error object, which is the same in a stream and as the body of a response.
func appendError(dst []byte, typ string, text []byte) []byte {
	dst = append(append(dst, `{"type":"error","error":{"type":"`...), typ...)
	dst = append(append(dst, `","message":"`...), text...)
	return append(dst, `"}}`...)
}

// statusTypes are the types of errors whose status says more than their code.
var statusTypes = map[int]string{
	402: "billing_error", 403: "permission_error", 409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error",
}

// appendFailure appends the body of an HTTP error response.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	typ, ok := statusTypes[f.HTTPStatus()]
	if !ok {
		typ = errorType([]byte(f.Code))
	}
	dst = appendError(dst, typ, []byte(f.Text()))
	if details := threadDetails[f.Code]; details != "" {
		dst = append(append(dst[:len(dst)-len("}}")], `,"details":{"error_code":"thread_`...), details...)
		dst = append(dst, "}}}"...)
	}
	return dst
}

// threadDetails are what makes the SDKs, which let the server keep the conversation, send all of it themselves: for good, or to begin
// another thread with it.
var threadDetails = map[hub.Code]string{
	hub.CodePartial:       `unsupported_request","unsupported":["thread"]`,
	hub.CodeAnswerUnknown: `not_found"`,
	hub.CodeAnswerRuns:    `continue_in_flight"`,
	hub.CodeAnswerTaken:   `already_continued"`,
}
