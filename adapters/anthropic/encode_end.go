package anthropic

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// addUsage keeps usage for the end of the message.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	if !e.usage.Add(ev) {
		return hub.Dropped
	}
	model := ev.More.Model
	switch c := &ev.More.Usage; {
	case c.In <= 0 && c.Out <= 0:
		return hub.Dropped // zeroes are what the message begins with: they say nothing
	case ev.Scope == hub.StepScope || e.usage.Models() > 1, len(model) > 0 && !bytes.Equal(model, e.model): // which model used what is lost
		return hub.Folded
	}
	return hub.Deferred
}

// appendUsage appends a usage object. Its input leaves out what was cached, other than in the model. Output is required;
// an unknown input is left out, so that a client keeps what it knows.
func appendUsage(dst []byte, c *hub.Counts) []byte {
	dst = append(dst, '{')
	if c.In >= 0 {
		read, created := max(c.Cached, 0), max(c.CacheWrite, 0)
		dst = member.AppendInt(dst, `"input_tokens":`, max(c.In-read-created, 0))
		dst = member.AppendInt(dst, `,"cache_creation_input_tokens":`, created)
		dst = member.AppendInt(dst, `,"cache_read_input_tokens":`, read)
		dst = append(dst, ',')
	}
	dst = member.AppendInt(dst, `"output_tokens":`, max(c.Out, 0))
	if c.ReasoningTokens >= 0 {
		dst = member.AppendInt(dst, `,"output_tokens_details":{"thinking_tokens":`, c.ReasoningTokens)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// runEnd ends the message: message_delta with the stop reason and the usage, then message_stop. A run that went wrong
// ends with an error in their place, and nothing behind it.
func (e *encoder) runEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if failure, disposition := phrases.ErrorEnd(ev, e.broken); failure != nil {
		e.fail(out, failure)
		return disposition
	}
	e.closeBlock(out)
	e.begin(out)
	reason, disposition := stopReason(ev, e.asked > 0)
	if e.ran && ev.Status == hub.StatusDone || reason != "refusal" && len(hub.Why(ev)) > 0 {
		disposition = hub.Folded // readers take the calls for the client's, and only refusals and failures have words
	}
	b := append(member.Begin(out, "message_delta"), `{"type":"message_delta","delta":{"stop_reason":"`...)
	b = append(append(b, reason...), `","stop_sequence":`...)
	b = appendSequence(b, ev, reason)
	if reason == "refusal" {
		b = appendDetails(b, ev)
	}
	c := e.usage.Sum()
	e.endDelta(out, b, &c)
	member.End(out, append(member.Begin(out, "message_stop"), `{"type":"message_stop"}`...))
	return disposition
}

// endDelta ends message_delta. Its usage is required.
func (e *encoder) endDelta(out *wire.Out, b []byte, c *hub.Counts) {
	b = append(b, `},"usage":`...)
	member.End(out, append(appendUsage(b, c), '}'))
}

// appendSequence appends the text that stopped the model, null if none did.
func appendSequence(dst []byte, ev *hub.Event, reason string) []byte {
	sequence := ev.StopSequence(dialectName)
	if reason != "stop_sequence" || len(sequence) == 0 {
		return append(dst, "null"...)
	}
	return append(append(append(dst, '"'), sequence...), '"')
}

// appendDetails appends why the model refused, as far as it was said.
func appendDetails(dst []byte, ev *hub.Event) []byte {
	dst = append(dst, `,"stop_details":{"type":"refusal","category":`...)
	category, text := ev.Rare().ErrCode, ev.Rare().Err
	if !isCategory(category) {
		category = nil
	}
	dst = append(appendNullable(dst, category), `,"explanation":`...)
	return append(appendNullable(dst, text), '}')
}

func appendNullable(dst, body []byte) []byte {
	if len(body) == 0 {
		return append(dst, "null"...)
	}
	return append(append(append(dst, '"'), body...), '"')
}

// isCategory reports whether a client knows the category of a refusal.
func isCategory(c []byte) bool {
	switch string(c) {
	case "cyber", "bio", "frontier_llm", "reasoning_extraction", "general_harms":
		return true
	}
	return false
}

// fail ends the message with an error. Clients know one by the name of its event, and by nothing else.
func (e *encoder) fail(out *wire.Out, ev *hub.Event) {
	text, code := rawjson.Or(hub.Why(ev), phrases.Run(ev.Status)), ev.Rare().ErrCode
	if c := e.usage.Sum(); e.begun && (c.In > 0 || c.Out > 0) { // what failed has its price, too
		out.Begin("message_delta")
		e.endDelta(out, append(out.Buf, `{"type":"message_delta","delta":{"stop_reason":null,"stop_sequence":null`...), &c)
	}
	member.End(out, appendError(member.Begin(out, "error"), errorType(code), text))
}
