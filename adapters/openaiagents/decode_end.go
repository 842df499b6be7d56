package openaiagents

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// endings are the types by which servers say that a run is over. The SDK has no event for it.
var endings = map[string]bool{
	"done": true, "end": true, "complete": true, "completed": true, "final": true, "finished": true, "stream_end": true,
}

// failure is why a run will fail, as its model said: the server may say more, or nothing.
type failure struct {
	status    hub.Status
	err, code []byte
}

func (f *failure) set(ev *hub.Event) {
	f.status = ev.Status
	f.err, f.code = bytes.Clone(ev.Rare().Err), bytes.Clone(ev.Rare().ErrCode)
}

// end ends the run in good order, as far as it has come.
func (d *decoder) end(dst []hub.Event) []hub.Event {
	if d.failure.status != hub.StatusNone {
		return d.runEnd(dst, d.failure.status, d.failure.err, d.failure.code)
	}
	status := hub.StatusDone
	switch {
	case len(d.asks) > 0:
		status = hub.StatusPaused
	case d.refused && !d.said:
		status = hub.StatusRefused
	case d.step.status != hub.StatusNone && d.step.status != hub.StatusTools && d.step.status != hub.StatusPaused:
		status = d.step.status
	}
	return d.runEnd(dst, status, nil, nil)
}

// fail ends the run with the error that the server writes for an exception of the SDK. What the model said of it comes first.
func (d *decoder) fail(dst []hub.Event) []hub.Event {
	status, name := hub.StatusFailed, d.errorName()
	text := rawjson.First(rawjson.Text(d.rec.Error, "message"), rawjson.Body(d.rec.Error), rawjson.Body(d.rec.Message), rawjson.Body(d.rec.Content),
		rawjson.Body(d.rec.Data))
	if s, known := exceptions[string(bytes.TrimSuffix(name, []byte("Error")))]; known {
		status = s
	} else if bytes.HasPrefix(text, []byte("Max turns (")) {
		status = hub.StatusLimit
	}
	if status == hub.StatusFailed && d.failure.status != hub.StatusNone {
		return d.runEnd(dst, d.failure.status, d.failure.err, d.failure.code)
	}
	return d.runEnd(dst, status, text, name)
}

// errorName is the class of the exception, or another code.
func (d *decoder) errorName() []byte {
	for _, member := range [...]string{"type", "name", "code"} {
		if name := rawjson.Text(d.rec.Error, member); len(name) > 0 {
			return name
		}
	}
	return rawjson.First(rawjson.Body(d.rec.Name), rawjson.Body(d.rec.Code))
}

// exceptions are the classes of the SDK's exceptions that say more than that something failed, without the ending that JavaScript has.
var exceptions = map[string]hub.Status{
	"MaxTurnsExceeded":                hub.StatusLimit,
	"InputGuardrailTripwireTriggered": hub.StatusFiltered, "OutputGuardrailTripwireTriggered": hub.StatusFiltered,
	"ToolInputGuardrailTripwireTriggered": hub.StatusFiltered, "ToolOutputGuardrailTripwireTriggered": hub.StatusFiltered,
	"ModelRefusal": hub.StatusRefused,
}

func (d *decoder) runEnd(dst []hub.Event, status hub.Status, err, code []byte) []hub.Event {
	d.ended = true
	if d.step.status == hub.StatusNone && status != hub.StatusPaused {
		d.step.status = status
	}
	dst, ev := hub.Add(d.endStep(dst), hub.Event{Kind: hub.RunEnd, Status: status})
	if len(err) > 0 || len(code) > 0 {
		m := d.scratch.MoreOf(ev)
		m.Err, m.ErrCode = err, code
	}
	return dst
}

// finalOutput is the answer of servers that have written nothing else of it.
func (d *decoder) finalOutput(dst []hub.Event) []hub.Event {
	text := rawjson.First(rawjson.Body(d.rec.FinalOutput), rawjson.Body(d.rec.FinalOutputJS))
	if d.said || d.refused || len(text) == 0 {
		return dst
	}
	d.said = true
	return append(d.turn(dst), hub.Event{Kind: hub.TextDelta, ID: []byte("final_output"), Text: text})
}

// Finish implements [hub.Decoder]. Servers that write no end close the body behind the answer; one that was cut is none.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if d.ended || d.failure.status == hub.StatusNone && (cause != nil || !d.progress.whole) {
		return dst
	}
	return d.end(dst)
}

// progress follows how far a run has come: whether its body may end without a word.
type progress struct {
	calls bool // the last response has calls that no item has shown
	whole bool
}

// see takes a record of the SDK by its type and the name of its item.
func (p *progress) see(typ []byte, name rawjson.Value, data []byte) {
	p.whole = false
	switch string(typ) {
	case "run_item_stream_event":
		p.item(rawjson.Body(name))
	case "raw_response_event", "raw_model_stream_event":
		if endsResponse(data) {
			p.calls = callsTools(data)
			p.whole = !p.calls
		}
	}
}

// item: a message is the last item of a run, unless its response has calls. A question is the last one where the SDK tells of it.
func (p *progress) item(name []byte) {
	switch string(name) {
	case "message_output_created":
		p.whole = !p.calls
	case "tool_approval_requested":
		p.whole = true
	case "tool_output", handoffDone, handoffCorrected:
		p.calls = false
	}
}

// endsResponse reports whether a record is the end of a response.
func endsResponse(data []byte) bool {
	switch typ := rawjson.Text(data, "data", "type"); string(typ) {
	case "response.completed", "response.incomplete", "response_done":
		return true
	case "model":
		switch string(rawjson.Text(data, "data", "event", "type")) {
		case "response.completed", "response.incomplete":
			return true
		}
	}
	return false
}

// callsTools reports whether the output of a response has calls that the agent runs.
func callsTools(data []byte) bool {
	for _, mark := range [...]string{`"function_call"`, `"custom_tool_call"`, `"shell_call"`, `"local_shell_call"`, `"apply_patch_call"`, `"computer_call"`} {
		if bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return false
}
