package codexappserver

import (
	"bytes"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// notifications are those of a turn that are no item.
var notifications = map[string]func(*decoder, []hub.Event) []hub.Event{
	"error":                                     (*decoder).fault,
	"warning":                                   (*decoder).warning,
	"guardianWarning":                           (*decoder).warning,
	"deprecationNotice":                         (*decoder).warning,
	"configWarning":                             (*decoder).warning,
	"turn/plan/updated":                         (*decoder).plan,
	"turn/diff/updated":                         (*decoder).diff,
	"thread/tokenUsage/updated":                 (*decoder).usage,
	"serverRequest/resolved":                    (*decoder).resolved,
	"item/reasoning/summaryPartAdded":           (*decoder).summaryPart,
	"item/mcpToolCall/progress":                 (*decoder).progress,
	"item/commandExecution/terminalInteraction": (*decoder).typed,
	"item/fileChange/patchUpdated":              (*decoder).patch,
}

// methods are all notifications and requests that the server sends, as its schema has them.
var methods = setOf(`error thread/started thread/status/changed thread/readState/changed thread/archived thread/deleted
	thread/unarchived thread/closed thread/reverted skills/changed thread/name/updated thread/section/changed
	thread/attachment/updated thread/goal/updated thread/prediction/updated thread/goal/cleared thread/queue/changed
	project/changed thread/project/updated thread/environment/connected thread/environment/disconnected
	thread/settings/updated thread/tokenUsage/updated turn/started hook/started turn/completed hook/completed
	turn/diff/updated turn/plan/updated item/started item/autoApprovalReview/started item/autoApprovalReview/completed
	autoApprovalReview/strictReviewRequired item/completed rawResponseItem/completed rawResponse/completed
	item/agentMessage/delta item/plan/delta command/exec/outputDelta process/outputDelta process/exited
	item/commandExecution/outputDelta item/commandExecution/terminalInteraction item/fileChange/outputDelta
	item/fileChange/patchUpdated serverRequest/resolved item/mcpToolCall/progress mcpServer/oauthLogin/completed
	mcpServer/startupStatus/updated mcpServer/event/stream/notification account/updated account/gatewayOAuth/changed
	account/rateLimits/updated app/list/updated remoteControl/status/changed externalAgentConfig/import/progress
	externalAgentConfig/import/completed fs/changed item/reasoning/summaryTextDelta item/reasoning/summaryPartAdded
	item/reasoning/textDelta thread/compacted model/rerouted model/verification modelProvider/authRecoveryStarted
	modelProvider/authRecoveryCompleted turn/moderationMetadata model/safetyBuffering/updated warning guardianWarning
	deprecationNotice configWarning fuzzyFileSearch/sessionUpdated fuzzyFileSearch/sessionCompleted
	thread/realtime/started thread/realtime/itemAdded thread/realtime/item/started thread/realtime/item/transcript/delta
	thread/realtime/item/completed thread/realtime/transcript/delta thread/realtime/transcript/done
	thread/realtime/outputAudio/delta thread/realtime/sdp thread/realtime/error thread/realtime/closed
	windows/worldWritableWarning windowsSandbox/setupCompleted account/login/completed
	item/commandExecution/requestApproval item/fileChange/requestApproval item/tool/requestUserInput
	mcpServer/elicitation/request item/permissions/requestApproval item/tool/call account/chatgptAuthTokens/refresh
	attestation/generate currentTime/read applyPatchApproval execCommandApproval`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// turnCompleted ends the run, or the turn of a sub-agent.
func (d *decoder) turnCompleted(dst []hub.Event) ([]hub.Event, error) {
	turn := d.param("turn")
	word, ok := rawjson.Str(rawjson.Get(turn, "status"))
	if !ok {
		return dst, hub.NewError(hub.ReasonMissing, "params.turn.status", -1, "want a string")
	}
	dst = d.enter(dst)
	status := turnStatus(word)
	if d.agent != nil {
		dst = d.closeSubAgent(dst, d.agent, status)
	} else {
		dst = append(dst, hub.Event{Kind: hub.RunEnd, Status: status, Name: word})
	}
	if fault := rawjson.Get(turn, "error"); !rawjson.IsNull(fault) {
		more := d.scratch.MoreOf(&dst[len(dst)-1])
		more.Err, more.ErrCode = d.errorText(fault), errorCode(fault)
	}
	return dst, nil
}

// turnStatus is the status for how a turn ended. An unknown word is no clean end.
func turnStatus(word []byte) hub.Status {
	switch string(word) {
	case "completed":
		return hub.StatusDone
	case "interrupted":
		return hub.StatusCancelled
	}
	return hub.StatusFailed
}

func agentStatus(s hub.Status) hub.Status {
	switch s {
	case hub.StatusDone:
		return hub.StatusOK
	case hub.StatusCancelled:
		return hub.StatusAborted
	}
	return hub.StatusError
}

// errorText is the message of an error, with the details that it may have.
func (d *decoder) errorText(fault rawjson.Value) []byte {
	text, details := rawjson.Body(rawjson.Get(fault, "message")), rawjson.Body(rawjson.Get(fault, "additionalDetails"))
	if len(details) == 0 || bytes.Contains(text, details) {
		return text
	}
	return d.scratch.Since(append(append(append(d.scratch.Begin(), text...), ": "...), details...))
}

// errorCode is the kind of an error: a word, or the name of the only member.
func errorCode(fault rawjson.Value) []byte {
	info := rawjson.Get(fault, "codexErrorInfo")
	if word, ok := rawjson.Str(info); ok {
		return word
	}
	it := rawjson.Fields(info)
	key, _, _ := it.Next()
	return key
}

// fault decodes an error: one that the server tries to get over, or one that the end of the turn says again.
func (d *decoder) fault(dst []hub.Event) []hub.Event {
	fault := d.param("error")
	dst, ev := d.add(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Name: errorCode(fault), Text: d.errorText(fault)})
	if retry, _ := rawjson.Bool(d.param("willRetry")); retry {
		ev.Level = hub.LevelWarning
	}
	return dst
}

// warning decodes a warning: a message, or a summary with details.
func (d *decoder) warning(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelWarning, Text: rawjson.Body(d.param("message"))})
	if summary := rawjson.Body(d.param("summary")); len(summary) > 0 {
		ev.Text = summary
		if details := rawjson.Body(d.param("details")); len(details) > 0 {
			ev.Title, ev.Text = summary, details
		}
	}
	return dst
}

