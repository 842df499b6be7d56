package evolve

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Lifecycle records are the only thing on this wire that says when a run begins and ends. Three reasons end the run
// (run_complete, run_failed, run_interrupted); the others are reported as data and remembered, for the end of the body.

// runState is what the decoder knows of the run as a whole.
type runState struct {
	seen     bool   // any record came
	open     bool   // something began whose end has not been reported: a run, a command
	promised bool   // the wire has a terminal record of its own: lifecycle of a run, or the response of ACP
	over     bool   // RunEnd was emitted
	last     string // reason that the last thing ended with that is no foreground run: see outcomes
}

// lifecycle decodes a LifecycleEvent; record is the whole of it, in the form of the TypeScript SDK.
func (d *decoder) lifecycle(dst []hub.Event, reason, at, record rawjson.Value) []hub.Event {
	d.from.at = member.Millis(rawjson.Body(at))
	body := rawjson.Body(reason)
	switch string(body) {
	case "run_start":
		d.run.open, d.run.promised = true, true
		if d.begun {
			break // the run has begun already, with sandbox_boot for instance: then it is one more record
		}
		dst, ev := d.add(dst, hub.Event{Kind: hub.RunStart})
		d.scratch.MoreOf(ev).Meta = record
		return dst
	case "run_complete":
		return d.endRun(dst, hub.StatusDone, body, nil, record)
	case "run_interrupted":
		return d.endRun(dst, hub.StatusCancelled, body, nil, record)
	case "run_failed":
		return d.endRun(dst, hub.StatusFailed, body, []byte(agentFailed), record)
	default:
		d.run.note(body)
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(dataLifecycle), Op: hub.Emit, Value: record})
}

// outcomes are the reasons that say how something ended that is no foreground run.
var outcomes = map[string]hub.Status{
	"sandbox_error":               hub.StatusFailed,
	"run_background_complete":     hub.StatusDone,
	"run_background_failed":       hub.StatusFailed,
	"command_complete":            hub.StatusDone,
	"command_failed":              hub.StatusFailed,
	"command_interrupted":         hub.StatusCancelled,
	"command_background_complete": hub.StatusDone,
	"command_background_failed":   hub.StatusFailed,
}

// note remembers what a reason says about the end of the body, if that comes without a terminal record.
func (r *runState) note(reason []byte) {
	if _, ok := outcomes[string(reason)]; ok {
		r.open, r.last = false, string(reason)
	} else if string(reason) == "command_start" {
		r.open = true
	}
}

var agentFailed = hub.Fail(hub.CodeAgent, nil).Text()

// endRun ends the run. record, if not nil, is the terminal record as it is to be written again.
func (d *decoder) endRun(dst []hub.Event, s hub.Status, native, err []byte, record rawjson.Value) []hub.Event {
	d.run.open, d.run.over = false, true
	dst, ev := d.add(dst, hub.Event{Kind: hub.RunEnd})
	ev.Status, ev.Name, ev.SubAgent, ev.Msg = s, native, nil, nil
	if record != nil {
		d.scratch.MoreOf(ev).Meta = record
	}
	if s == hub.StatusFailed {
		m := d.scratch.MoreOf(ev)
		m.Err, m.ErrCode = err, []byte(hub.CodeAgent)
	}
	return dst
}

// Finish implements [hub.Decoder]. A body that ends in good order is a good end only if no terminal record was due.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	d.from = origin{}
	dst = d.flushStdio(dst)
	r := &d.run
	switch {
	case cause != nil || r.over || !r.seen || !r.endsWithBody(d.opt.end):
		return dst
	case r.last != "":
		return d.endRun(dst, outcomes[r.last], []byte(r.last), []byte(agentFailed), nil)
	}
	return d.endRun(dst, hub.StatusDone, nil, nil, nil)
}

// endsWithBody reports whether the end of the body ends what has begun.
func (r *runState) endsWithBody(rule endRule) bool {
	switch {
	case r.open && rule != endEOF:
		return false
	case r.last != "":
		return true
	}
	return rule == endEOF || rule == endAuto && !r.promised
}

