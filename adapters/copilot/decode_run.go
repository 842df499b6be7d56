package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// sessionStart begins the run if it is the first that is said; a session can be announced late, and then it is data.
func (d *decoder) sessionStart(dst []hub.Event) ([]hub.Event, error) {
	if d.begun {
		return d.plain(dst)
	}
	p := &d.at.ev.Data
	dst, ev := d.add(dst, hub.Event{Kind: hub.RunStart, Ref: rawjson.First(rawjson.Body(p.SessionID), d.session)})
	d.scratch.SetModel(ev, rawjson.First(rawjson.Body(d.prop("selectedModel")), rawjson.Body(p.Model)))
	d.keep(ev, "sessionId")
	return dst, nil
}

// abort says why the run is going to end.
func (d *decoder) abort(dst []hub.Event) ([]hub.Event, error) {
	d.cancelled, d.reason = true, append(d.reason[:0], rawjson.Body(d.prop("reason"))...)
	return dst, nil
}

// Members of session.idle that are ours: the SDK knows only aborted and mode.
const (
	propReason  = "reason"
	propMessage = "message"
)

// sessionIdle ends the run.
func (d *decoder) sessionIdle(dst []hub.Event) ([]hub.Event, error) {
	status := hub.StatusDone
	if rawjson.IsTrue(d.prop("aborted")) || d.cancelled {
		status = hub.StatusCancelled
	} else if s, ok := hub.ParseStatus(rawjson.Body(d.prop(propReason))); ok && s >= hub.StatusDone && s <= hub.StatusTruncated {
		status = s
	}
	if d.opt.history {
		d.outcome, d.cancelled = status, false
		return dst, nil
	}
	dst, ev := d.endRun(dst, status)
	if d.cancelled && len(d.reason) > 0 {
		ev.Name = d.reason
	}
	if message := rawjson.Body(d.at.ev.Data.Message); len(message) > 0 {
		d.scratch.MoreOf(ev).Err = message
	}
	d.keep(ev, "aborted", propReason, propMessage)
	d.cancelled = false
	return dst, nil
}

// endRun appends the end of the run, which is in no sub-agent.
func (d *decoder) endRun(dst []hub.Event, status hub.Status) ([]hub.Event, *hub.Event) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.RunEnd, Status: status})
	ev.SubAgent = nil
	return dst, ev
}

// sessionError ends the run; in history, and that of a sub-agent, it is one thing among others.
func (d *decoder) sessionError(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	message := rawjson.Body(p.Message)
	if d.opt.history || len(d.at.subAgent) > 0 {
		d.outcome, d.failure = hub.StatusFailed, append(d.failure[:0], message...)
		return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: message, Name: rawjson.Body(d.prop("errorType"))}), nil
	}
	dst, ev := d.endRun(dst, hub.StatusFailed)
	ev.Name = d.at.typ
	m := d.scratch.MoreOf(ev)
	m.Err, m.ErrCode = message, rawjson.Body(d.prop("errorType"))
	d.keep(ev, "message", "errorType")
	return dst, nil
}

// Finish implements [hub.Decoder]. A replay is complete when its body is; a run says when it ends.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if !d.opt.history || cause != nil || !d.begun || d.over {
		return dst
	}
	d.at = place{flags: hub.Replayed}
	return d.endReplay(dst)
}

// endReplay ends a replay as the last run in it ended. Where the log does not say, and it never says that a run went
// well, all is well.
func (d *decoder) endReplay(dst []hub.Event) []hub.Event {
	status := d.outcome
	if status == hub.StatusNone {
		status = hub.StatusDone
		if d.cancelled {
			status = hub.StatusCancelled
		}
	}
	d.over = true
	dst, ev := d.endRun(dst, status)
	if status == hub.StatusFailed {
		d.scratch.MoreOf(ev).Err = d.failure
	}
	return dst
}

// usage reads what one call of the model has used.
func (d *decoder) usage(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.StepScope})
	m := d.scratch.MoreOf(ev)
	m.Model = rawjson.Body(d.at.ev.Data.Model)
	usageCounts.Read(&m.Usage, d.properties())
	cost := d.prop(propCost)
	if rawjson.Kind(cost) == '0' {
		m.Usage.Cost, m.Usage.Currency = cost, []byte(currency)
	}
	d.keep(ev, "model", propCost, "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens", "parentToolCallId")
	d.passing(ev)
	return dst, nil
}

