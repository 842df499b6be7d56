package gemini

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

const noBlock = "BLOCK_REASON_UNSPECIFIED"

// blocked reports whether v is the blockReason of a prompt that got no answer.
func blocked(v rawjson.Value) bool {
	reason := rawjson.Body(v)
	return len(reason) > 0 && string(reason) != noBlock
}

// codeOf is the error code for the reason and the code of a RunEnd.
func codeOf(st hub.Status, errCode []byte) int {
	if code := genai.CodeOfStatus(errCode); code != 0 {
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
