package pydantic

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endpoints are what clients call below /api/v1/conversations. A session is a run.
var endpoints = []hub.Endpoint{
	{Method: "POST", Operation: hub.OpNewThread},
	{Method: "POST", Path: "/{thread}/message", Operation: hub.OpRun},
	{Method: "POST", Path: "/{thread}/regenerate", Operation: hub.OpOther},
	{Method: "GET", Path: "/{thread}/messages", Operation: hub.OpState},
	{Method: "POST", Path: "/{thread}/resume/{run}", Operation: hub.OpRejoin},
	{Method: "GET", Path: "/{thread}/active-session", Operation: hub.OpRuns},
	{Method: "GET", Path: "/{thread}/task-status", Operation: hub.OpRuns},
	{Method: "POST", Path: "/{thread}/stop", Operation: hub.OpStop},
}

// startCursor is the cursor of the whole run. Another one is 0-, and how many chunks the client has: chunks have no cursor of their own.
const startCursor = "0-0"

var counted = hub.Counted{
	Parameter: "cursor",
	Has:       func(cursor string) (int64, bool) { return hub.ParseCount(strings.TrimPrefix(cursor, "0-")) },
}

// stopsRun is the run that a stop names.
func stopsRun(_ []byte, query func(name string) string) (run string, err error) {
	return query(paramSession), nil
}

// newThread reads a request for a conversation. What it says of projects and agents is noted on it.
func newThread(body []byte) (hub.NewThread, error) {
	var json rawjson.Decoder
	if len(body) > 0 && json.Valid(body) != nil {
		return hub.NewThread{}, hub.NewError(hub.ReasonSyntax, "body", -1, "want a JSON object")
	}
	return hub.NewThread{Meta: rawjson.OfKind(body, '{')}, nil
}

// appendReply answers what clients ask around runs.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpNewThread:
		w.Open('{')
		w.Const("message", "Conversation created successfully")
		w.Text("conversation_id", rawjson.AppendEscaped(nil, []byte(a.Thread.ID)))
		w.Close('}')
	case hub.OpState:
		w.Buf = appendMessages(dst, a.Thread.Messages, a.Thread.ID, new(hub.Losses))
	case hub.OpRuns:
		appendSession(w, a.Runs)
	case hub.OpStop:
		w.Raw([]byte(`{"status":"success","message":"Session stopped successfully"}`))
	case hub.OpRejoin: // it has ended, and what it said is not kept
		w.Raw([]byte(`{"message": "", "citations": [], "tool_calls": []}`))
	}
	return w.Buf
}

// appendSession writes how far the newest run of a conversation is; nothing if there is none.
func appendSession(w *jsonwriter.Writer, runs []hub.PastRun) {
	if len(runs) == 0 {
		return
	}
	run := &runs[0]
	w.Open('{')
	w.Text("sessionId", run.ID)
	w.Const("status", sessionStatus(run))
	w.Bool("isActive", !run.Ended)
	w.Const("cursor", startCursor)
	w.Text("conversationId", run.Thread)
	w.Int("startedAt", run.Began)
	w.Int("lastActivity", run.Changed)
	w.Close('}')
}

// sessionStatus is how a run stands, in the words of the servers.
func sessionStatus(run *hub.PastRun) string {
	switch {
	case !run.Ended:
		return "active"
	case run.Status == hub.StatusCancelled:
		return "cancelled"
	case run.Status == hub.StatusFailed, run.Status == hub.StatusTruncated:
		return "error"
	}
	return "completed"
}

// appendRefusal is the answer to a request that is refused. That a conversation has no session is not found.
func appendRefusal(dst []byte, op hub.Operation, _ *hub.Request, f *hub.Failure) (body []byte, status int) {
	if op == hub.OpRuns && f.Code == hub.CodeUnsupported {
		return append(dst, `{"detail":"No active session found"}`...), 404
	}
	return appendFailure(dst, f), f.HTTPStatus()
}
