package evolve

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// event is every form of record that is not a JSON-RPC message: an OutputEvent, a LifecycleEvent, a bare update, the
// metadata lines of logs, and the chunks of the bridge without their envelope.
type event struct {
	SessionID rawjson.Value `json:"sessionId"`
	Update    update        `json:"update"`

	// Members that newer versions put beside the update.
	Time      rawjson.Value `json:"timestamp"` // also of a lifecycle record
	Model     rawjson.Value `json:"model"`
	MessageID rawjson.Value `json:"messageId"`
	Parent    rawjson.Value `json:"parentToolCallId"`
	Extra     rawjson.Value `json:"extra"`

	Reason  rawjson.Value `json:"reason"`
	Sandbox rawjson.Value `json:"sandbox"`

	Bare rawjson.Value `json:"sessionUpdate"`
	RPC  rawjson.Value `json:"jsonrpc"`

	Meta   rawjson.Value `json:"_meta"`
	Prompt rawjson.Value `json:"_prompt"`
	End    rawjson.Value `json:"_sessionEnd"`

	Type rawjson.Value `json:"type"`
	Data rawjson.Value `json:"data"`
	Done rawjson.Value `json:"done"`
}

// message is a JSON-RPC message: of the Python bridge, or of ACP.
type message struct {
	Method rawjson.Value `json:"method"`
	Params params        `json:"params"`
	Result rawjson.Value `json:"result"`
	Error  rawjson.Value `json:"error"`
}

type params struct {
	Type      rawjson.Value `json:"type"`
	SessionID rawjson.Value `json:"sessionId"`  // ACP
	BridgeID  rawjson.Value `json:"session_id"` // bridge
	Update    update        `json:"update"`
	Truncated rawjson.Value `json:"truncated"`

	SandboxID rawjson.Value `json:"sandbox_id"`
	Sandbox   rawjson.Value `json:"sandbox"`
	Agent     rawjson.Value `json:"agent"`
	Time      rawjson.Value `json:"timestamp"`
	Reason    rawjson.Value `json:"reason"`
	Browser   rawjson.Value `json:"browser"`

	Data rawjson.Value `json:"data"`
	Done rawjson.Value `json:"done"`
}

// update is a SessionUpdate of any kind. Rare kinds read their members from the raw record.
type update struct {
	Kind    rawjson.Value `json:"sessionUpdate"`
	Content rawjson.Value `json:"content"`

	ToolCallID rawjson.Value `json:"toolCallId"`
	Title      rawjson.Value `json:"title"`
	ToolKind   rawjson.Value `json:"kind"`
	Status     rawjson.Value `json:"status"`
	ToolName   rawjson.Value `json:"toolName"` // newer versions
	Name       rawjson.Value `json:"name"`     // ACP
	RawInput   rawjson.Value `json:"rawInput"`
	RawOutput  rawjson.Value `json:"rawOutput"`
	Locations  rawjson.Value `json:"locations"`

	Entries   rawjson.Value `json:"entries"`
	MessageID rawjson.Value `json:"messageId"` // ACP
	Message   rawjson.Value `json:"message"`
	Fatal     rawjson.Value `json:"fatal"`
	Note      rawjson.Value `json:"note"`
	Meta      rawjson.Value `json:"_meta"`
}

// empty reports whether u has none of the members that an update is made of.
func (u *update) empty() bool {
	return u.Content == nil && u.ToolCallID == nil && u.Entries == nil && u.Message == nil
}

var rpcPrefix = []byte(`{"jsonrpc"`)

// isMessage guesses from the first member, which every writer known puts first; a wrong guess costs a second pass.
func isMessage(data []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(data, " \t\r\n"), rpcPrefix)
}

// appendShifted appends an array of locations with delta added to each line. Lines that would be negative stay.
func appendShifted(dst []byte, locations rawjson.Value, delta int64) []byte {
	dst = append(dst, '[')
	for item := range rawjson.Each(locations) {
		dst = appendShiftedItem(acpwire.Comma(dst), item, delta)
	}
	return append(dst, ']')
}

func appendShiftedItem(dst []byte, item rawjson.Value, delta int64) []byte {
	if rawjson.Kind(item) != '{' {
		return append(dst, item...)
	}
	dst = append(dst, '{')
	first := true
	for key, val := range rawjson.EachField(item) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(rawjson.AppendQuoted(dst, key), ':')
		if line, ok := rawjson.Int(val); ok && string(key) == "line" && line+delta >= 0 {
			dst = strconv.AppendInt(dst, line+delta, 10)
			continue
		}
		dst = append(dst, val...)
	}
	return append(dst, '}')
}

// hasLines reports whether locations may name lines at all.
func hasLines(locations []byte) bool { return bytes.Contains(locations, []byte(`"line"`)) }

// appendIn appends body between two pieces of text.
func appendIn[T string | []byte](dst []byte, before string, body T, after string) []byte {
	dst = append(dst, before...)
	dst = append(dst, body...)
	return append(dst, after...)
}

// appendText appends a member that is a string; opening is its name up to the quote of the value.
func appendText[T string | []byte](dst []byte, opening string, body T) []byte {
	return appendIn(dst, opening, body, `"`)
}
