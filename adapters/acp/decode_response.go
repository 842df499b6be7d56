package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// response decodes the answer to a request of the client. The members of the answer identify the request: each method has
// its own. Answers of the client, which logs of both directions hold, are identified in the same way.
func (d *decoder) response(dst []hub.Event) []hub.Event {
	m := &d.msg
	mine := d.prompt == nil || bytes.Equal(m.ID, d.prompt)
	switch rawjson.Kind(m.Error) {
	case 0, 'n':
	default:
		return d.errorResponse(dst, mine)
	}
	if version, ok := rawjson.Int(rawjson.Get(m.Result, "protocolVersion")); ok {
		d.drafts = version >= 2
		return dst
	}
	if reason, ok := rawjson.Str(rawjson.Get(m.Result, "stopReason")); ok {
		if mine { // the response of another prompt ends another turn
			dst = d.usage(dst, m.Result)
			dst = d.endRun(dst, acpwire.StopStatus(reason), reason)
		}
		return dst
	}
	if outcome := rawjson.Get(m.Result, "outcome"); outcome != nil {
		return d.answer(dst, rawjson.Text(outcome, "outcome"), rawjson.Get(outcome, "optionId"), nil)
	}
	if action, ok := rawjson.Str(rawjson.Get(m.Result, "action")); ok {
		return d.answer(dst, action, nil, rawjson.Get(m.Result, "content"))
	}
	return d.sessionResponse(dst)
}

// sessionResponse decodes the answer to session/new, which names the session and tells its state.
func (d *decoder) sessionResponse(dst []hub.Event) []hub.Event {
	result := d.msg.Result
	session := rawjson.Get(result, "sessionId")
	if rawjson.Get(result, "messageId") != nil {
		d.drafts = true // the prompt was accepted
	}
	if _, ok := rawjson.Str(session); !ok {
		return dst
	}
	first := len(d.root) == 0
	dst = d.session(dst, session)
	if !first || rawjson.Get(result, "modes") == nil && rawjson.Get(result, "configOptions") == nil {
		return dst
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte("session"), Op: hub.Set, Value: result})
}

// answer decodes what a client said to a question. Only logs of both directions hold it: a decline is a cancelled answer.
func (d *decoder) answer(dst []hub.Event, outcome []byte, option, content rawjson.Value) []hub.Event {
	dst, ev := d.add(dst, hub.Event{Kind: hub.Answer})
	ev.ID, ev.Status, ev.Value = jsonrpc.IDBody(&d.scratch, d.msg.ID), hub.StatusCancelled, content
	if o := string(outcome); o == "selected" || o == "accept" {
		ev.Status, ev.Name = hub.StatusChosen, rawjson.Body(option)
	}
	return dst
}

// endRun ends the run; the end is the root agent's.
func (d *decoder) endRun(dst []hub.Event, s hub.Status, native []byte) []hub.Event {
	return append(dst, hub.Event{Kind: hub.RunEnd, Status: s, Name: native})
}

// errorResponse decodes a request that failed. One without an id says that the agent could not read something.
func (d *decoder) errorResponse(dst []hub.Event, mine bool) []hub.Event {
	m := &d.msg
	switch {
	case rawjson.IsNull(m.ID):
		if len(d.root) == 0 {
			return dst
		}
		code := errorCode(m.Error, rawjson.Get(m.Error, "code"))
		return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Name: code, Text: d.errorText(m.Error)})
	case !mine:
		return dst
	}
	if usage := rawjson.Get(m.Error, "data"); usage != nil {
		dst = d.usage(dst, usage)
	}
	return d.failed(dst, m.Error)
}

const codeCancelled = -32800 // the request was cancelled

// failed ends the run with an error object of JSON-RPC.
func (d *decoder) failed(dst []hub.Event, fault rawjson.Value) []hub.Event {
	code := rawjson.Get(fault, "code")
	if n, _ := rawjson.Int(code); n == codeCancelled {
		return d.endRun(dst, hub.StatusCancelled, nil)
	}
	dst = d.endRun(dst, hub.StatusFailed, nil)
	more := d.scratch.MoreOf(&dst[len(dst)-1])
	more.Err, more.ErrCode = d.errorText(fault), errorCode(fault, code)
	return dst
}

// errorCode is the code that an encoder has put among the data, else that of JSON-RPC, which some agents write as a text.
func errorCode(fault, code rawjson.Value) []byte {
	if own := rawjson.Text(fault, "data", "code"); len(own) > 0 {
		return own
	}
	if rawjson.Kind(code) == '0' {
		return code
	}
	return rawjson.Body(code)
}

// errorText is the message of an error, with the details that some agents hide behind one that says nothing.
func (d *decoder) errorText(fault rawjson.Value) []byte {
	text := rawjson.First(rawjson.Text(fault, "message"), rawjson.Body(fault), []byte(agentFailed)) // a text may stand for the object
	details := rawjson.Text(fault, "data", "details")
	if len(details) == 0 || bytes.Contains(text, details) {
		return text
	}
	both := append(append(d.scratch.Begin(), text...), ": "...)
	return d.scratch.Since(append(both, details...))
}

var agentFailed = hub.Fail(hub.CodeAgent, nil).Text()

// usage decodes the totals of a turn, from a member that most agents send or from the place that the first ones chose.
func (d *decoder) usage(dst []hub.Event, result rawjson.Value) []hub.Event {
	quota := rawjson.Get(result, "_meta", "quota", "token_count")
	u := rawjson.First(rawjson.OfKind(rawjson.Get(result, "usage"), '{'), rawjson.OfKind(quota, '{'))
	if u == nil {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope})
	readUsage(&d.scratch.MoreOf(ev).Usage, u)
	return dst
}

// readUsage reads counts of which each token has one. Agents that count those from the cache, or those of thoughts,
// twice are recognized by the total.
func readUsage(c *hub.Counts, u rawjson.Value) {
	either := func(a, b string) int64 { return max(acpwire.Count(u, a), acpwire.Count(u, b)) }
	c.In, c.Out = either("inputTokens", "input_tokens"), either("outputTokens", "output_tokens")
	c.Total = either("totalTokens", "total_tokens")
	c.Cached, c.CacheWrite = either("cachedReadTokens", "cachedInputTokens"), acpwire.Count(u, "cachedWriteTokens")
	c.ReasoningTokens = either("thoughtTokens", "reasoningOutputTokens")
	if c.In < 0 || c.Out < 0 {
		return
	}
	cached, thought := max(c.Cached, 0)+max(c.CacheWrite, 0), max(c.ReasoningTokens, 0)
	if c.Total != c.In+c.Out && c.Total != c.In+c.Out+thought {
		c.In += cached
	}
	if c.Total != c.In+c.Out {
		c.Out += thought
	}
}
