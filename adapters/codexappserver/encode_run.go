package codexappserver

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// runStart accepts the client's turn/start, and begins the turn.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.begun = true
	if len(ev.ID) > 0 {
		e.turn = append(e.turn[:0], ev.ID...)
	}
	if !e.named && len(ev.Ref) > 0 {
		e.thread = append(e.thread[:0], ev.Ref...)
	}
	if len(e.call) > 0 {
		b := append(append(append(e.beginRecord(out), `{"id":`...), e.call...), `,"result":{`...)
		out.Buf = appendTurnObject(b, e.turn, "inProgress")
		e.end(out, append(out.Buf, '}'))
	}
	e.turnRecord(out, "turn/started", e.thread, e.turn, "inProgress", nil)
	return hub.Native
}

// turnRecord writes that a turn has begun or ended.
func (e *encoder) turnRecord(out *wire.Out, method string, thread, turn []byte, status string, fault []byte) {
	b := append(append(appendMethod(append(e.beginRecord(out), '{'), method), `"threadId":"`...), thread...)
	b = appendTurnObject(append(b, `",`...), turn, status)
	if fault != nil {
		b = append(append(b, `,"error":`...), fault...)
	}
	e.end(out, append(b, '}'))
}

// appendTurnObject appends a turn without its last bracket.
func appendTurnObject(dst, turn []byte, status string) []byte {
	dst = append(append(dst, `"turn":{"id":"`...), turn...)
	dst = append(append(dst, `","items":[],"itemsView":"notLoaded","status":"`...), status...)
	return append(dst, '"')
}

// endWord is the word for how a turn ended.
func endWord(s hub.Status) (word string, disposition hub.Disposition) {
	switch s {
	case hub.StatusDone:
		return "completed", hub.Native
	case hub.StatusCancelled:
		return "interrupted", hub.Native
	case hub.StatusFailed:
		return "failed", hub.Native
	case hub.StatusTruncated:
		return "failed", hub.Folded
	}
	return "completed", hub.Folded
}

// runEnd ends the turn. A failure is written twice, as the server does. A turn that has not begun is refused, if the client waits
// for an answer.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.flushUsage(out)
	word, disposition := endWord(ev.Status)
	var fault []byte
	if word == "failed" || word == "interrupted" && len(hub.Why(ev)) > 0 {
		e.next = appendFault(e.next[:0], ev)
		fault = e.next
	}
	switch {
	case word == "failed" && !e.begun && len(e.call) > 0:
		b := append(append(append(e.beginRecord(out), `{"id":`...), e.call...), `,"error":{"code":-32603,"message":"`...)
		e.end(out, append(append(b, phrases.RunError(ev)...), '"'))
		return disposition
	case word == "failed":
		e.end(out, append(append(e.begin(out, "error", nil), `,"willRetry":false,"error":`...), fault...))
	case len(hub.Why(ev)) > 0 && fault == nil:
		disposition = hub.Folded
	}
	if text := phrases.Early(ev.Status); text != "" && e.begun { // a turn has no word for it
		e.end(out, append(append(append(e.begin(out, "warning", nil), `,"message":"`...), text...), '"'))
	}
	e.turnRecord(out, "turn/completed", e.thread, e.turn, word, fault)
	return disposition
}

// appendFault appends an error object. A code that the protocol does not have is none of its kinds.
func appendFault(dst []byte, ev *hub.Event) []byte {
	dst = rawjson.AppendQuoted(append(dst, `{"message":`...), phrases.RunError(ev))
	if errorKinds[string(ev.Rare().ErrCode)] {
		return append(rawjson.AppendQuoted(append(dst, `,"codexErrorInfo":`...), ev.More.ErrCode), '}')
	}
	return append(dst, `,"codexErrorInfo":"other"}`...)
}

// errorKinds are those that are a word.
var errorKinds = setOf(`contextWindowExceeded sessionBudgetExceeded usageLimitExceeded rateLimitExceeded flexUnavailable
	serverOverloaded modelNotFound policyCapacityUnavailable cyberPolicy misalignmentPolicyViolation tooManyDenials
	internalServerError unauthorized badRequest threadRollbackFailed sandboxError inferenceHookDenied`)

