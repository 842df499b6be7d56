package agentevent

import (
	"errors"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The functions of this file are for agents and tools that are written in Go and speak the dialect themselves. Tools
// emit ToolEvents, {"type":"progress",…} and {"type":"result",…}; only AgentEvents travel on the wire.

var errNoEvent = errors.New("agentevent: want a JSON object with a type that is a string")

// AppendAgentEvent appends the AgentEvent that carries a ToolEvent: progress becomes tool_progress, result becomes
// tool_result, and all other members are copied as they are, in their order. What is an AgentEvent already is copied
// whole. On error, which tells that event is no JSON object with a type, dst is returned as it was.
func AppendAgentEvent(dst, event []byte) ([]byte, error) {
	typ, err := typeOf(event)
	if err != nil {
		return dst, err
	}
	switch typ {
	case typeProgress:
		return appendRetyped(dst, event, typeToolProgress), nil
	case typeResult:
		return appendRetyped(dst, event, typeToolResult), nil
	}
	return append(dst, event...), nil
}

func typeOf(event []byte) (string, error) {
	var json rawjson.Decoder
	if err := json.Valid(event); err != nil {
		return "", err
	}
	typ, ok := rawjson.Str(rawjson.Get(event, "type"))
	if !ok {
		return "", errNoEvent
	}
	return string(typ), nil
}

// appendRetyped copies an object, with another type.
func appendRetyped(dst, object []byte, typ string) []byte {
	sep := byte('{')
	for key, val := range rawjson.EachField(object) {
		dst = append(dst, sep)
		dst = rawjson.AppendQuoted(dst, key)
		dst = append(dst, ':')
		if string(key) == "type" {
			dst = rawjson.AppendQuoted(dst, []byte(typ))
		} else {
			dst = append(dst, val...)
		}
		sep = ','
	}
	return append(dst, '}')
}

// A SubAgent wraps an agent into a tool: it turns the AgentEvents of the one into the ToolEvents of the other. What the
// sub-agent streams becomes progress, piece by piece, and once more, joined, the result. It is for one run.
type SubAgent struct {
	Tool    string // name of the tool
	Forward bool   // thoughts and tool events of the sub-agent become progress too, whole, instead of being discarded
	Limit   int    // bytes of text that the result holds at most, escaped; 0 stands for 1 MiB

	emitted transcript
	fault   []byte // what its error said, a string body
	failed  bool
}

// AppendEvent appends the ToolEvent for one AgentEvent of the sub-agent, or nothing where there is none: its own end is
// written by AppendResult. On error, which tells that event is no JSON object with a type, dst is returned as it was.
func (s *SubAgent) AppendEvent(dst, event []byte) ([]byte, error) {
	typ, err := typeOf(event)
	if err != nil {
		return dst, err
	}
	switch typ {
	case typeStream, typeTextChunk:
		body := rawjson.Text(event, "content")
		if len(body) == 0 {
			return dst, nil
		}
		s.emitted.add(body, s.limit())
		return append(rawjson.AppendQuoted(s.appendProgress(dst), body), '}'), nil
	case typeError:
		body := rawjson.Text(event, "error")
		s.failed, s.fault = true, append(s.fault[:0], body...)
		return dst, nil
	case typeFinal, typeCancelled, typeStart, typeConnected, typeHeartbeat:
		return dst, nil
	}
	if !s.Forward {
		return dst, nil
	}
	return append(append(s.appendProgress(dst), event...), '}'), nil
}

func (s *SubAgent) limit() int {
	if s.Limit > 0 {
		return s.Limit
	}
	return maxEmitted
}

func (s *SubAgent) appendProgress(dst []byte) []byte {
	dst = s.appendHead(dst, typeProgress)
	return append(dst, `,"data":`...)
}

func (s *SubAgent) appendHead(dst []byte, typ string) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, typ...)
	dst = append(dst, `","toolName":`...)
	return rawjson.AppendString(dst, []byte(s.Tool))
}

// AppendResult appends the ToolEvent that ends the tool. Its output is all that the sub-agent streamed; if the sub-agent
// ended with an error, that error, with isError.
func (s *SubAgent) AppendResult(dst []byte) []byte {
	dst = s.appendHead(dst, typeResult)
	dst = append(dst, `,"output":`...)
	if s.failed {
		dst = rawjson.AppendQuoted(dst, s.fault)
		return append(dst, `,"isError":true}`...)
	}
	dst = rawjson.AppendQuoted(dst, s.emitted.text)
	return append(dst, '}')
}
