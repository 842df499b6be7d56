package simplified

import (
	"bytes"
	"errors"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

const agentElement = "SubagentExecution"

var errTooLong = errors.New("simplified: the message is longer than the limit; raise Accumulator.Limit")

// An Accumulator gathers the text of a message from its frames: what clients hold and what the server stores. Tool calls
// and sub-agents are elements in it, whose tags tell how they ended; todo lists, sources, statistics and progress leave
// no trace. The zero value is ready.
type Accumulator struct {
	Limit      int  // bytes of text; 0 stands for 4 MiB
	ExtraLimit int  // see [ToolCallUpdate]; a negative number for version 2
	AgentText  bool // keep what sub-agents say in an attribute responseText, as browsers do and the server does not

	json    rawjson.Decoder
	frame   frame
	nested  frame
	content []byte
}

// Content returns the text so far. It is valid until the next call.
func (a *Accumulator) Content() []byte { return a.content }

// Reset begins another message.
func (a *Accumulator) Reset() { a.content = a.content[:0] }

// Add takes the next frame. After an error, which tells that the frame is no JSON object or would exceed the limit, the
// text is what it was before.
func (a *Accumulator) Add(data []byte) error {
	a.frame = frame{}
	if err := a.json.Decode(data, &a.frame); err != nil {
		return hub.JSONError(err)
	}
	f := &a.frame
	typ := rawjson.Body(f.Type)
	switch string(typ) {
	case typeResponse:
		return a.keep(append(a.content, text(f.Data)...))
	case typeToolStarted:
		return a.startTool(f, nil)
	case typeToolSuccess, typeToolError:
		return a.keep(a.endTool(f))
	case typeAgentStarted:
		return a.keep(appendAgent(a.content, f))
	case typeAgentData:
		return a.agentData(f)
	case typeAgentDone, typeAgentError:
		return a.endAgent(f, string(typ))
	case typeError:
		a.Cancel()
	}
	return nil
}

// Cancel marks all that still runs as failed: nothing will come of it any more. An error frame does the same.
func (a *Accumulator) Cancel() {
	for from := 0; ; {
		start, end := nextTag(a.content, toolElement, from)
		if start < 0 {
			return
		}
		tag := parseAttrs(a.content[start:end], toolElement)
		from = end
		if string(tag.get(attrStatus)) != statusRunning {
			continue
		}
		changed := tag.update(&ToolCallUpdate{Status: statusError}).appendTag(nil)
		a.content = splice(a.content, start, end, changed)
		from = start + len(changed)
	}
}

// keep makes content the text if it is not too long.
func (a *Accumulator) keep(content []byte) error {
	limit := a.Limit
	if limit == 0 {
		limit = 4 << 20
	}
	if len(content) > limit {
		return errTooLong
	}
	a.content = content
	return nil
}

// text is the plain text of a string.
func text(v rawjson.Value) string {
	return string(rawjson.AppendUnescaped(nil, rawjson.Body(v)))
}

// startTool appends the element of a call, or puts it at the end of the element of a sub-agent. A call that is there
// already is not shown twice: replays repeat frames.
func (a *Accumulator) startTool(f *frame, agent []byte) error {
	id := text(rawjson.Get(f.Data, attrID))
	if start, _, _ := findToolCall(a.content, id); start >= 0 {
		return nil
	}
	element := text(rawjson.Get(f.Data, "content"))
	if agent == nil {
		return a.keep(append(a.content, element...))
	}
	_, end, _ := findAgent(a.content, agent)
	if end < 0 {
		return nil
	}
	closing := bytes.Index(a.content[end:], []byte("</"+agentElement+">"))
	if closing < 0 {
		return nil
	}
	return a.keep(splice(a.content, end+closing, end+closing, []byte(element+"\n")))
}

// endTool changes the tag of a call.
func (a *Accumulator) endTool(f *frame) []byte {
	u := ToolCallUpdate{
		Status:     text(rawjson.Get(f.Data, attrStatus)),
		Error:      text(rawjson.Get(f.Data, attrError)),
		Extra:      attrsOf(rawjson.Get(f.Data, "extra")),
		ExtraLimit: a.ExtraLimit,
	}
	return UpdateToolCallMarkup(a.content, text(rawjson.Get(f.Data, attrID)), u)
}

// agentData shows the calls of a sub-agent in its element, and its text if wanted.
func (a *Accumulator) agentData(f *frame) error {
	agent := []byte(text(f.SubagentID))
	a.nested = frame{}
	if err := a.json.Decode(f.Data, &a.nested); err != nil {
		return hub.JSONError(err)
	}
	typ := rawjson.Body(a.nested.Type)
	switch string(typ) {
	case typeToolStarted:
		return a.startTool(&a.nested, agent)
	case typeToolSuccess, typeToolError:
		return a.keep(a.endTool(&a.nested))
	case typeResponse:
		if a.AgentText {
			return a.agentText(agent, text(a.nested.Data))
		}
	}
	return nil
}

// appendAgent appends the element of a sub-agent.
func appendAgent(dst []byte, f *frame) []byte {
	dst = append(dst, "<"+agentElement...)
	dst = appendAttr(dst, "id", text(f.ExecutionID))
	dst = appendAttr(dst, "name", text(f.Name))
	dst = appendAttr(dst, "task", text(f.Task))
	dst = appendAttr(dst, attrStatus, statusRunning)
	return append(dst, "></"+agentElement+">\n"...)
}

// endAgent changes the tag of a sub-agent; what is inside stays.
func (a *Accumulator) endAgent(f *frame, typ string) error {
	start, end, tag := findAgent(a.content, []byte(text(f.ID)))
	if start < 0 {
		return nil
	}
	if typ == typeAgentDone {
		tag = setText(tag, attrStatus, statusSuccess)
		tag = setText(tag, "summary", text(f.Summary))
	} else {
		tag = setText(tag, attrStatus, statusError)
		tag = setText(tag, attrError, text(f.Error))
	}
	return a.keep(splice(a.content, start, end, appendAgentTag(nil, tag)))
}

// agentText adds to what a sub-agent has said.
func (a *Accumulator) agentText(agent []byte, more string) error {
	start, end, tag := findAgent(a.content, agent)
	if start < 0 {
		return nil
	}
	const responseText = "responseText"
	emitted := string(appendPlain(nil, tag.get(responseText))) + more
	return a.keep(splice(a.content, start, end, appendAgentTag(nil, setText(tag, responseText, emitted))))
}

// setText sets an attribute to a plain value, unless that is empty.
func setText(tag attrs, name, plain string) attrs {
	if plain == "" {
		return tag
	}
	return tag.set([]byte(name), appendEntities(nil, plain, false))
}

// appendAgentTag appends a start tag with the attributes in their order.
func appendAgentTag(dst []byte, tag attrs) []byte {
	dst = append(dst, "<"+agentElement...)
	for i := range tag {
		dst = tag[i].append(dst)
	}
	return append(dst, '>')
}

// findAgent returns where the start tag of a sub-agent is, -1 if nowhere.
func findAgent(content, id []byte) (start, end int, tag attrs) {
	return findTag(content, agentElement, func(tag attrs) bool { return bytes.Equal(appendPlain(nil, tag.get("id")), id) })
}

// splice returns a copy of content with what is between start and end replaced.
func splice(content []byte, start, end int, with []byte) []byte {
	out := make([]byte, 0, len(content)-(end-start)+len(with))
	out = append(append(out, content[:start]...), with...)
	return append(out, content[end:]...)
}
