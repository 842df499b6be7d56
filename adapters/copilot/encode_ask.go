package copilot

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// openAsk is a question that was written in a form of our choice, and not answered yet.
type openAsk struct {
	typ     string // of the event that answers it
	options []hub.AskOption
}

// ask writes a question in the form that it came in, or in that of its kind.
func (e *encoder) ask(out *wire.Out, ev *hub.Event) hub.Disposition {
	typ := string(rawjson.Text(meta(ev), metaType))
	hasSchema := rawjson.Kind(ev.Rare().Schema) == '{'
	switch {
	case isAsk(typ) && rawjson.Kind(ev.Value) == '{':
		e.remember(ev, completed(typ))
		return e.end(out, e.appendMeta(appendText(e.beginAs(out, typ, ev), `"requestId":"`, ev.ID), withoutID(ev.Value)), hub.Native)
	case ev.AskKind == hub.AskPermission:
		return e.permission(out, ev)
	case hasSchema:
		e.remember(ev, "elicitation.completed")
		buf := e.appendAsk(e.beginAs(out, "elicitation.requested", ev), ev, `"message":"`)
		out.Buf = appendValue(append(buf, `"mode":"form",`...), `"requestedSchema":`, ev.More.Schema)
		return e.end(out, out.Buf, asked(ev, hub.AskInput))
	}
	return e.userInput(out, ev)
}

// withoutID is a payload without the id of the question, which is the event's.
func withoutID(payload rawjson.Value) rawjson.Value {
	return closeObject(appendMembers([]byte{'{'}, payload, "requestId"))
}

// completed is the type of the event that answers a question.
func completed(typ string) string {
	if typ == "mcp.oauth_required" {
		return "mcp.oauth_completed"
	}
	return strings.TrimSuffix(typ, "requested") + "completed"
}

// isAsk reports whether a type is that of a question.
func isAsk(typ string) bool {
	return askTypes[typ].what != hub.AskNone || typ == "permission.requested"
}

// remember keeps what is needed to write the answer.
func (e *encoder) remember(ev *hub.Event, typ string) {
	a := e.asks.Add(ev.Slot)
	*a = openAsk{typ: typ}
	for _, o := range ev.Rare().Options {
		own := hub.AskOption{ID: bytes.Clone(o.ID), Name: bytes.Clone(o.Name), Kind: bytes.Clone(o.Kind)}
		a.options = append(a.options, own)
	}
}

// option returns the option with that id; an unknown one is what it says.
func (a *openAsk) option(id []byte) hub.AskOption {
	for _, o := range a.options {
		if bytes.Equal(o.ID, id) {
			return o
		}
	}
	return hub.AskOption{ID: id, Name: id}
}

// asked is the disposition of a question that is written as one of another kind, or as its own.
func asked(ev *hub.Event, as hub.AskKind) hub.Disposition {
	return hub.FoldedIf(ev.AskKind != as)
}

// appendAsk appends what all questions have. head is the name of the member with the question.
func (e *encoder) appendAsk(dst []byte, ev *hub.Event, head string) []byte {
	dst = appendText(dst, `"requestId":"`, ev.ID)
	dst = appendText(dst, head, ev.Title)
	return appendSome(dst, `"toolCallId":"`, ev.Ref)
}

// userInput writes a question with choices, or one that is answered in words.
func (e *encoder) userInput(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.remember(ev, "user_input.completed")
	buf := e.appendAsk(e.beginAs(out, "user_input.requested", ev), ev, `"question":"`)
	if len(ev.Rare().Options) == 0 {
		return e.end(out, append(buf, `"allowFreeform":true,`...), asked(ev, hub.AskInput))
	}
	buf = append(buf, `"choices":[`...)
	for _, o := range ev.More.Options {
		buf = append(rawjson.AppendQuoted(buf, rawjson.First(o.Name, o.ID)), ',')
	}
	buf[len(buf)-1] = ']'
	return e.end(out, append(buf, `,"allowFreeform":false,`...), asked(ev, hub.AskQuestion))
}

