package acp

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Questions are requests to the client. Their ids are strings, those of the questions: the agent's ids and the client's
// are two spaces, and the id alone identifies an answer.

// ask chooses between the two requests: every client has permissions, not every one has forms.
func (e *encoder) ask(out *wire.Out, ev *hub.Event) hub.Disposition {
	more := ev.Rare()
	if ev.AskKind == hub.AskPermission || ev.AskKind == hub.AskNone || e.opt.askByChoice && len(more.Options) > 0 {
		return e.permission(out, ev, more.Options)
	}
	return e.elicitation(out, ev, more)
}

// beginRequest starts a request of our own, up to the session that it is asked in.
func (e *encoder) beginRequest(out *wire.Out, ev *hub.Event, method string) []byte {
	buf := member.AppendText(e.beginRecord(out), `{"jsonrpc":"2.0","id":"`, ev.ID)
	buf = member.AppendText(buf, `,"method":"`, []byte(method))
	buf = append(append(buf, `,"params":{"sessionId":"`...), e.session...)
	out.Buf = append(buf, '"')
	return out.Buf
}

// permission asks by a choice of options. Version 1 wants a call that the choice is about; without one, the question is
// written as if it were a call.
func (e *encoder) permission(out *wire.Out, ev *hub.Event, options []hub.AskOption) hub.Disposition {
	e.beginRequest(out, ev, "session/request_permission")
	disposition := hub.Native
	buf := out.Buf
	switch {
	case e.opt.drafts:
		buf = member.AppendText(buf, `,"title":"`, rawjson.Or(ev.Title, "The agent asks for your permission."))
		if len(ev.Ref) > 0 {
			buf = member.AppendText(buf, `,"subject":{"type":"tool_call","toolCall":{"toolCallId":"`, ev.Ref)
			buf = append(buf, "}}"...)
		}
	case len(ev.Ref) > 0:
		buf = member.AppendText(buf, `,"toolCall":{"toolCallId":"`, ev.Ref)
		buf = append(member.AppendText(buf, `,"title":"`, ev.Title), '}')
	default:
		disposition = hub.Folded
		buf = append(append(buf, `,"toolCall":{"toolCallId":"ask-`...), ev.ID...)
		buf = append(member.AppendText(append(buf, '"'), `,"title":"`, rawjson.Or(ev.Title, "The agent asks for your permission.")), '}')
	}
	if ev.AskKind != hub.AskPermission || len(options) == 0 || e.opt.drafts && len(ev.Title) == 0 {
		disposition = hub.Folded
	}
	e.endRecord(out, append(appendOptions(append(buf, `,"options":[`...), options, ev.AskKind), "]}}"...))
	return disposition
}

// appendOptions appends the choices. An option of a kind that clients do not know fails the whole request.
func appendOptions(dst []byte, options []hub.AskOption, what hub.AskKind) []byte {
	if len(options) == 0 {
		return append(dst, `{"optionId":"allow","name":"Allow","kind":"allow_once"},`+
			`{"optionId":"reject","name":"Reject","kind":"reject_once"}`...)
	}
	for i := range options {
		o := &options[i]
		id, label := rawjson.First(o.ID, o.Name), rawjson.First(o.Name, o.ID)
		dst = append(append(acpwire.Comma(dst), `{"optionId":"`...), id...)
		dst = append(append(append(dst, `","name":"`...), label...), `","kind":"`...)
		dst = append(append(dst, optionKind(o, what)...), `"}`...)
	}
	return dst
}

// optionKind is the kind of an option: its own, else what its words suggest. The answers to a question refuse nothing.
func optionKind(o *hub.AskOption, what hub.AskKind) string {
	switch string(o.Kind) {
	case "allow_once", "allow_always", "reject_once", "reject_always":
		return string(o.Kind)
	}
	if what != hub.AskPermission {
		return "allow_once"
	}
	for _, text := range [...][]byte{o.Kind, o.ID, o.Name} {
		lower := bytes.ToLower(text)
		for _, word := range [...]string{"reject", "deny", "denied", "decline", "refuse", "disapprove", "cancel", "abort"} {
			if bytes.Contains(lower, []byte(word)) {
				return "reject_once"
			}
		}
		if string(lower) == "no" {
			return "reject_once"
		}
	}
	return "allow_once"
}

// elicitation asks by a form, or sends the user to a page.
func (e *encoder) elicitation(out *wire.Out, ev *hub.Event, more *hub.More) hub.Disposition {
	buf := member.AppendText(e.beginRequest(out, ev, "elicitation/create"), `,"toolCallId":"`, ev.Ref)
	buf = member.AppendText(buf, `,"message":"`, rawjson.Or(ev.Title, "The agent has a question."))
	disposition := hub.Native
	if url := rawjson.Text(ev.Value, "url"); ev.AskKind == hub.AskAuth && len(url) > 0 {
		id := rawjson.First(rawjson.Text(ev.Value, "elicitationId"), ev.ID)
		buf = member.AppendText(buf, `,"mode":"url","elicitationId":"`, id)
		buf = member.AppendText(buf, `,"url":"`, url)
	} else {
		buf, disposition = e.appendForm(append(buf, `,"mode":"form","requestedSchema":`...), ev, more)
	}
	if len(ev.Title) == 0 {
		disposition = hub.Folded
	}
	e.endRecord(out, append(buf, "}}"...))
	return disposition
}

// appendForm appends the schema of a form: the source's own if clients can show it, else a choice, else a line of text.
func (e *encoder) appendForm(dst []byte, ev *hub.Event, more *hub.More) ([]byte, hub.Disposition) {
	switch {
	case flatSchema(more.Schema):
		asked := hub.Event{AskKind: hub.AskInput, More: &hub.More{}}
		readChoices(&asked, more.Schema)
		return append(dst, more.Schema...), hub.FoldedIf(asked.AskKind != ev.AskKind)
	case len(more.Options) > 0:
		dst = append(dst, `{"type":"object","properties":{"answer":{"type":"string","oneOf":[`...)
		for i := range more.Options {
			o := &more.Options[i]
			dst = append(append(acpwire.Comma(dst), `{"const":"`...), rawjson.Or(o.ID, string(o.Name))...)
			dst = append(append(append(dst, `","title":"`...), rawjson.Or(o.Name, string(o.ID))...), `"}`...)
		}
		return append(dst, `]}},"required":["answer"]}`...), hub.FoldedIf(ev.AskKind != hub.AskQuestion)
	}
	dst = append(dst, `{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`...)
	return dst, hub.FoldedIf(ev.AskKind != hub.AskInput)
}

// flatSchema reports whether a schema is of the kind that clients can make a form of: an object of plain values.
func flatSchema(schema rawjson.Value) bool {
	if string(rawjson.Text(schema, "type")) != "object" {
		return false
	}
	properties := rawjson.Get(schema, "properties")
	if rawjson.Kind(properties) != '{' || rawjson.IsEmptyObject(properties) {
		return false
	}
	for _, val := range rawjson.EachField(properties) {
		switch string(rawjson.Text(val, "type")) {
		case "string", "number", "integer", "boolean":
		default:
			return false
		}
	}
	return true
}

// answer withdraws a question that needs no answer any more. The answer itself came from the client.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Status == hub.StatusChosen {
		return hub.Implied
	}
	out.Buf = member.AppendText(e.beginRecord(out), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"`, ev.ID)
	e.endRecord(out, append(out.Buf, "}}"...))
	return hub.Folded
}