const (
	propCost = "cost"
	currency = "premium_requests" // Copilot bills by multiples of a request, not in money
)

var (
	usageCounts = usage.Fields{
		usage.At(usage.In, "inputTokens"), usage.At(usage.Out, "outputTokens"), usage.At(usage.Cached, "cacheReadTokens"),
		usage.At(usage.CacheWrite, "cacheWriteTokens"), usage.At(usage.Reasoning, "reasoningTokens"),
	}
	contextCounts = usage.Fields{usage.At(usage.ContextSize, "tokenLimit"), usage.At(usage.ContextUsed, "currentTokens")}
)

// usageInfo reads how full the context is.
func (d *decoder) usageInfo(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.SessionScope})
	contextCounts.Read(&d.scratch.MoreOf(ev).Usage, d.properties())
	d.keep(ev, "currentTokens", "tokenLimit")
	d.passing(ev)
	return dst, nil
}

// intent reads what the agent is about to do.
func (d *decoder) intent(dst []hub.Event) ([]hub.Event, error) {
	intent, err := d.need(d.at.ev.Data.Intent, "intent")
	if err != nil {
		return dst, err
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelIntent, Text: intent})
	d.keep(ev, "intent")
	d.passing(ev)
	return dst, nil
}

// noticeType says how an event for people is read and written.
type noticeType struct {
	level hub.Level
	text  string // the member with the text
	code  string // the member with its code; "" for none
}

var noticeTypes = map[string]noticeType{
	"session.info":        {hub.LevelInfo, "message", "infoType"},
	"session.warning":     {hub.LevelWarning, "message", "warningType"},
	"system.notification": {hub.LevelInfo, "content", ""},
	"model.call_failure":  {hub.LevelWarning, "errorMessage", "errorCode"},
	"hook.progress":       {hub.LevelStatus, "message", ""},
}

const (
	metaType   = "type"   // in metadata: the type of the event, where the model does not tell it
	infoStatus = "status" // infoType of what the agent is doing, which is ours
)

// notice reads a text for people that is no answer. Without its text it is data.
func (d *decoder) notice(dst []hub.Event) ([]hub.Event, error) {
	t := noticeTypes[string(d.at.typ)]
	body, ok := rawjson.Str(d.prop(t.text))
	if !ok {
		return d.plain(dst)
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.Notice, Level: t.level, Text: body})
	if t.code != "" {
		ev.Name = rawjson.Body(d.prop(t.code))
	}
	if string(ev.Name) == infoStatus && t.level == hub.LevelInfo {
		ev.Level = hub.LevelStatus
	}
	meta := d.beginMeta()
	n := len(meta)
	if !isDefaultNotice(d.at.typ) {
		meta = appendText(meta, `"`+metaType+`":"`, d.at.typ)
	}
	d.endMeta(ev, appendMembers(meta, d.properties(), t.text, t.code), n)
	d.passing(ev)
	return dst, nil
}

// isDefaultNotice reports whether the level alone tells the type.
func isDefaultNotice(typ []byte) bool {
	return bytes.Equal(typ, []byte("session.info")) || bytes.Equal(typ, []byte("session.warning"))
}

// binaryAsset reads an image or another file.
func (d *decoder) binaryAsset(dst []hub.Event) ([]hub.Event, error) {
	body, ok := rawjson.Str(d.prop("data"))
	if !ok {
		return d.plain(dst)
	}
	dst, ev := d.add(dst, hub.Event{Kind: hub.File, ID: rawjson.Body(d.prop("assetId"))})
	f := &d.scratch.MoreOf(ev).File
	f.Base64, f.Media, f.FileID, f.Name = body, rawjson.Body(d.prop("mimeType")), ev.ID, rawjson.Body(d.prop("description"))
	d.keep(ev, "assetId", "data", "mimeType", "description", "byteLength", "type")
	return dst, nil
}
