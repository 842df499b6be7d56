package claudecli

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// system is a line of side information.
func (d *decoder) system(dst []hub.Event) []hub.Event {
	subtype := rawjson.Body(d.rec.Subtype)
	switch string(subtype) {
	case "init":
		return d.init(dst)
	case "task_started":
		return d.taskStarted(dst)
	case "task_notification":
		return d.taskEnded(dst)
	case "informational", "local_command_output":
		return d.notice(dst, levels[string(rawjson.Body(d.rec.Level))], subtype, rawjson.Body(d.rec.Words))
	case "notification":
		return d.notice(dst, hub.LevelInfo, subtype, rawjson.Body(d.rec.Text))
	case "permission_denied":
		return d.notice(dst, hub.LevelWarning, subtype, rawjson.Text(d.data, "message"))
	case "api_retry":
		return d.notice(dst, hub.LevelWarning, subtype, []byte("The model did not answer; trying again."))
	case "compact_boundary":
		return d.notice(dst, hub.LevelInfo, subtype, []byte("The conversation was summarized to make room."))
	}
	return d.emit(dst, subtype)
}

// levels are those of informational lines.
var levels = map[string]hub.Level{"warning": hub.LevelWarning, "notice": hub.LevelStatus}

func (d *decoder) notice(dst []hub.Event, level hub.Level, name, text []byte) []hub.Event {
	if level == hub.LevelNone {
		level = hub.LevelInfo
	}
	return append(dst, hub.Event{Kind: hub.Notice, Level: level, Name: name, Text: text})
}

// init starts the run. A later one starts another turn of the same process.
func (d *decoder) init(dst []hub.Event) []hub.Event {
	if d.begun {
		return dst
	}
	d.begun = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, Ref: rawjson.Body(d.rec.Session)})
	d.scratch.SetModel(ev, rawjson.Body(d.rec.Model))
	return dst
}

// taskStarted is a sub-agent or a command that may go on in the background.
func (d *decoder) taskStarted(dst []hub.Event) []hub.Event {
	name, call := rawjson.Body(d.rec.Task), rawjson.Body(d.rec.ToolID)
	if ambient, _ := rawjson.Bool(rawjson.Get(d.data, "ambient")); len(name) > 0 && len(d.tasks) < maxTasks && !ambient {
		behind, _ := rawjson.Bool(rawjson.Get(d.data, "is_backgrounded"))
		d.tasks[string(name)] = task{call: bytes.Clone(call), behind: behind}
	}
	if kind := rawjson.Body(d.rec.Kind); len(call) == 0 || bytes.Contains(kind, []byte("bash")) || bytes.Contains(kind, []byte("shell")) {
		return d.emit(dst, rawjson.Body(d.rec.Subtype))
	}
	if l := d.subAgents[string(call)]; l != nil || len(d.subAgents) >= maxSubAgents {
		return dst
	}
	l := &subAgent{id: bytes.Clone(call), usage: hub.NoCounts}
	d.subAgents[string(call)] = l
	return d.agentStart(dst, l, rawjson.Body(d.rec.Agent), rawjson.Body(d.rec.About))
}

// taskEnded ends a task. With the last one, a result that waited for it counts.
func (d *decoder) taskEnded(dst []hub.Event) []hub.Event {
	name, call := rawjson.Body(d.rec.Task), rawjson.Body(d.rec.ToolID)
	if len(call) == 0 {
		call = d.tasks[string(name)].call
	}
	delete(d.tasks, string(name))
	status := hub.StatusOK
	switch string(rawjson.Body(d.rec.Status)) {
	case "failed":
		status = hub.StatusError
	case "stopped", "killed":
		status = hub.StatusAborted
	}
	if l := d.subAgents[string(call)]; l == nil || !l.started || l.ended || len(call) == 0 {
		return d.emit(dst, rawjson.Body(d.rec.Subtype))
	}
	return d.agentEnd(dst, call, status, rawjson.Body(d.rec.Summary))
}

func (d *decoder) toolProgress(dst []hub.Event) []hub.Event {
	id := rawjson.Body(d.rec.ToolID)
	if t := d.tools[string(id)]; len(id) == 0 || t != nil && (t.hidden || t.ended) {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.ToolUpdate, ID: id, SubAgent: rawjson.Body(d.rec.Parent), Status: hub.StatusRunning})
	if rawjson.Kind(d.rec.Elapsed) == '0' {
		b := append(append(d.scratch.Begin(), `{"elapsed_time_seconds":`...), d.rec.Elapsed...)
		ev.Value = d.scratch.Since(append(b, '}'))
	}
	return dst
}