// permission writes a request to allow something as that of a tool of the application, the most general there is.
func (e *encoder) permission(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.remember(ev, "permission.completed")
	buf := appendText(e.beginAs(out, "permission.requested", ev), `"requestId":"`, ev.ID)
	buf = append(buf, `"permissionRequest":{"kind":"custom-tool",`...)
	buf = appendText(buf, `"intention":"`, ev.Title)
	buf = appendText(buf, `"toolName":"`, rawjson.First(ev.Ref, ev.Title))
	buf = appendText(buf, `"toolDescription":"`, ev.Title)
	buf = appendSome(buf, `"toolCallId":"`, ev.Ref)
	if offersAlways(ev.Rare().Options) {
		buf = append(buf, `"`+propOfferAlways+`":true,`...)
	}
	out.Buf = append(closeObject(appendValue(buf, `"args":`, ev.Value)), ',')
	return e.end(out, out.Buf, hub.FoldedIf(len(ev.Title) == 0))
}

// offersAlways reports whether one of the options is to allow the same from now on.
func offersAlways(options []hub.AskOption) bool {
	return slices.ContainsFunc(options, func(o hub.AskOption) bool { return string(o.Kind) == "allow_always" })
}

var answerTypes = map[string]bool{
	"permission.completed": true, "user_input.completed": true, "elicitation.completed": true, "mcp.oauth_completed": true,
	"exit_plan_mode.completed": true, "auto_mode_switch.completed": true, "session_limits_exhausted.completed": true,
}

// answer writes what came back, in the form that it came in or that of its question.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	a := e.asks.Find(ev.Slot)
	e.asks.Drop(ev.Slot)
	kept := meta(ev)
	typ := string(rawjson.Text(kept, metaType))
	switch {
	case answerTypes[typ]:
		return e.end(out, appendMembers(appendText(e.beginAs(out, typ, ev), `"requestId":"`, ev.ID), kept, metaType), hub.Native)
	case a == nil: // its question was not written
		a = &openAsk{typ: "user_input.completed"}
	}
	out.Buf = appendText(e.beginAs(out, a.typ, ev), `"requestId":"`, ev.ID)
	switch a.typ {
	case "permission.completed":
		return e.decided(out, ev, a)
	case "elicitation.completed":
		return e.filledIn(out, ev)
	case "user_input.completed":
		return e.replied(out, ev, a)
	}
	return e.end(out, out.Buf, hub.Folded) // the others are answered with what only their own clients know
}

// decided writes the decision on a permission in the words of the SDK; which option was chosen says its kind.
func (e *encoder) decided(out *wire.Out, ev *hub.Event, a *openAsk) hub.Disposition {
	kind := kindCancelled
	if ev.Status == hub.StatusChosen {
		switch o := a.option(ev.Name); string(o.Kind) {
		case "allow_always":
			kind = kindForSession
		case "reject_once", "reject_always":
			kind = kindDeniedUser
		default:
			kind = kindApproved
		}
	}
	out.Buf = append(closeObject(appendText(append(out.Buf, `"result":{`...), `"kind":"`, []byte(kind))), ',')
	return e.end(out, out.Buf, hub.FoldedIf(string(ev.Name) != kind || ev.Status != hub.StatusChosen))
}

// filledIn writes the content of a form. MCP has three words for what a person does with one.
func (e *encoder) filledIn(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Status != hub.StatusChosen {
		return e.end(out, append(out.Buf, `"action":"cancel",`...), hub.Folded)
	}
	out.Buf = append(out.Buf, `"action":"accept",`...)
	if rawjson.Kind(ev.Value) == '{' {
		out.Buf = appendValue(out.Buf, `"content":`, ev.Value)
	}
	return e.end(out, out.Buf, hub.Folded)
}

// replied writes the answer to a question in words or with choices. Clients know choices by their names, not by ids.
func (e *encoder) replied(out *wire.Out, ev *hub.Event, a *openAsk) hub.Disposition {
	disposition, buf := hub.Native, out.Buf
	body, isText := rawjson.Str(ev.Value)
	switch {
	case ev.Status == hub.StatusCancelled && len(ev.Name) == 0 && ev.Value == nil:
	case ev.Status != hub.StatusChosen:
		disposition = hub.Folded
	case len(ev.Name) > 0:
		choice := rawjson.First(a.option(ev.Name).Name, ev.Name)
		buf = append(appendText(buf, `"answer":"`, choice), `"wasFreeform":false,`...)
		if !bytes.Equal(choice, ev.Name) || isCancel(choice) {
			disposition = hub.Folded
		}
	case isText:
		buf = append(appendText(buf, `"answer":"`, body), `"wasFreeform":true,`...)
	default:
		buf = rawjson.AppendEscaped(append(buf, `"answer":"`...), ev.Value)
		buf = append(buf, `","wasFreeform":true,`...)
	}
	return e.end(out, buf, disposition)
}
