package geminiinteractions

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// appendAnswer writes an interaction: with the steps so far, and how far it is. Calls that the agent has run are those of an MCP server, as
// clients run every other. What the user said is left out, as clients have it.
func appendAnswer(dst []byte, o hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	e := newEncoder(o).(*encoder)
	e.Answer(req)
	e.learn(run.ID, run.Model)
	w := newStepWriter(jsonwriter.New(dst), run.Messages, l)
	w.server = e.server
	w.Open('{')
	w.Text("id", e.id)
	w.Const("object", "interaction")
	if at := max(req.Time, run.Time); at > 0 {
		w.Text("created", time.UnixMilli(at).UTC().AppendFormat(nil, time.RFC3339))
	}
	w.TextIf(e.asks(), e.model)
	w.TextIf(callPrevious, e.previous)
	w.OpenAt("steps", '[')
	for i := range run.Messages {
		if m := &run.Messages[i]; m.Role == hub.RoleAgent || m.Role == hub.RoleResults {
			w.message(m)
		}
	}
	w.closeStep()
	w.Close(']')
	w.end(run)
	if run.Ended {
		e.addUsage(&hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: run.Usage}})
		w.Buf = e.appendUsage(w.Buf)
	}
	w.Close('}')
	return w.Buf
}

// end writes the status, and why the run failed.
func (w *stepWriter) end(run *hub.Run) {
	status, _ := statusOf(run.Status)
	var why, code []byte
	switch {
	case !run.Ended:
		status = "in_progress" // @ai-sdk/google knows no other
	case run.Status == hub.StatusFailed || run.Status == hub.StatusTruncated:
		status, why, code = "failed", rawjson.Or(run.Err, phrases.Run(run.Status)), run.ErrCode
	case w.broken && (run.Status == hub.StatusDone || run.Status == hub.StatusTools):
		status, why = "failed", []byte(phrases.BrokenArgs)
	case w.asked > 0 && run.Status == hub.StatusDone:
		status, _ = statusOf(hub.StatusTools)
	}
	w.Const("status", status)
	if len(why) == 0 {
		return
	}
	w.OpenAt("errors", '[')
	w.Open('{')
	w.TextIf("code", code)
	w.Text("message", why)
	w.Close('}')
	w.Close(']')
}
