package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
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
	if aborted, _ := rawjson.Bool(d.prop("aborted")); aborted || d.cancelled {
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
	dst, ev := d.add(dst, hub.Event{Kind: hub.RunEnd})
	ev.Status, ev.SubAgent = status, nil
	return dst, ev
}

// sessionError ends the run; in history, and that of a sub-agent, it is one thing among others.
func (d *decoder) sessionError(dst []hub.Event) ([]hub.Event, error) {
	p := &d.at.ev.Data
	message := rawjson.Body(p.Message)
	if d.opt.history || len(d.at.subAgent) > 0 {
		d.outcome, d.failure = hub.StatusFailed, append(d.failure[:0], message...)
		dst, ev := d.add(dst, hub.Event{Kind: hub.Notice})
		ev.Level, ev.Text, ev.Name = hub.LevelError, message, rawjson.Body(d.prop("errorType"))
		return dst, nil
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
	for _, c := range usageCounts {
		if n, ok := rawjson.Int(d.prop(c.name)); ok && n >= 0 {
			*c.of(&m.Usage) = n
		}
	}
	cost := d.prop(propCost)
	if rawjson.Kind(cost) == '0' {
		m.Usage.Cost, m.Usage.Currency = cost, []byte(currency)
	}
	d.keep(ev, "model", propCost, usageCounts[0].name, usageCounts[1].name, usageCounts[2].name, usageCounts[3].name,
		usageCounts[4].name, "parentToolCallId")
	d.passing(ev)
	return dst, nil
}

const (
	propCost = "cost"
	currency = "premium_requests" // Copilot bills by multiples of a request, not in money
)

var usageCounts = [...]struct {
	name string
	of   func(*hub.Counts) *int64
}{
	{"inputTokens", func(c *hub.Counts) *int64 { return &c.In }},
	{"outputTokens", func(c *hub.Counts) *int64 { return &c.Out }},
	{"cacheReadTokens", func(c *hub.Counts) *int64 { return &c.Cached }},
	{"cacheWriteTokens", func(c *hub.Counts) *int64 { return &c.CacheWrite }},
	{"reasoningTokens", func(c *hub.Counts) *int64 { return &c.ReasoningTokens }},
}

// usageInfo reads how full the context is.
func (d *decoder) usageInfo(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: hub.SessionScope})
	m := d.scratch.MoreOf(ev)
	if n, ok := rawjson.Int(d.prop("currentTokens")); ok && n >= 0 {
		m.Usage.ContextUsed = n
	}
	if n, ok := rawjson.Int(d.prop("tokenLimit")); ok && n >= 0 {
		m.Usage.ContextSize = n
	}
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