// isLifecycle reports whether a record is a LifecycleEvent.
func isLifecycle(record rawjson.Value) bool {
	return rawjson.Get(record, "reason") != nil && rawjson.Get(record, "sandbox") != nil
}

// appendLifecycle appends a LifecycleEvent that Sabir makes. sandboxID is raw; at is 0 where no time is known: there is
// no clock here, and null is honest.
func appendLifecycle(dst []byte, sandboxID []byte, s lifecycleState, at int64) []byte {
	dst = append(append(dst, `{"sandboxId":`...), rawjson.Or(sandboxID, "null")...)
	dst = appendIn(dst, `,"sandbox":"`, s.sandbox, `"`)
	dst = appendIn(dst, `,"agent":"`, s.agent, `","timestamp":`)
	if at == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = append(appendTime(append(dst, '"'), at), '"')
	}
	return appendIn(dst, `,"reason":"`, s.reason, `"}`)
}

// appendTime appends milliseconds since the Unix epoch as JavaScript does.
func appendTime(dst []byte, at int64) []byte {
	return time.UnixMilli(at).UTC().AppendFormat(dst, "2006-01-02T15:04:05.000Z07:00")
}

// lifecycleState is one row of what the SDK reports at the edges of a run.
type lifecycleState struct{ sandbox, agent, reason string }

var (
	runStarted     = lifecycleState{"running", "running", "run_start"}
	runComplete    = lifecycleState{"ready", "idle", "run_complete"}
	runFailed      = lifecycleState{"ready", "error", "run_failed"}
	runInterrupted = lifecycleState{"ready", "interrupted", "run_interrupted"}
)

// names of members: as the TypeScript SDK has them, and as the bridge has them.
var lifecycleNames = [...]struct{ sdk, bridge string }{
	{"sandboxId", "sandbox_id"}, {"sandbox", "sandbox"}, {"agent", "agent"}, {"timestamp", "timestamp"}, {"reason", "reason"},
}

var browserNames = [...]struct{ sdk, bridge string }{
	{"liveUrl", "live_url"}, {"sessionId", "session_id"}, {"sessionTag", "session_tag"},
}

// appendToBridge appends the params that the bridge makes of a LifecycleEvent.
func appendToBridge(dst []byte, record rawjson.Value) []byte {
	dst = append(dst, `{"type":"lifecycle"`...)
	for _, n := range lifecycleNames {
		dst = appendValue(dst, n.bridge, rawjson.Get(record, n.sdk))
	}
	if browser := rawjson.Get(record, "browser"); rawjson.Kind(browser) == '{' {
		dst = append(dst, `,"browser":{`...)
		open := len(dst)
		for _, n := range browserNames {
			dst = appendValue(dst, n.bridge, rawjson.Get(browser, n.sdk))
		}
		dst = append(cutComma(dst, open), '}')
	}
	return append(dst, '}')
}

// appendFromBridge appends the LifecycleEvent that the bridge made these params of.
func appendFromBridge(dst []byte, p *params) []byte {
	vals := [...]rawjson.Value{p.SandboxID, p.Sandbox, p.Agent, p.Time, p.Reason}
	dst = append(dst, '{')
	open := len(dst)
	for i, n := range lifecycleNames {
		dst = appendValue(dst, n.sdk, vals[i])
	}
	dst = cutComma(dst, open)
	if rawjson.Kind(p.Browser) == '{' {
		dst = append(dst, `,"browser":{`...)
		open = len(dst)
		for _, n := range browserNames {
			dst = appendValue(dst, n.sdk, rawjson.Get(p.Browser, n.bridge))
		}
		dst = append(cutComma(dst, open), '}')
	}
	return append(dst, '}')
}

// appendValue appends a comma and a member, unless it is absent.
func appendValue(dst []byte, name string, v rawjson.Value) []byte {
	if v == nil {
		return dst
	}
	dst = appendIn(dst, `,"`, name, `":`)
	return append(dst, v...)
}

// cutComma removes the comma before the first member of an object that was opened at open.
func cutComma(dst []byte, open int) []byte {
	if len(dst) == open {
		return dst
	}
	return append(dst[:open], dst[open+1:]...)
}
