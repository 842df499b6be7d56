package geminiinteractions

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what the SDKs call, each with its own version of the API.
var endpoints = slices.Concat([]hub.Endpoint{{Method: "POST", Operation: hub.OpRun}}, below(""), below("/v1beta"), below("/v1"), below("/v1alpha"))

func below(version string) []hub.Endpoint {
	const one = "/interactions/{answer}"
	return []hub.Endpoint{
		{Method: "POST", Path: version + "/interactions", Operation: hub.OpRun},
		{Method: "GET", Path: version + one, Operation: hub.OpAnswer},
		{Method: "POST", Path: version + one + "/cancel", Operation: hub.OpStop},
		{Method: "DELETE", Path: version + one, Operation: hub.OpForgetAnswer},
	}
}

// appendReply answers what is no turn: with the interaction that was cancelled, what it had said so far is in its stream; or with nothing,
// where one is forgotten.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpStop:
		w.Open('{')
		w.Text("id", rawjson.AppendEscaped(nil, []byte(a.Stopped)))
		w.Const("object", "interaction")
		w.Const("status", "cancelled")
		w.OpenAt("steps", '[')
		w.Close(']')
		w.Close('}')
	case hub.OpForgetAnswer:
		w.Open('{')
		w.Close('}')
	}
	return w.Buf
}
