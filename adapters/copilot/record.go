package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// frame is a WebSocket message of Caco: an event in its envelope, or a control frame.
type frame struct {
	Type      rawjson.Value `json:"type"`
	SessionID rawjson.Value `json:"sessionId"`
	Event     event         `json:"event"`
	Data      rawjson.Value `json:"data"`
	Error     rawjson.Value `json:"error"`
}

// message is a JSON-RPC message of the Copilot CLI.
type message struct {
	Method rawjson.Value `json:"method"`
	Params params        `json:"params"`
	Result rawjson.Value `json:"result"`
	Error  rawjson.Value `json:"error"`
}

type params struct {
	SessionID rawjson.Value `json:"sessionId"`
	Event     event         `json:"event"`
}

// event is an event of any type.
type event struct {
	Type      rawjson.Value `json:"type"`
	ID        rawjson.Value `json:"id"`
	Timestamp rawjson.Value `json:"timestamp"`
	Ephemeral rawjson.Value `json:"ephemeral"`
	AgentID   rawjson.Value `json:"agentId"`
	Data      props         `json:"data"`

	RPC rawjson.Value `json:"jsonrpc"` // then it is a message
}

// props are the properties that the decoder reads often; rare ones are looked up by name.
type props struct {
	MessageID   rawjson.Value `json:"messageId"`
	Delta       rawjson.Value `json:"deltaContent"`
	ReasoningID rawjson.Value `json:"reasoningId"`
	ParentTool  rawjson.Value `json:"parentToolCallId"`
	Content     rawjson.Value `json:"content"`
	TurnID      rawjson.Value `json:"turnId"`
	Intent      rawjson.Value `json:"intent"`

	ToolCallID   rawjson.Value `json:"toolCallId"`
	ToolName     rawjson.Value `json:"toolName"`
	Name         rawjson.Value `json:"name"`
	Arguments    rawjson.Value `json:"arguments"`
	InputDelta   rawjson.Value `json:"inputDelta"`
	ToolRequests rawjson.Value `json:"toolRequests"`
	Progress     rawjson.Value `json:"progressMessage"`
	Status       rawjson.Value `json:"status"`
	Partial      rawjson.Value `json:"partialOutput"`
	Success      rawjson.Value `json:"success"`
	Result       rawjson.Value `json:"result"`
	Error        rawjson.Value `json:"error"`

	AgentName   rawjson.Value `json:"agentName"`
	AgentTitle  rawjson.Value `json:"agentDisplayName"`
	ParentAgent rawjson.Value `json:"parentId"`
	RequestID   rawjson.Value `json:"requestId"`
	SessionID   rawjson.Value `json:"sessionId"`
	Message     rawjson.Value `json:"message"`
	Model       rawjson.Value `json:"model"`
}

// isPoor reports whether a delta lacks what every delta has, so that it has to be looked at closer.
func (p *props) isPoor() bool {
	return p.Delta == nil && p.InputDelta == nil || p.MessageID == nil && p.ReasoningID == nil && p.ToolCallID == nil
}

// form is the envelope of a record.
type form uint8

const (
	formBare  form = iota // an event, or a control frame
	formFrame             // an event in a WebSocket message
	formRPC               // a JSON-RPC message
)

// guessForm guesses from the first member, which every known writer puts first; a wrong guess costs a second pass.
func guessForm(data []byte) form {
	data = bytes.TrimLeft(data, " \t\r\n")
	switch {
	case bytes.HasPrefix(data, []byte(`{"jsonrpc"`)):
		return formRPC
	case bytes.HasPrefix(data, []byte(`{"type":"event"`)), bytes.HasPrefix(data, []byte(`{"type":"globalEvent"`)):
		return formFrame
	}
	return formBare
}

var (
	pathFrame = []string{"event"}
	pathRPC   = []string{"params", "event"}
)

// unwrap returns the event in a record whose text is valid, nil if it holds none, and its envelope.
func unwrap(record rawjson.Value) (ev rawjson.Value, in form) {
	if rawjson.Get(record, "jsonrpc") != nil {
		if method := rawjson.Text(record, "method"); string(method) != methodEvent {
			return nil, formRPC
		}
		return rawjson.Get(record, pathRPC...), formRPC
	}
	typ := rawjson.Text(record, "type")
	switch {
	case isEventType(typ):
		return record, formBare
	case string(typ) == frameEvent || string(typ) == frameGlobal:
		return rawjson.Get(record, pathFrame...), formFrame
	}
	return nil, formFrame
}

// Methods of the CLI's JSON-RPC, and types of Caco's frames.
const (
	methodEvent     = "session.event"
	methodLifecycle = "session.lifecycle"

	frameEvent       = "event"
	frameGlobal      = "globalEvent"
	frameHistoryDone = "historyComplete"
	frameState       = "state"
	frameStateUpdate = "stateUpdate"
	frameError       = "error"
)
