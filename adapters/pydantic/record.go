package pydantic

import (
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Event types of the entries of tool_calls.
const (
	typeCall             = "call"
	typeResult           = "result"
	typeDelegationCall   = "delegation_call"
	typeDelegationResult = "delegation_result"
	typeRequestDelta     = "tool_call_request_delta" // the model writes the arguments of a call
	typeError            = "error"                   // a result that is a failure; only clients know it
)

// delegatePrefix begins the names of tools that run a sub-agent; agentSuffix may end them.
const (
	delegatePrefix = "delegate_to_"
	agentSuffix    = "_agent"
)

// Texts by which servers mark the text of a sub-agent in message, each in a chunk of its own, with white space around.
const (
	startMarker = "---\n🤖 **Subagent Starting...**"
	endMarker   = "---\n✅ **Subagent Complete**"
)

// noThought is what becomes of a null on its way through the server's queue.
const noThought = "None"

// Names in the metadata of events: what an entry has, and the model has no member for, stands below the dialect's name.
const (
	metaName     = name
	metaResponse = "tool_response"
	metaDetails  = "tool_call_details"
)

// chunk is the one record there is.
type chunk struct {
	Message   rawjson.Value `json:"message"`
	Response  rawjson.Value `json:"response"`
	Thinking  rawjson.Value `json:"thinking"`
	ToolCalls rawjson.Value `json:"tool_calls"`
	Citations rawjson.Value `json:"citations"`

	// Not of a chunk, but of records of other dialects that have a message, too.
	Type  rawjson.Value `json:"type"`
	Code  rawjson.Value `json:"code"`
	Error rawjson.Value `json:"error"`
}

// isForeign reports whether nothing in the chunk is known, or it is a record of another dialect.
func (c *chunk) isForeign() bool {
	if c.Type != nil || c.Code != nil || c.Error != nil {
		return true
	}
	return c.Message == nil && c.Response == nil && c.Thinking == nil && c.ToolCalls == nil && c.Citations == nil
}

// entry is an element of tool_calls.
type entry struct {
	CallID       rawjson.Value `json:"call_id"`
	EventType    rawjson.Value `json:"event_type"`
	ToolName     rawjson.Value `json:"tool_name"`
	ToolResponse rawjson.Value `json:"tool_response"`
	Details      rawjson.Value `json:"tool_call_details"`
	StreamPart   rawjson.Value `json:"stream_part"`
	IsComplete   rawjson.Value `json:"is_complete"`
	IsTruncated  rawjson.Value `json:"is_truncated"`
}

// isKnown reports whether an entry's member has a place of its own in the events, or says nothing. is_truncated is a flag of
// theirs, but is kept with original_length, which tells how much is missing.
func isKnown(member []byte, v rawjson.Value) bool {
	switch string(member) {
	case "call_id", "event_type", "tool_name", metaResponse, metaDetails, "stream_part", "is_complete":
		return true
	case "is_truncated":
		return rawjson.Kind(v) == 'f'
	case "original_length":
		return rawjson.IsNull(v)
	}
	return false
}
