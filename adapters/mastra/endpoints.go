package mastra

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what clients call, below /api unless they are configured with another prefix. There is one agent, whatever it is called.
var endpoints = slices.Concat([]hub.Endpoint{{Method: "POST", Operation: hub.OpRun}}, below("/api"), below(""))

func below(prefix string) []hub.Endpoint {
	one := prefix + "/agents/{agent}"
	return []hub.Endpoint{
		{Method: "POST", Path: one + "/stream", Operation: hub.OpRun},
		{Method: "POST", Path: one + "/approve-tool-call", Operation: hub.OpRun},
		{Method: "POST", Path: one + "/decline-tool-call", Operation: hub.OpRun},
		{Method: "POST", Path: one + "/resume-stream", Operation: hub.OpRun},
		{Method: "POST", Path: one + "/generate", Operation: hub.OpWhole},
		{Method: "POST", Path: one + "/approve-tool-call-generate", Operation: hub.OpWhole},
		{Method: "POST", Path: one + "/decline-tool-call-generate", Operation: hub.OpWhole},
		{Method: "GET", Path: prefix + "/agents", Operation: hub.OpDescribe},
		{Method: "GET", Path: one, Operation: hub.OpModel},
	}
}

// appendReply describes the agent: in a list by its id, or alone.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpDescribe:
		w.Open('{')
		w.Key(string(rawjson.AppendEscaped(nil, []byte(a.Name))))
		appendAgent(w, a)
		w.Close('}')
	case hub.OpModel:
		appendAgent(w, a)
	}
	return w.Buf
}

// appendAgent describes the agent. Front ends choose by modelVersion how they ask (v1 is for models of before AI SDK 5), and show the provider.
func appendAgent(w *jsonwriter.Writer, a *hub.Agent) {
	name := rawjson.AppendEscaped(nil, []byte(a.Name))
	w.Open('{')
	w.Text("id", name)
	w.Text("name", name)
	w.Text("description", rawjson.AppendEscaped(nil, []byte(a.Description)))
	w.Const("instructions", "")
	for _, none := range [...]string{"tools", "agents", "workflows", "defaultOptions"} {
		w.OpenAt(none, '{')
		w.Close('}')
	}
	w.Const("provider", "sabir")
	w.Text("modelId", rawjson.AppendEscaped(nil, []byte(slices.Concat(a.Models, []string{a.Name})[0])))
	w.Const("modelVersion", "v2")
	w.Close('}')
}

// appendFailure appends the body of an HTTP error, as servers write it.
var appendFailure = hub.FailureBody(`{"error":"TEXT","code":"CODE"}`)
