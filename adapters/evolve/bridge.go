package evolve

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The Python bridge speaks JSON-RPC: notifications "event" with four types of params, and responses to its requests.

// rpc decodes a JSON-RPC message, of the bridge or of ACP.
func (d *decoder) rpc(dst []hub.Event) ([]hub.Event, error) {
	if d.message == nil {
		d.message = new(message)
	}
	m := d.message
	*m = message{}
	d.from.path = pathParams
	if err := d.json.Decode(d.from.rec.Data, m); err != nil {
		return dst, hub.JSONError(err)
	}
	d.run.seen = true
	method := rawjson.Body(m.Method)
	switch {
	case string(method) == "event":
		return d.bridgeEvent(dst, &m.Params)
	case string(method) == "session/update" && m.Params.Update.Kind != nil:
		d.run.promised = true
		d.from.acp, d.from.session = true, m.Params.SessionID
		return d.update(dst, &m.Params.Update)
	case string(method) == methodLifecycle && m.Params.Reason != nil:
		return d.lifecycle(dst, m.Params.Reason, m.Params.Time, rawjson.Get(d.from.rec.Data, "params")), nil
	case m.Method == nil && rawjson.Kind(m.Error) == '{':
		return d.errorResponse(dst, m.Error), nil
	case m.Method == nil && rawjson.Kind(m.Result) == '{':
		return d.response(dst, m.Result), nil
	}
	return d.raw(dst), nil
}

func (d *decoder) bridgeEvent(dst []hub.Event, p *params) ([]hub.Event, error) {
	kind := rawjson.Body(p.Type)
	switch {
	case p.Update.Kind != nil:
		d.from.session = p.BridgeID
		if d.from.session == nil {
			d.from.session = p.SessionID
		}
		if cut, _ := rawjson.Bool(p.Truncated); cut {
			d.from.flags |= hub.Lossy
		}
		return d.update(dst, &p.Update)
	case string(kind) == "lifecycle" && p.Reason != nil:
		record := d.scratch.Since(appendFromBridge(d.scratch.Begin(), p))
		return d.lifecycle(dst, p.Reason, p.Time, record), nil
	case stdName(p.Type) >= 0 && p.Data != nil:
		return d.stdio(dst, stdName(p.Type), p.Data, p.Done), nil
	}
	return d.raw(dst), nil
}

// response decodes the results that end a run: of session/prompt in ACP, of run and executeCommand on the bridge.
func (d *decoder) response(dst []hub.Event, result rawjson.Value) []hub.Event {
	record := bytes.TrimSpace(d.from.rec.Data)
	if stop, ok := rawjson.Str(rawjson.Get(result, "stopReason")); ok {
		dst = d.promptUsage(dst, rawjson.Get(result, "usage"))
		return d.endRun(dst, acpwire.StopStatus(stop), stop, []byte(agentFailed), record)
	}
	if code, ok := exitCode(result); ok {
		return d.endRun(dst, exitStatus(code), nil, []byte(agentFailed), record)
	}
	if session := rawjson.Get(result, "sessionId"); session != nil {
		d.from.session = session // the response to session/new, before any update
		dst = d.enter(dst)
		d.begun = true
	}
	return d.raw(dst)
}

// exitCode is that of a process which has ended. The response to a run in the background comes at once, with a code of
// 0 as well: only its text tells.
func exitCode(result rawjson.Value) (int64, bool) {
	stdout := rawjson.Text(result, "stdout")
	if bytes.HasPrefix(stdout, []byte("Background process started")) {
		return 0, false
	}
	return rawjson.Int(rawjson.Get(result, "exitCode"))
}

// exitStatus is how a process ended. 130 is what a shell says of one that was interrupted.
func exitStatus(code int64) hub.Status {
	switch code {
	case 0:
		return hub.StatusDone
	case 130:
		return hub.StatusCancelled
	}
	return hub.StatusFailed
}

func (d *decoder) errorResponse(dst []hub.Event, e rawjson.Value) []hub.Event {
	text, ok := rawjson.Str(rawjson.Get(e, "message"))
	if !ok {
		text = []byte(agentFailed)
	}
	return d.endRun(dst, hub.StatusFailed, rawjson.OfKind(rawjson.Get(e, "code"), '0'), text, bytes.TrimSpace(d.from.rec.Data))
}

var stdNames = [...]string{dataStdout, dataStderr}

// stdName is 0 for stdout, 1 for stderr, -1 for anything else.
func stdName(kind rawjson.Value) int { return slices.Index(stdNames[:], string(rawjson.Body(kind))) }

// maxChunk bounds the parts kept of one chunk, in bytes. A longer one is passed on in pieces: nothing depends on where a
// stream of bytes is cut.
const maxChunk = 1 << 20

// stdio decodes what the agent's process printed. The bridge splits chunks over 200 KiB into parts; done is on the
// last.
func (d *decoder) stdio(dst []hub.Event, which int, data, done rawjson.Value) []hub.Event {
	switch d.opt.stdio {
	case stdioDrop:
		return dst
	case stdioRaw:
		dst = d.raw(dst)
		d.from.unknown = false
		return dst
	}
	body := rawjson.Body(data)
	d.std[which] = append(d.std[which], body...)
	if more, isBool := rawjson.Bool(done); isBool && !more && len(d.std[which]) < maxChunk {
		return dst
	}
	return d.flushStd(dst, which)
}

func (d *decoder) flushStdio(dst []hub.Event) []hub.Event {
	for i := range d.std {
		dst = d.flushStd(dst, i)
	}
	return dst
}

func (d *decoder) flushStd(dst []hub.Event, which int) []hub.Event {
	buf := d.std[which]
	if len(buf) == 0 {
		return dst
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Data})
	ev.Name, ev.Op, ev.Flags = []byte(stdNames[which]), hub.Emit, ev.Flags|hub.Transient
	ev.Value = d.scratch.Since(rawjson.AppendQuoted(d.scratch.Begin(), buf))
	d.std[which] = buf[:0]
	if cap(buf) > keepChunk {
		d.std[which] = nil
	}
	return dst
}

// keepChunk is the largest buffer that is kept for the next chunk.
const keepChunk = 64 << 10

// logLine decodes the metadata lines that are mixed into logs and into what the dashboard ingests.
func (d *decoder) logLine(dst []hub.Event) []hub.Event {
	ev := &d.event
	name, val := dataMeta, ev.Meta
	switch {
	case ev.Prompt != nil:
		name, val = dataPrompt, ev.Prompt
	case ev.End != nil:
		name, val = dataSessionEnd, ev.End
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(name), Op: hub.Emit, Value: val})
}
