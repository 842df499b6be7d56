package langgraph

import (
	"net/url"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what clients call: for runs without a thread, whose conversation they keep themselves, and for those of a thread.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "GET", Path: "/ok", Operation: hub.OpAlive},
	{Method: "GET", Path: "/info", Operation: hub.OpDescribe},
	{Method: "POST", Path: "/assistants/search", Operation: hub.OpModels},
	{Method: "GET", Path: "/assistants/{model}", Operation: hub.OpModel},
	{Method: "POST", Path: "/runs/stream", Operation: hub.OpRun},
	{Method: "GET", Path: "/runs/{run}/stream", Operation: hub.OpRejoin},
	{Method: "POST", Path: "/runs/wait", Operation: hub.OpWhole},
	{Method: "POST", Path: "/threads", Operation: hub.OpNewThread},
	{Method: "POST", Path: "/threads/search", Operation: hub.OpFindThreads},
	{Method: "GET", Path: "/threads/{thread}", Operation: hub.OpThread},
	{Method: "PATCH", Path: "/threads/{thread}", Operation: hub.OpUpdateThread},
	{Method: "DELETE", Path: "/threads/{thread}", Operation: hub.OpForgetThread},
	{Method: "POST", Path: "/threads/{thread}/commands", Operation: hub.OpCommand},
	{Method: "POST", Path: "/threads/{thread}/stream/events", Operation: hub.OpEvents},
	{Method: "GET", Path: "/threads/{thread}/stream/events", Operation: hub.OpOther},
	{Method: "GET", Path: "/threads/{thread}/state", Operation: hub.OpState},
	{Method: "POST", Path: "/threads/{thread}/state", Operation: hub.OpOther},
	{Method: "POST", Path: "/threads/{thread}/history", Operation: hub.OpHistory},
	{Method: "POST", Path: "/threads/{thread}/runs/stream", Operation: hub.OpRun},
	{Method: "POST", Path: "/threads/{thread}/runs/wait", Operation: hub.OpWhole},
	{Method: "POST", Path: "/threads/{thread}/runs", Operation: hub.OpOther},
	{Method: "GET", Path: "/threads/{thread}/runs", Operation: hub.OpRuns},
	{Method: "GET", Path: "/threads/{thread}/runs/{run}", Operation: hub.OpGetRun},
	{Method: "GET", Path: "/threads/{thread}/runs/{run}/join", Operation: hub.OpJoinRun},
	{Method: "GET", Path: "/threads/{thread}/runs/{run}/stream", Operation: hub.OpRejoin},
	{Method: "POST", Path: "/threads/{thread}/runs/{run}/cancel", Operation: hub.OpStop},
}

// placesOf is where the SDKs find a run and its stream again by themselves.
func placesOf(asked *hub.Request) (run, stream string) {
	run = "/runs/" + urlPart(asked.Run)
	if len(asked.Thread) > 0 {
		run = "/threads/" + urlPart(asked.Thread) + run
	}
	return run, run + "/stream"
}

func urlPart(body []byte) string { return url.PathEscape(string(rawjson.AppendUnescaped(nil, body))) }

// appendReply answers what clients ask around runs.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpAlive:
		w.Raw([]byte(`{"ok":true}`))
	case hub.OpDescribe:
		w.Raw([]byte(`{"version":"1.0.0","flags":{"assistants":true,"crons":false}}`))
	case hub.OpModels, hub.OpModel:
		appendAssistants(w, op, a)
	case hub.OpNewThread, hub.OpThread, hub.OpUpdateThread:
		appendThread(w, &a.Thread)
	case hub.OpFindThreads:
		appendThreads(w, a)
	case hub.OpState:
		appendState(w, &a.Thread)
	case hub.OpHistory:
		w.Open('[')
		if len(a.Thread.Messages) > 0 {
			appendState(w, &a.Thread)
		}
		w.Close(']')
	case hub.OpRuns:
		appendRuns(w, a)
	case hub.OpGetRun:
		appendRun(w, a, &a.Runs[0])
	case hub.OpJoinRun:
		w.Open('{')
		appendSaid(w, a.Thread.Messages)
		appendInterrupts(w, keyInterrupt, a.Thread.Messages, a.Thread.Asks)
		w.Close('}')
	case hub.OpRejoin:
		w.Buf = appendOver(w.Buf, &a.Runs[0])
	case hub.OpCommand:
		appendAccepted(w, a)
	case hub.OpStop, hub.OpForgetThread:
		w.Raw([]byte("{}"))
	}
	return w.Buf
}
