package gemini

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// addUsage keeps the usage of the run for the last frame, which has one place for all models.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	defer e.learnModel(ev) // usage of further models may follow
	switch {
	case !e.usage.Add(ev):
		return hub.Dropped
	case ev.Scope == hub.RunScope && (len(ev.More.Model) == 0 || bytes.Equal(ev.More.Model, e.model)):
		return hub.Deferred
	}
	return hub.Folded // into a sum
}

// total adds up what the run used; ok is false if unknown.
func (e *encoder) total() (all hub.Counts, ok bool) {
	all = e.usage.Sum()
	if all.Total < 0 {
		all.Total = genai.Sum(all.In, all.Out)
	}
	return all, all.Total >= 0
}

// appendUsage appends the member usageMetadata.
func (e *encoder) appendUsage(dst []byte) []byte {
	c, _ := e.total()
	return genai.AppendCounts(dst, &c)
}

// runEnd writes the last frame: the reason, or an error.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	message := hub.Why(ev)
	switch ev.Status {
	case hub.StatusFailed, hub.StatusTruncated, hub.StatusCancelled:
		if ev.Status == hub.StatusFailed && genai.IsFailure(ev.Name) {
			e.lastFrame(out, ev.Name, message)
			return hub.Native
		}
		return e.errorFrame(out, ev, message)
	}
	if len(e.malformed) > 0 && (ev.Status == hub.StatusDone || ev.Status == hub.StatusTools) {
		e.lastFrame(out, []byte(genai.MalformedCall), e.malformedWhy())
		return hub.Folded
	}
	reason, exact := genai.ReasonOf(ev.Status, ev.Name)
	e.lastFrame(out, []byte(reason), message)
	return hub.FoldedIf(!exact || e.called != (ev.Status == hub.StatusTools) && reason == "STOP")
}

// malformedWhy says which call has arguments that are no JSON.
func (e *encoder) malformedWhy() []byte {
	return append([]byte("The arguments of a call are not JSON: "), e.malformed...)
}

// lastFrame writes the frame that has the reason and the usage. It has a part, too: some readers skip frames without.
func (e *encoder) lastFrame(out *wire.Out, reason, message []byte) {
	b := e.begin(out, emptyPart+`]},"finishReason":"`)
	b = append(b, reason...)
	if len(message) > 0 {
		b = append(b, `","finishMessage":"`...)
		b = append(b, message...)
	}
	b = append(b, `",`...)
	e.end(out, e.appendUsage(append(b, e.tail...)))
}

// errorFrame writes a failure. What the run used so far goes before it.
func (e *encoder) errorFrame(out *wire.Out, ev *hub.Event, message []byte) hub.Disposition {
	if _, ok := e.total(); ok {
		e.end(out, e.appendUsage(e.endParts(e.begin(out, emptyPart))))
	}
	errCode := ev.Rare().ErrCode
	code := codeOf(ev.Status, errCode)
	status := errCode
	if genai.CodeOfStatus(errCode) == 0 {
		status = []byte(genai.StatusOfCode(code))
	}
	if ev.Status == hub.StatusCancelled {
		code, status = 499, []byte(genai.Cancelled)
	}
	if len(message) == 0 {
		message = []byte(hub.Fail(hub.CodeAgent, nil).Text())
	}
	b := append(member.Begin(out, ""), `{"error":{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	b = append(b, `,"message":"`...)
	b = append(b, message...)
	b = append(b, `","status":"`...)
	b = append(b, status...)
	b = append(b, `"`...)
	if len(errCode) > 0 && genai.CodeOfStatus(errCode) == 0 {
		b = append(b, `,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`...)
		b = append(b, errCode...)
		b = append(b, `","domain":"sabir"}]`...)
	}
	member.End(out, append(b, `}}`...))
	return hub.FoldedIf(ev.Status == hub.StatusTruncated)
}
