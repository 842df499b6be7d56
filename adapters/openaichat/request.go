package openaichat

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/history"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads the body of a POST to …/chat/completions.
type requests struct{ hub.PassThrough }

// DecodeRequest takes the model, whose name the client expects to see again, and whether it wants to know the usage.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var asked struct {
		Model  rawjson.Value `json:"model"`
		Stream rawjson.Value `json:"stream_options"`

		Messages rawjson.Value `json:"messages"`
		Tools    rawjson.Value `json:"tools"`
	}
	if err := json.Decode(body, &asked); err != nil {
		return hub.JSONError(err)
	}
	usage, _ := rawjson.Bool(rawjson.Get(asked.Stream, "include_usage"))
	req.Model, req.Usage, req.Body = rawjson.Body(asked.Model), usage, body
	req.Tools.Known = true // nothing else tells the model of a tool
	history.Each(asked.Tools, func(tool rawjson.Value) { req.Tools.Add(rawjson.Text(tool, "function", "name")) })
	req.History.Known = true
	history.Each(asked.Messages, func(m rawjson.Value) {
		history.AddFunctions(&req.History, rawjson.Get(m, "tool_calls"), nil, history.Always)
		if string(rawjson.Text(m, "role")) == "tool" {
			req.History.Answer(rawjson.Text(m, "tool_call_id"))
		}
	})
	return nil
}

// appendFailure appends the body of an HTTP error. The SDKs make their classes of errors from the status, and show the
// message.
func appendFailure(dst []byte, f *hub.Failure) []byte {
	dst = append(dst, `{"error":{"message":"`...)
	dst = append(dst, f.Text()...)
	dst = append(dst, `","type":"`...)
	dst = append(dst, errorType(f.HTTPStatus())...)
	dst = append(dst, `","param":null,"code":"`...)
	dst = append(dst, f.Code...)
	dst = append(dst, `","status":`...)
	dst = strconv.AppendInt(dst, int64(f.HTTPStatus()), 10)
	return append(dst, "}}"...)
}

// errorType is the word of the API for a status.
func errorType(status int) string {
	switch {
	case status == 429:
		return "rate_limit_error"
	case status < 500:
		return "invalid_request_error"
	}
	return typeFailed
}
