package cursorcli

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// agentStart is a sub-agent, which works for the call of task. What it does is said at its end.
func (d *decoder) agentStart(dst []hub.Event, c *call) []hub.Event {
	return append(dst, hub.Event{
		Kind: hub.AgentStart, ID: c.id, Ref: c.id, Name: rawjson.Or(agentName(c.args), "agent"), Title: rawjson.Text(c.args, "description"),
	})
}

// agentName is the type of a sub-agent: its name if it is one of the user's, else the member that says it.
func agentName(args rawjson.Value) []byte {
	for key, v := range rawjson.EachField(rawjson.Get(args, "subagentType")) {
		switch string(key) {
		case "unspecified":
			return nil
		case "custom":
			return rawjson.Text(v, "name")
		}
		return key
	}
	return rawjson.Text(args, "subagent_type")
}

// agentEnd ends a sub-agent behind what it has said and done.
func (d *decoder) agentEnd(dst []hub.Event, c *call, status hub.Status, body rawjson.Value) []hub.Event {
	n := 0
	for step := range rawjson.Each(rawjson.Get(body, "conversationSteps")) {
		n++
		dst = d.step(dst, c, n, step)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.AgentEnd, ID: c.id, Status: status})
	if words := reason(body); status != hub.StatusOK && len(words) > 0 {
		d.scratch.MoreOf(ev).Err = words
	}
	return dst
}

// step is a message of a sub-agent, what it thought, or a call. The wire has no ids for its calls.
func (d *decoder) step(dst []hub.Event, c *call, n int, v rawjson.Value) []hub.Event {
	for key, body := range rawjson.EachField(v) {
		switch string(key) {
		case "assistantMessage":
			dst = agentText(dst, c, hub.AnswerText, rawjson.Text(body, "text"))
		case "thinkingMessage":
			dst = agentText(dst, c, hub.Reasoning, rawjson.Text(body, "text"))
		case "toolCall":
			inner := call{sub: c.id}
			inner.id = d.scratch.Since(strconv.AppendInt(append(append(d.scratch.Begin(), c.id...), '.'), int64(n), 10))
			if d.read(&inner, body) {
				dst = d.toolEnd(d.toolStart(dst, &inner), &inner)
			}
		}
	}
	return dst
}

func agentText(dst []hub.Event, c *call, channel hub.Chan, text []byte) []hub.Event {
	if len(text) == 0 {
		return dst
	}
	dst = append(dst, hub.Event{Kind: hub.TextDelta, SubAgent: c.id, Chan: channel, Text: text})
	return append(dst, hub.Event{Kind: hub.TextEnd, SubAgent: c.id, Chan: channel})
}

// lastMessage is what a sub-agent said last, the result of its call.
func lastMessage(steps rawjson.Value) (text []byte) {
	for step := range rawjson.Each(steps) {
		text = rawjson.First(rawjson.Text(step, "assistantMessage", "text"), text)
	}
	return text
}
