package openairesponses

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/openaimodels"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what the SDKs call, whose base URL is written with and without the version. GET of responses is the handshake of the
// WebSocket.
var endpoints = slices.Concat([]hub.Endpoint{{Method: "POST", Operation: hub.OpRun}}, below(""), below("/v1"), openaimodels.Endpoints)

func below(base string) []hub.Endpoint {
	const response, conversation = "/responses/{answer}", "/conversations/{thread}"
	return []hub.Endpoint{
		{Method: "POST", Path: base + "/responses", Operation: hub.OpRun},
		{Method: "GET", Path: base + "/responses", Operation: hub.OpRun},
		{Method: "POST", Path: base + response + "/cancel", Operation: hub.OpStop},
		{Method: "GET", Path: base + response, Operation: hub.OpAnswer},
		{Method: "DELETE", Path: base + response, Operation: hub.OpForgetAnswer},
		{Method: "GET", Path: base + response + "/input_items", Operation: hub.OpInput},
		{Method: "POST", Path: base + "/conversations", Operation: hub.OpNewThread},
		{Method: "GET", Path: base + conversation, Operation: hub.OpThread},
		{Method: "DELETE", Path: base + conversation, Operation: hub.OpForgetThread},
		{Method: "GET", Path: base + conversation + "/items", Operation: hub.OpItems},
		{Method: "POST", Path: base + conversation + "/items", Operation: hub.OpAddItems},
	}
}

// appendReply answers what is no turn.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	switch op {
	case hub.OpStop:
		return appendCancelled(dst, a.Stopped)
	case hub.OpNewThread, hub.OpThread:
		return appendConversation(dst, &a.Thread)
	case hub.OpForgetThread:
		return appendDeleted(dst, a.Thread.ID, "conversation.deleted")
	case hub.OpForgetAnswer:
		return appendDeleted(dst, a.Answer, "response.deleted")
	case hub.OpItems, hub.OpAddItems, hub.OpInput:
		return appendItems(dst, a, op == hub.OpAddItems)
	}
	return openaimodels.AppendReply(dst, op, a)
}

// appendCancelled appends the response that was cancelled. What it had said so far is in its stream.
func appendCancelled(dst []byte, id string) []byte {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("id", rawjson.AppendEscaped(nil, []byte(id)))
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
