package mastra

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// ending is how the run ended, as far as it was said. It waits for the end mark: a failure comes before its finish.
type ending struct {
	seen    bool // a finish, an error, an abort or a tripwire
	emitted bool // passed on
	status  hub.Status
	name    []byte // native reason
	err     []byte
	code    []byte
}

// start begins the run, or that of a sub-agent, which has begun with its first chunk.
func (d *decoder) start(dst []hub.Event) ([]hub.Event, error) {
	if d.sub != nil {
		return dst, nil
	}
	d.keepMessage()
	return d.put(dst, hub.Event{Kind: hub.RunStart, ID: rawjson.Body(d.rec.RunID), Name: rawjson.Body(d.rec.Payload.ID)}), nil
}

func (d *decoder) keepMessage() {
	if id := rawjson.Body(d.rec.Payload.MessageID); len(id) > 0 && d.sub == nil {
		d.message = append(d.message[:0], id...)
	}
}

func (d *decoder) stepStart(dst []hub.Event) ([]hub.Event, error) {
	d.keepMessage()
	return d.put(dst, hub.Event{Kind: hub.StepStart}), nil
}

// stepFinish ends a turn of the model. What it repeats of the conversation is not read.
func (d *decoder) stepFinish(dst []hub.Event) ([]hub.Event, error) {
	dst = d.usage(dst, hub.StepScope)
	return d.put(dst, hub.Event{Kind: hub.StepEnd, Status: statusOf(d.reason())}), nil
}

func (d *decoder) reason() []byte { return rawjson.Text(d.rec.Payload.StepResult, "reason") }

// counts are the members of LanguageModelUsage.
var counts = usage.Fields{
	usage.At(usage.In, "inputTokens"), usage.At(usage.Out, "outputTokens"), usage.At(usage.Total, "totalTokens"),
	usage.At(usage.Reasoning, "reasoningTokens"), usage.At(usage.Cached, "cachedInputTokens"),
	usage.At(usage.CacheWrite, "cacheCreationInputTokens"),
}

// usage passes the counts of a step, or those of the run. What a model was not asked has not been counted.
func (d *decoder) usage(dst []hub.Event, scope hub.Scope) []hub.Event {
	more := d.scratch.More()
	if !counts.Read(&more.Usage, rawjson.Get(d.rec.Payload.Output, "usage")) {
		return dst
	}
	more.Model = rawjson.Text(d.rec.Payload.Metadata, "modelId")
	return append(dst, hub.Event{Kind: hub.Usage, Scope: scope, More: more, SubAgent: d.sub})
}

// finish notes the end of the run. What was said of its failure before holds if it has failed, and is a notice if it has not.
func (d *decoder) finish(dst []hub.Event) ([]hub.Event, error) {
	reason := d.reason()
	status := statusOf(reason)
	if d.sub != nil {
		return d.agentEnd(dst, hub.Event{Status: agentStatus(status)}), nil
	}
	dst = d.usage(dst, hub.RunScope)
	if d.end.seen && (status == d.end.status || d.end.status == hub.StatusCancelled) {
		d.end.name = bytes.Clone(reason)
		return dst, nil
	}
	if len(d.end.err) > 0 {
		dst = append(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: d.end.err, Name: d.end.code})
	}
	d.end = ending{seen: true, status: status, name: bytes.Clone(reason)}
	return dst, nil
}

// statusOf reads the reason of a finish.
func statusOf(reason []byte) hub.Status {
	switch string(reason) {
	case "tripwire":
		return hub.StatusFiltered
	case "abort":
		return hub.StatusCancelled
	case "suspended":
		return hub.StatusPaused
	}
	return finish.Status(reason)
}

// agentStatus is how a sub-agent ended whose run ended so.
func agentStatus(status hub.Status) hub.Status {
	switch status {
	case hub.StatusFailed:
		return hub.StatusError
	case hub.StatusCancelled:
		return hub.StatusAborted
	}
	return hub.StatusOK
}

// fail notes why the run fails. The failure of a sub-agent is one of the call that it works for, too.
func (d *decoder) fail(dst []hub.Event) ([]hub.Event, error) {
	err, code := reasonOf(d.rec.Payload.Error)
	if d.sub != nil {
		ev := hub.Event{Status: hub.StatusError, More: d.scratch.More()}
		ev.More.Err, ev.More.ErrCode = err, code
		return d.agentEnd(dst, ev), nil
	}
	d.end = ending{seen: true, status: hub.StatusFailed, err: bytes.Clone(err), code: bytes.Clone(code)}
	return dst, nil
}

// reasonOf reads an error: what it says, and its code. Tools and models wrap theirs.
func reasonOf(v rawjson.Value) (text, code []byte) {
	if s, ok := rawjson.Str(v); ok {
		return s, nil
	}
	code = rawjson.Text(v, "id")
	if name := rawjson.Text(v, "name"); code == nil && string(name) != "Error" {
		code = name
	}
	for _, path := range [...][]string{{"message"}, {"cause", "message"}, {"details", "errorMessage"}} {
		if text = rawjson.Body(rawjson.Get(v, path...)); len(text) > 0 {
			return text, code
		}
	}
	return nil, code
}

func (d *decoder) abort(dst []hub.Event) ([]hub.Event, error) {
	if d.sub != nil {
		return d.agentEnd(dst, hub.Event{Status: hub.StatusAborted}), nil
	}
	d.end = ending{seen: true, status: hub.StatusCancelled, err: bytes.Clone(rawjson.Body(d.rec.Payload.Reason))}
	return dst, nil
}

// tripwire is a processor that has stopped the run, or the step, which is asked again then.
func (d *decoder) tripwire(dst []hub.Event) ([]hub.Event, error) {
	why := rawjson.Body(d.rec.Payload.Reason)
	if d.sub != nil {
		ev := hub.Event{Status: hub.StatusError, More: d.scratch.More()}
		ev.More.Err = why
		return d.agentEnd(dst, ev), nil
	}
	d.end = ending{seen: true, status: hub.StatusFiltered, name: []byte("tripwire"), err: bytes.Clone(why)}
	return dst, nil
}

// emitEnd passes the end of the run. One that has asked something ends without a finish; calls without a result are the client's.
func (d *decoder) emitEnd(dst []hub.Event) []hub.Event {
	e := &d.end
	e.emitted = true
	switch {
	case len(d.asks) > 0 && (!e.seen || e.status == hub.StatusDone || e.status == hub.StatusTools):
		e.status = hub.StatusPaused
	case !e.seen:
		e.status = hub.StatusTruncated
	case e.status == hub.StatusDone && d.left > 0:
		e.status = hub.StatusTools
	case e.status == hub.StatusTools && d.left == 0: // the last step that there may be
		e.status = hub.StatusLimit
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: e.status, Name: e.name})
	if e.status == hub.StatusFailed && len(e.err) == 0 {
		e.err = []byte("The model failed.")
	}
	if len(e.err) > 0 {
		m := d.scratch.MoreOf(ev)
		m.Err, m.ErrCode = e.err, e.code
	}
	return dst
}
