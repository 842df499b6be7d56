package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// methods are those of JSON-RPC, in both versions. Those of 0.3 have a slash.
var methods = map[string]hub.Operation{
	"SendStreamingMessage": hub.OpRun, "message/stream": hub.OpRun,
	"SendMessage": hub.OpWhole, "message/send": hub.OpWhole,
	"GetTask": hub.OpGetRun, "tasks/get": hub.OpGetRun,
	"CancelTask": hub.OpStop, "tasks/cancel": hub.OpStop,
	"SubscribeToTask": hub.OpRejoin, "tasks/resubscribe": hub.OpRejoin,
	"ListTasks": hub.OpOther, "tasks/list": hub.OpOther,
	"GetExtendedAgentCard": hub.OpExtended, "agent/getAuthenticatedExtendedCard": hub.OpExtended,

	"CreateTaskPushNotificationConfig": hub.OpNotify, "tasks/pushNotificationConfig/set": hub.OpNotify,
	"GetTaskPushNotificationConfig": hub.OpNotify, "tasks/pushNotificationConfig/get": hub.OpNotify,
	"ListTaskPushNotificationConfigs": hub.OpNotify, "tasks/pushNotificationConfig/list": hub.OpNotify,
	"DeleteTaskPushNotificationConfig": hub.OpNotify, "tasks/pushNotificationConfig/delete": hub.OpNotify,
}

// endpoints are the URL for the binding to JSON-RPC, those of REST in both versions, and the card, by its name and an older one.
var endpoints = append(append([]hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "GET", Path: "/.well-known/agent-card.json", Operation: hub.OpDescribe},
	{Method: "GET", Path: "/.well-known/agent.json", Operation: hub.OpDescribe},
}, restEndpoints("")...), restEndpoints("/v1")...)

func restEndpoints(base string) []hub.Endpoint {
	all := []hub.Endpoint{
		{Method: "POST", Path: "/message:stream", Operation: hub.OpRun},
		{Method: "POST", Path: "/message:send", Operation: hub.OpWhole},
		{Method: "POST", Path: "/tasks/{run}:cancel", Operation: hub.OpStop},
		{Method: "POST", Path: "/tasks/{run}:subscribe", Operation: hub.OpRejoin},
		{Method: "GET", Path: "/tasks/{run}:subscribe", Operation: hub.OpRejoin},
		{Method: "GET", Path: "/tasks/{run}", Operation: hub.OpGetRun},
		{Method: "GET", Path: "/tasks", Operation: hub.OpOther},
		{Method: "GET", Path: "/extendedAgentCard", Operation: hub.OpExtended},
		{Method: "GET", Path: "/card", Operation: hub.OpExtended},
		{Method: "POST", Path: "/tasks/{run}/pushNotificationConfigs", Operation: hub.OpNotify},
		{Method: "GET", Path: "/tasks/{run}/pushNotificationConfigs", Operation: hub.OpNotify},
		{Method: "GET", Path: "/tasks/{run}/pushNotificationConfigs/{config}", Operation: hub.OpNotify},
		{Method: "DELETE", Path: "/tasks/{run}/pushNotificationConfigs/{config}", Operation: hub.OpNotify},
	}
	for i := range all {
		all[i].Path = base + all[i].Path
	}
	return all
}

// openEnvelope finds out what a call of JSON-RPC asks for besides messages. It is read again for its id.
func openEnvelope(body []byte) (op hub.Operation, params map[string]string, inner []byte, ok bool) {
	var json rawjson.Decoder
	var call struct {
		Method rawjson.Value `json:"method"`
		Params rawjson.Value `json:"params"`
	}
	if json.Decode(body, &call) != nil || rawjson.Kind(call.Method) != '"' {
		return 0, nil, nil, false
	}
	op, known := methods[string(rawjson.Body(call.Method))]
	switch {
	case !known:
		op = hub.OpUnknown
	case op == hub.OpRun || op == hub.OpWhole:
		return 0, nil, nil, false
	}
	id := rawjson.AppendUnescaped(nil, rawjson.Text(call.Params, "id"))
	return op, map[string]string{"run": string(id)}, body, true
}

// appendReply appends the card, or a task as it is.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	switch op {
	case hub.OpDescribe:
		return appendCard(dst, a)
	case hub.OpGetRun, hub.OpStop:
		return appendPast(dst, a)
	}
	return dst
}
