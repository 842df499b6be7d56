package openairesponses

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/openaimodels"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what the SDKs call, whose base URL is written with and without the version. GET is the handshake of the
// WebSocket.
var endpoints = slices.Concat([]hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "POST", Path: "/responses", Operation: hub.OpRun},
	{Method: "POST", Path: "/v1/responses", Operation: hub.OpRun},
	{Method: "GET", Path: "/responses", Operation: hub.OpRun},
	{Method: "GET", Path: "/v1/responses", Operation: hub.OpRun},
	{Method: "POST", Path: "/responses/{answer}/cancel", Operation: hub.OpStop},
	{Method: "POST", Path: "/v1/responses/{answer}/cancel", Operation: hub.OpStop},
}, openaimodels.Endpoints)

// appendReply appends the list of models, or the response that was cancelled. What it had said so far is in its stream.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	if op != hub.OpStop {
		return openaimodels.AppendReply(dst, op, a)
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("id", rawjson.AppendEscaped(nil, []byte(a.Stopped)))
	w.Const("object", "response")
	w.Value("created_at", []byte("0"))
	w.Const("status", "cancelled")
	for _, name := range []string{"error", "incomplete_details", "instructions"} {
		w.Value(name, []byte("null"))
	}
	w.Const("model", "")
	for _, name := range []string{"output", "tools"} {
		w.Value(name, []byte("[]"))
	}
	w.Value("parallel_tool_calls", []byte("true"))
	w.Const("tool_choice", "auto")
	w.Close('}')
	return w.Buf
}
