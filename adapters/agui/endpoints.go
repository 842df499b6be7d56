package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what an HttpAgent calls, the URL itself, and what the core of CopilotKit calls below that of its runtime. There
// is one agent, whatever it is called.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "GET", Path: "/info", Operation: hub.OpDescribe},
	{Method: "POST", Path: "/agent/{agent}/run", Operation: hub.OpRun},
	{Method: "POST", Path: "/agent/{agent}/connect", Operation: hub.OpConnect},
	{Method: "POST", Path: "/agent/{agent}/stop/{thread}", Operation: hub.OpStop},
}

// methods are the operations of CopilotKit's other form, in which one URL takes {"method","params","body"}.
var methods = map[string]hub.Operation{
	"info": hub.OpDescribe, "agent/run": hub.OpRun, "agent/connect": hub.OpConnect, "agent/stop": hub.OpStop,
}

// openEnvelope takes a request out of that form.
func openEnvelope(body []byte) (op hub.Operation, params map[string]string, inner []byte, ok bool) {
	var json rawjson.Decoder
	var envelope struct {
		Method rawjson.Value `json:"method"`
		Params rawjson.Value `json:"params"`
		Body   rawjson.Value `json:"body"`
		Thread rawjson.Value `json:"threadId"`
	}
	if json.Decode(body, &envelope) != nil || envelope.Thread != nil {
		return 0, nil, nil, false
	}
	op, ok = methods[string(rawjson.Body(envelope.Method))]
	thread := rawjson.AppendUnescaped(nil, rawjson.Text(envelope.Params, "threadId"))
	return op, map[string]string{"thread": string(thread)}, envelope.Body, ok
}

// stopsRun is the run that the body of a stop names.
func stopsRun(body []byte, _ func(name string) string) (run string, err error) {
	return hub.RunNamed(body, "runId")
}

// appendReply appends the description of the agent for CopilotKit, or that a run was stopped.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpStop:
		w.Open('{')
		w.Bool("success", true)
		w.Close('}')
	case hub.OpDescribe:
		name := rawjson.AppendEscaped(nil, []byte(a.Name))
		w.Open('{')
		w.OpenAt("agents", '{')
		w.OpenAt(string(name), '{')
		w.Text("name", name)
		w.Text("description", rawjson.AppendEscaped(nil, []byte(a.Description)))
		w.Const("className", "HttpAgent")
		w.Close('}')
		w.Close('}')
		w.Bool("audioFileTranscriptionEnabled", false)
		w.Const("mode", "sse")
		w.Close('}')
	}
	return w.Buf
}
