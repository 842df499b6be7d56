package adk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ask appends a question. One about a call is of the call that waits, not of the one that asks.
func (d *decoder) ask(dst []hub.Event, l *branch, id, name []byte, args rawjson.Value) []hub.Event {
	d.set(id, callAsk)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, ID: id, SubAgent: l.id})
	switch string(name) {
	case callConfirm:
		d.confirmation(ev, args)
	case callCredential:
		ev.AskKind, ev.Ref = hub.AskAuth, rawjson.Body(genai.Get(args, "functionCallId", "function_call_id"))
		ev.Value = rawjson.NotNull(genai.Get(args, "authConfig", "auth_config"))
	default:
		ev.AskKind, ev.Title = hub.AskInput, rawjson.Body(rawjson.Get(args, "message"))
		ev.Value = rawjson.NotNull(rawjson.Get(args, "payload"))
		if schema := genai.Get(args, "responseSchema", "response_schema"); rawjson.Kind(schema) == '{' {
			ev.More = d.scratch.More()
			ev.More.Schema = schema
		}
	}
	if len(ev.Ref) == 0 {
		return dst
	}
	if state, known := d.calls.Find(ev.Ref); !known {
		ev.Flags = hub.Resumed
	} else if state == callRunning {
		d.set(ev.Ref, callWaiting)
	}
	return dst
}

// confirmation reads a request for the permission to run a call.
func (d *decoder) confirmation(ev *hub.Event, args rawjson.Value) {
	original := genai.Get(args, "originalFunctionCall", "original_function_call")
	wanted := genai.Get(args, "toolConfirmation", "tool_confirmation")
	ev.AskKind, ev.Ref = hub.AskPermission, rawjson.Body(rawjson.Get(original, "id"))
	ev.Title, ev.Value = rawjson.Body(rawjson.Get(wanted, "hint")), rawjson.NotNull(rawjson.Get(wanted, "payload"))
	ev.More = d.scratch.More()
	ev.More.Options = approval.AppendOptions(ev.More.Options)
}

// answer appends what came back to a question.
func (d *decoder) answer(dst []hub.Event, l *branch, id []byte, response rawjson.Value) []hub.Event {
	d.set(id, callOver)
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Answer, ID: id, SubAgent: l.id, Status: hub.StatusChosen})
	if confirmed, ok := rawjson.Bool(rawjson.Get(response, "confirmed")); ok {
		ev.Name = approval.Option(confirmed)
	} else {
		ev.Value = rawjson.NotNull(response)
	}
	return dst
}

// Names of data.
const (
	dataState     = "state"
	dataArtifacts = "artifacts"
	dataOutput    = "output"
)

// actions appends what an event does besides its content. What needs no event stands in its calls and results.
func (d *decoder) actions(dst []hub.Event, l *branch) []hub.Event {
	over := false
	for key, v := range rawjson.EachField(d.rec[mActions]) {
		if rawjson.IsNull(v) || rawjson.IsEmptyObject(v) {
			continue
		}
		switch name := string(key); name {
		case "stateDelta", "state_delta":
			if rawjson.Kind(v) != '{' { // no delta of members
				dst = d.data(dst, l, name, hub.Emit, v)
				continue
			}
			dst = d.data(dst, l, dataState, hub.Patch, d.patch(v))
		case "artifactDelta", "artifact_delta":
			dst = d.data(dst, l, dataArtifacts, hub.Merge, v)
		case "endOfAgent", "end_of_agent":
			over, _ = rawjson.Bool(v)
		case "skipSummarization", "skip_summarization", "transferToAgent", "transfer_to_agent", "escalate",
			"requestedToolConfirmations", "requested_tool_confirmations", "requestedAuthConfigs", "requested_auth_configs":
		default:
			dst = d.data(dst, l, name, hub.Emit, v)
		}
	}
	if v := rawjson.NotNull(d.rec[mOutput]); v != nil {
		dst = d.data(dst, l, dataOutput, hub.Emit, v)
	}
	if over {
		dst = d.endBranch(dst, l)
	}
	return dst
}

func (d *decoder) data(dst []hub.Event, l *branch, name string, op hub.Op, v rawjson.Value) []hub.Event {
	return append(dst, hub.Event{Kind: hub.Data, Name: []byte(name), Op: op, Value: v, SubAgent: l.id})
}

// patch makes a JSON Patch of a delta, which sets whole members of the state: merging would go into them.
func (d *decoder) patch(delta rawjson.Value) rawjson.Value {
	b := append(d.scratch.Begin(), '[')
	for key, v := range rawjson.EachField(delta) {
		b = appendPointer(append(b, `{"op":"add","path":"/`...), key)
		b = append(append(b, `","value":`...), v...)
		b = append(b, "},"...)
	}
	b[len(b)-1] = ']'
	return d.scratch.Since(b)
}

// appendPointer appends a key, a string body, as a reference of a JSON Pointer.
func appendPointer(dst, key []byte) []byte {
	if bytes.IndexByte(key, '\\') >= 0 { // a slash may be escaped
		key = rawjson.AppendEscaped(nil, rawjson.AppendUnescaped(nil, key))
	}
	for _, c := range key {
		switch c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// endBranch ends an agent that works beside others. The end of the root is that of the run.
func (d *decoder) endBranch(dst []hub.Event, l *branch) []hub.Event {
	if l == &d.root {
		return dst
	}
	dst, ev := hub.Grow(d.endTurn(dst, l, hub.StatusTruncated))
	ev.Kind, ev.ID, ev.Status = hub.AgentEnd, l.id, hub.StatusOK
	return dst
}
