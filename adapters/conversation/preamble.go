package conversation

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// Preamble tells a conversation as one text, a string body, for agents that keep conversations and cannot be given one. nil: there is
// nothing to tell. Instructions are left out: they are no part of what was said.
func Preamble(ms []hub.Message) []byte {
	text := []byte(`This conversation began in another session. What was said there:\n\n<conversation>\n`)
	empty := len(text)
	for i := range ms {
		for j := range ms[i].Parts {
			text = appendPart(text, ms[i].Role, &ms[i].Parts[j])
		}
	}
	if len(text) == empty {
		return nil
	}
	return append(text, `</conversation>\n\nGo on from there. The user says:\n\n`...)
}

// appendPart appends one part.
func appendPart(dst []byte, role hub.Role, p *hub.Part) []byte {
	switch {
	case p.Kind == hub.PartCall:
		return appendCall(dst, p)
	case role != hub.RoleUser && role != hub.RoleAgent:
		return dst
	case (p.Kind == hub.PartText || p.Kind == hub.PartRefusal) && !Blank(p.Text):
		return append(append(append(dst, speakers[role]...), p.Text...), `\n\n`...)
	case p.Kind == hub.PartFile:
		name := rawjson.First(p.File.Name, p.File.Media)
		return append(append(append(append(dst, speakers[role]...), `[file `...), name...), `]\n\n`...)
	}
	return dst
}

var speakers = map[hub.Role]string{hub.RoleUser: "User: ", hub.RoleAgent: "Assistant: "}

// appendCall appends a call and its result.
func appendCall(dst []byte, p *hub.Part) []byte {
	dst = append(append(dst, `Tool call: `...), p.Name...)
	if len(p.Value) > 0 || len(p.Text) > 0 {
		dst = append(append(dst, ' '), Arguments(p)...)
	}
	if p.Result != nil {
		ev := p.Result.Event()
		dst = toolresult.AppendText(append(dst, `\nResult: `...), &ev)
	}
	return append(dst, `\n\n`...)
}
