package langgraph

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
)

// appendRuns writes the runs of a thread, the newest first.
func appendRuns(w *jsonwriter.Writer, a *hub.Agent) {
	from, limit, status := 0, mostFound, ""
	if a.Query != nil {
		from, limit, status = numberOr([]byte(a.Query("offset")), from), numberOr([]byte(a.Query("limit")), limit), a.Query("status")
	}
	w.Open('[')
	for i := range a.Runs {
		run := &a.Runs[i]
		if status != "" && status != runStatus(run) {
			continue
		}
		if from--; from >= 0 {
			continue
		}
		if limit--; limit < 0 {
			break
		}
		appendRun(w, a, run)
	}
	w.Close(']')
}

// appendRun writes how far a run is.
func appendRun(w *jsonwriter.Writer, a *hub.Agent, run *hub.PastRun) {
	w.Open('{')
	w.Text("run_id", run.ID)
	w.Text("thread_id", run.Thread)
	w.Text("assistant_id", assistantOf(a))
	w.Const("created_at", timeOf(run.Began))
	w.Const("updated_at", timeOf(run.Changed))
	w.Const("status", runStatus(run))
	w.Value("metadata", []byte("{}"))
	w.Value("kwargs", []byte("{}"))
	w.Const("multitask_strategy", "reject")
	w.Close('}')
}

// runStatus is how a run stands, in the words of the servers.
func runStatus(run *hub.PastRun) string {
	switch {
	case !run.Ended:
		return "running"
	case run.Status == hub.StatusPaused, run.Status == hub.StatusCancelled:
		return "interrupted"
	case run.Status == hub.StatusFailed, run.Status == hub.StatusTruncated:
		return "error"
	}
	return "success"
}

// appendOver is what is left of the stream of a run that has ended: its end.
func appendOver(dst []byte, run *hub.PastRun) []byte {
	dst = append(append(dst, "event: end\ndata: {\"run_id\":\""...), run.ID...)
	return append(append(append(dst, `","status":"`...), runStatus(run)...), "\"}\n\n"...)
}

// assistantOf is the id of the one assistant: the name of the agent.
func assistantOf(a *hub.Agent) []byte { return escaped(a.Name) }

// appendAssistants writes the one assistant that there is, or as the one that is asked for: by the name of the agent, that of a model, or
// the one that every server has.
func appendAssistants(w *jsonwriter.Writer, op hub.Operation, a *hub.Agent) {
	if op == hub.OpModels {
		w.Open('[')
		appendAssistant(w, a)
		w.Close(']')
		return
	}
	known := a.Model == a.Name || a.Model == defaultGraph
	for _, model := range a.Models {
		known = known || a.Model == model
	}
	if known {
		appendAssistant(w, a)
	}
}

func appendAssistant(w *jsonwriter.Writer, a *hub.Agent) {
	w.Open('{')
	w.Text("assistant_id", assistantOf(a))
	w.Text("graph_id", assistantOf(a))
	w.Text("name", assistantOf(a))
	w.Text("description", escaped(a.Description))
	for _, name := range []string{"config", "context", "metadata"} {
		w.Value(name, []byte("{}"))
	}
	w.Value("version", []byte("1"))
	for _, name := range []string{"created_at", "updated_at"} {
		w.Const(name, timeOf(0))
	}
	w.Close('}')
}

// appendAnswer writes the last state of a run: the conversation, and what it waits for.
func appendAnswer(dst []byte, _ hub.Options, req *hub.Request, run *hub.Run, l *hub.Losses) []byte {
	all := append(req.Said[:len(req.Said):len(req.Said)], run.Messages...)
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Key(keyMessages)
	w.Append(func(dst []byte) []byte { return appendCounted(dst, all, run, l) })
	appendInterrupts(w, keyInterrupt, all, run.Asks)
	w.Close('}')
	return w.Buf
}

// appendCounted appends the messages of a state. The last one of the agent's in the run has what the whole run has used, as readers add up the
// messages' counts; where the run has said nothing, an empty one has it.
func appendCounted(dst []byte, all []hub.Message, run *hub.Run, l *hub.Losses) []byte {
	w := newMessageWriter(dst, all, l)
	if run.Usage.In <= 0 && run.Usage.Out <= 0 {
		return w.list(all)
	}
	w.used, w.model = &run.Usage, run.Model
	for i := len(all) - 1; i >= len(all)-len(run.Messages) && w.counted == nil; i-- {
		if all[i].Role == hub.RoleAgent && (len(w.writable(&all[i])) > 0 || conversation.Calls(&all[i])) {
			w.counted = &all[i]
		}
	}
	return w.list(all)
}

// failed are the failures of a run that had begun. Who waits for its state gets them in the place of that: clients ask again for what has a
// status of the server's fault.
var failed = map[hub.Code]bool{
	hub.CodeAgent: true, hub.CodeReset: true, hub.CodeTruncated: true, hub.CodeIdle: true, hub.CodeMalformed: true, hub.CodeCancelled: true,
	hub.CodeDuration: true, hub.CodeExpired: true, hub.CodeTooLong: true, hub.CodeBlocked: true,
}

// appendRefusal appends a failure: as a state to those who wait for one, else as the body of an HTTP error.
func appendRefusal(dst []byte, op hub.Operation, asked *hub.Request, f *hub.Failure) (body []byte, status int) {
	if op == hub.OpCommand {
		return appendRefused(dst, asked, f), f.HTTPStatus()
	}
	if !asked.Whole || !failed[f.Code] {
		return appendFailure(dst, f), f.HTTPStatus()
	}
	const ok = 200
	dst = append(append(dst, `{"__error__":{"error":"`...), f.Code...)
	return append(append(append(dst, `","message":"`...), f.Text()...), `"}}`...), ok
}
