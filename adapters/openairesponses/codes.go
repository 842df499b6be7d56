package openairesponses

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/responsestream"
)

// errorCodes are the codes that clients of the API know: those of its ResponseError, and those that Codex looks for.
var errorCodes = map[string]bool{
	"server_error": true, "rate_limit_exceeded": true, "invalid_prompt": true, "vector_store_timeout": true, "invalid_image": true,
	"invalid_image_format": true, "invalid_base64_image": true, "invalid_image_url": true, "image_too_large": true,
	"image_too_small": true, "image_parse_error": true, "image_content_policy_violation": true, "invalid_image_mode": true,
	"image_file_too_large": true, "unsupported_image_media_type": true, "empty_image_file": true, "failed_to_download_image": true,
	"image_file_not_found": true, "bio_policy": true,
	codeUnknownResponse: true, "context_length_exceeded": true, "insufficient_quota": true, "usage_not_included": true, "server_is_overloaded": true, "slow_down": true,
}

// codeUnknownResponse is the code of a request that goes on from a response which is not known.
const codeUnknownResponse = "previous_response_not_found"

// foreignCodes are what other dialects and Sabir call the same.
var foreignCodes = map[string]string{
	"resource_exhausted": "rate_limit_exceeded", "rate_limit_error": "rate_limit_exceeded", "rate_limited": "rate_limit_exceeded",
	"429": "rate_limit_exceeded", string(hub.CodeRate): "rate_limit_exceeded", string(hub.CodeTokens): "rate_limit_exceeded",
	"unavailable": "server_is_overloaded", "overloaded_error": "server_is_overloaded", "503": "server_is_overloaded", "529": "server_is_overloaded",
	string(hub.CodeBusy): "server_is_overloaded", string(hub.CodeLimit): "server_is_overloaded", string(hub.CodeOverload): "server_is_overloaded",
	string(hub.CodeShutdown): "server_is_overloaded",
	"invalid_argument":       "invalid_prompt", "invalid_request_error": "invalid_prompt", "400": "invalid_prompt",
	string(hub.CodePartial): codeUnknownResponse, string(hub.CodeAnswerUnknown): codeUnknownResponse,
	string(hub.CodeBadRequest): "invalid_prompt", "billing_error": "insufficient_quota",
}

// appendCode appends a code and the quote behind it: as it is if clients know it, else the nearest that they know, with the
// code itself in a member of our own.
func appendCode(dst, code []byte) []byte {
	if errorCodes[string(code)] {
		return append(append(dst, code...), '"')
	}
	known := foreignCodes[strings.ToLower(string(code))]
	if known == "" {
		known = "server_error"
	}
	dst = append(append(dst, known...), `","`+responsestream.MemberOwnCode+`":"`...)
	return append(append(dst, code...), '"')
}