func (d *decoder) plan(dst []hub.Event) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Plan, Title: rawjson.Body(d.param("explanation")), More: d.scratch.More()})
	for step := range rawjson.Each(d.param("plan")) {
		status := rawjson.Body(rawjson.Get(step, "status"))
		if string(status) == "inProgress" {
			status = []byte("in_progress")
		}
		ev.More.Items = append(ev.More.Items, hub.PlanItem{Content: rawjson.Body(rawjson.Get(step, "step")), Status: status})
	}
	return dst
}

// turnDiff names the data that are the change of all files in the turn so far.
const turnDiff = "turn/diff/updated"

func (d *decoder) diff(dst []hub.Event) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(turnDiff), Op: hub.Set, Value: d.param("diff")})
}

// usage decodes what the last call of the model has used, as a step, and what the thread has used. The server repeats it when
// it has condensed the history: then no step has been added.
func (d *decoder) usage(dst []hub.Event) []hub.Event {
	last, total := d.param("tokenUsage", "last"), d.param("tokenUsage", "total")
	if d.agent != nil {
		return d.counts(dst, hub.StepScope, last) // its thread is not that of the run
	}
	reported := [2]int64{tokens(last), tokens(total)}
	if used, _ := rawjson.Int(rawjson.Get(last, "inputTokens")); used > 0 && reported != d.reported {
		dst = d.counts(dst, hub.StepScope, last)
	}
	d.reported = reported
	dst = d.counts(dst, hub.SessionScope, total)
	c := &dst[len(dst)-1].More.Usage
	readCount(&c.ContextUsed, last, "totalTokens")
	readCount(&c.ContextSize, d.param("tokenUsage"), "modelContextWindow")
	return dst
}

// counts decodes totals: cached tokens are among the input, reasoning among the output.
func (d *decoder) counts(dst []hub.Event, scope hub.Scope, v rawjson.Value) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Usage, Scope: scope, More: d.scratch.More()})
	c := &ev.More.Usage
	readCount(&c.In, v, "inputTokens")
	readCount(&c.Out, v, "outputTokens")
	readCount(&c.Total, v, "totalTokens")
	readCount(&c.Cached, v, "cachedInputTokens")
	readCount(&c.CacheWrite, v, "cacheWriteInputTokens")
	readCount(&c.ReasoningTokens, v, "reasoningOutputTokens")
	return dst
}

func tokens(v rawjson.Value) int64 {
	n, _ := rawjson.Int(rawjson.Get(v, "totalTokens"))
	return n
}

func readCount(to *int64, v rawjson.Value, member string) {
	if n, ok := rawjson.Int(rawjson.Get(v, member)); ok && n >= 0 {
		*to = n
	}
}