// ask is a question of the CLI to whoever started it. Only those for a permission concern a human.
func (d *decoder) ask(dst []hub.Event) ([]hub.Event, error) {
	req, id := d.rec.Request, rawjson.Body(d.rec.ID)
	if len(id) == 0 {
		return dst, hub.NewError(hub.ReasonMissing, "request_id", -1, "want a string")
	}
	if string(rawjson.Text(req, "subtype")) != "can_use_tool" {
		return d.emit(dst, rawjson.Body(d.rec.Type)), nil
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, AskKind: hub.AskPermission, ID: id, Ref: rawjson.Text(req, "tool_use_id")})
	ev.Name = rawjson.Text(req, "tool_name")
	ev.Title = rawjson.First(rawjson.Text(req, "title"), rawjson.Text(req, "display_name"))
	ev.Value, ev.More = req, d.scratch.More()
	ev.More.Options = append(ev.More.Options,
		hub.AskOption{ID: []byte("allow"), Name: []byte("Allow"), Kind: []byte("allow_once")},
		hub.AskOption{ID: []byte("deny"), Name: []byte("Deny"), Kind: []byte("reject_once")})
	if t := d.tools[string(ev.Ref)]; t != nil {
		ev.SubAgent = []byte(t.subAgent)
	}
	return dst, nil
}

// withdraw takes a question back.
func (d *decoder) withdraw(dst []hub.Event) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Answer, ID: rawjson.Body(d.rec.ID), Status: hub.StatusCancelled})
}

// result ends the run, unless tasks go on in the background: their words, and another result, follow.
func (d *decoder) result(dst []hub.Event, line []byte) []hub.Event {
	if root := d.subAgents[""]; root != nil {
		dst = d.endStep(dst, root)
	}
	if len(d.tasks) > 0 {
		d.end = append(d.end[:0], line...)
		return dst
	}
	return d.runEnd(dst, line)
}

func (d *decoder) runEnd(dst []hub.Event, line []byte) []hub.Event {
	d.ended = true
	dst = d.runUsage(dst, line)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Name: rawjson.Text(line, "subtype")})
	failed, _ := rawjson.Bool(rawjson.Get(line, "is_error"))
	result := rawjson.Text(line, "result")
	ev.Status = resultStatus(ev.Name, failed, rawjson.Text(line, "stop_reason"), rawjson.Text(line, "terminal_reason"))
	switch ev.Status {
	case hub.StatusFailed, hub.StatusLimit, hub.StatusCancelled:
		ev.More = d.scratch.More()
		ev.More.Err = d.errors(rawjson.Get(line, "errors"), result)
		ev.More.ErrCode = errorCode(line)
	default:
		if len(result) > 0 {
			ev.Value = rawjson.Get(line, "result")
		}
	}
	return dst
}

// resultStatus is what a result means.
func resultStatus(subtype []byte, failed bool, stop, terminal []byte) hub.Status {
	switch {
	case bytes.HasPrefix(terminal, []byte("aborted_")):
		return hub.StatusCancelled
	case string(subtype) == "success" && !failed:
		if st := stopStatus(stop); st == hub.StatusLength || st == hub.StatusRefused {
			return st
		}
		return hub.StatusDone
	case string(subtype) == "error_max_turns", string(subtype) == "error_max_budget_usd":
		return hub.StatusLimit
	}
	return hub.StatusFailed
}

// errorCode is the HTTP status of the model's answer if there was one, else the reason that the CLI has for its end.
func errorCode(line []byte) []byte {
	if v := rawjson.Get(line, "api_error_status"); rawjson.Kind(v) == '0' {
		return v
	}
	return rawjson.Text(line, "terminal_reason")
}

// errors joins the errors of a result; where there are none, its text says what happened.
func (d *decoder) errors(list rawjson.Value, result []byte) []byte {
	b := d.scratch.Begin()
	n := len(b)
	for v := range rawjson.Each(list) {
		if len(b) > n {
			b = append(b, `\n`...)
		}
		b = append(b, rawjson.Body(v)...)
	}
	if joined := d.scratch.Since(b); len(joined) > 0 {
		return joined
	}
	return result
}

// runUsage are the counts of the process so far, with what they cost.
func (d *decoder) runUsage(dst []hub.Event, line []byte) []hub.Event {
	usage, cost := rawjson.Get(line, "usage"), rawjson.Get(line, "total_cost_usd")
	if rawjson.Kind(usage) != '{' {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: d.scratch.More()})
	addUsage(&ev.More.Usage, usage)
	if rawjson.Kind(cost) == '0' {
		ev.More.Usage.Cost, ev.More.Usage.Currency = cost, []byte("USD")
	}
	models := rawjson.Fields(rawjson.Get(line, "modelUsage"))
	if model, val, ok := models.Next(); ok {
		if _, _, more := models.Next(); !more {
			ev.More.Model = model
			if n, ok := rawjson.Int(rawjson.Get(val, "contextWindow")); ok && n > 0 {
				ev.More.Usage.ContextSize = n
			}
		}
	}
	return dst
}
