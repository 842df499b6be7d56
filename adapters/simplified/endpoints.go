package simplified

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// endpoints are what clients call below /api/chat. A run is named by the id of the user's message.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpRun},
	{Method: "POST", Path: "/cancel", Operation: hub.OpStop},
	{Method: "GET", Path: "/runs/{run}/stream", Operation: hub.OpRejoin},
	{Method: "POST", Path: "/runs/resume", Operation: hub.OpOther},
	{Method: "GET", Path: "/runs/active", Operation: hub.OpOther},
}

// counted is how clients of version 2 come back: from is the number of the first event that they want, counted from 1.
var counted = hub.Counted{
	Parameter: "from",
	Has: func(from string) (int64, bool) {
		n, ok := hub.ParseCount(from)
		return max(0, n-1), ok
	},
	Boundary: `{"type":"replay_complete"}`,
}

// stopsRun is the run that the body of a cancel names.
func stopsRun(body []byte, _ func(name string) string) (run string, err error) {
	return hub.RunNamed(body, "messageId")
}

// appendReply answers a cancel.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	if op != hub.OpStop {
		return dst
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	if a.Stopped != "" {
		w.Bool("success", true)
	} else {
		w.Const("error", "No in-progress request for this messageId")
	}
	w.Close('}')
	return w.Buf
}

// appendRefusal is the answer to a request that is refused. Of a run that is not there any more, a stream says so.
func appendRefusal(dst []byte, op hub.Operation, _ *hub.Request, f *hub.Failure) (body []byte, status int) {
	if op == hub.OpRejoin && (f.Code == hub.CodeRunUnknown || f.Code == hub.CodeRunCut) {
		return append(dst, `{"type":"`+typeGone+"\"}\n"...), 200
	}
	return appendFailure(dst, f), f.HTTPStatus()
}