// agentStart tells of a sub-agent in the thread around it, and begins its turn in a thread of its own.
func (e *encoder) agentStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.beginItem(out, true, ev.SubAgent)
	b := append(append(out.Buf, `{"type":"subAgentActivity","kind":"started","id":"agent_`...), ev.ID...)
	b = append(append(append(b, `","agentThreadId":"`...), ev.ID...), '"')
	e.end(out, append(member.AppendText(b, `,"agentPath":"`, ev.Name), '}'))
	e.turnRecord(out, "turn/started", ev.ID, ev.ID, "inProgress", nil)
	return hub.Native
}

// agentEnd ends the turn of a sub-agent. Its result is what it has said.
func (e *encoder) agentEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	word, disposition := "completed", hub.Native
	var fault []byte
	switch {
	case ev.Status == hub.StatusAborted:
		word = "interrupted"
	case hub.Failed(ev):
		word, e.next = "failed", appendFault(e.next[:0], ev)
		fault = e.next
	}
	if len(ev.Text) > 0 || ev.Value != nil || ev.Status == hub.StatusDenied || ev.Status == hub.StatusUnknown {
		disposition = hub.Folded
	}
	e.turnRecord(out, "turn/completed", ev.ID, ev.ID, word, fault)
	return disposition
}

// spent is the usage of the turn.
type spent struct {
	run       usage.Run
	step      hub.Counts // the last, if not yet written
	waits     bool
	stepped   bool       // a step was written
	thread    hub.Counts // totals, as far as anybody says
	unwritten bool       // there are totals of the run that are not yet written
}

// addUsage keeps the counts of a step for the record that tells the totals of the thread as well, which follows in this protocol.
func (e *encoder) addUsage(out *wire.Out, ev *hub.Event) hub.Disposition {
	u := &e.usage
	if ev.More == nil || ev.More.Usage.In < 0 && ev.More.Usage.Out < 0 {
		return hub.Dropped
	}
	counts := ev.More.Usage
	counts.Cost, counts.Currency, counts.Provider = nil, nil, nil
	switch {
	case ev.Scope == hub.SessionScope:
		u.thread = counts
		e.writeUsage(out)
		return hub.Native
	case !u.run.Add(ev):
		return hub.Dropped
	case ev.Scope != hub.StepScope:
		u.unwritten = true
		return hub.Folded
	case len(ev.SubAgent) > 0:
		e.usageRecord(out, ev.SubAgent, &counts, &counts)
		return hub.Native
	}
	if u.waits {
		e.writeUsage(out)
	}
	u.step, u.waits = counts, true
	return hub.Deferred
}

// flushUsage tells what is left to tell of the usage when the turn ends.
func (e *encoder) flushUsage(out *wire.Out) {
	u := &e.usage
	if u.waits || u.unwritten && u.thread.In < 0 && u.thread.Out < 0 {
		e.writeUsage(out)
	}
}

// writeUsage writes the totals of the thread, or where they are unknown those of the run, and the counts of the last step. A
// step that has been written is not repeated.
func (e *encoder) writeUsage(out *wire.Out) {
	u := &e.usage
	total := u.thread
	if total.In < 0 && total.Out < 0 {
		total = u.run.Sum()
	}
	var last hub.Counts
	switch {
	case u.waits:
		last, u.stepped = u.step, true
	case !u.stepped:
		last = total
	}
	u.waits, u.unwritten = false, false
	e.usageRecord(out, nil, &total, &last)
}

func (e *encoder) usageRecord(out *wire.Out, agent []byte, total, last *hub.Counts) {
	b := appendCounts(append(e.begin(out, "thread/tokenUsage/updated", agent), `,"tokenUsage":{"total":`...), total)
	b = appendCounts(append(b, `,"last":`...), last)
	if total.ContextSize >= 0 {
		b = strconv.AppendInt(append(b, `,"modelContextWindow":`...), total.ContextSize, 10)
	}
	e.end(out, append(b, '}'))
}

func appendCounts(dst []byte, c *hub.Counts) []byte {
	in, out := max(c.In, 0), max(c.Out, 0)
	count := func(head string, n int64) { dst = strconv.AppendInt(append(dst, head...), n, 10) }
	count(`{"totalTokens":`, max(c.Total, in+out))
	count(`,"inputTokens":`, in)
	count(`,"cachedInputTokens":`, max(c.Cached, 0))
	count(`,"outputTokens":`, out)
	count(`,"reasoningOutputTokens":`, max(c.ReasoningTokens, 0))
	if c.CacheWrite >= 0 {
		count(`,"cacheWriteInputTokens":`, c.CacheWrite)
	}
	return append(dst, '}')
}
