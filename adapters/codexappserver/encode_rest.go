package codexappserver

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/acpwire"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
	"github.com/sabir-proxy/sabir/adapters/internal/codexwire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// plan writes all steps of a plan.
func (e *encoder) plan(out *wire.Out, ev *hub.Event) hub.Disposition {
	items := ev.Rare().Items
	e.begin(out, "turn/plan/updated", ev.SubAgent)
	b, disposition := append(member.AppendText(out.Buf, `,"explanation":"`, ev.Title), `,"plan":[`...), hub.Native
	for i := range items {
		it := &items[i]
		status := string(it.Status)
		switch status {
		case "pending", "completed":
		case "in_progress":
			status = "inProgress"
		default:
			status, disposition = "pending", hub.Folded
		}
		b = rawjson.AppendQuoted(append(acpwire.Comma(b), `{"step":`...), it.Content)
		b = append(append(append(b, `,"status":"`...), status...), `"}`...)
	}
	e.end(out, append(b, ']'))
	return disposition
}

// notice writes a warning. Errors that the run gets over are warnings, too; what is less is not written.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Level != hub.LevelWarning && ev.Level != hub.LevelError || len(ev.Text) == 0 {
		return hub.Dropped
	}
	e.end(out, rawjson.AppendQuoted(append(e.begin(out, "warning", ev.SubAgent), `,"message":`...), ev.Text))
	if ev.Level == hub.LevelError || len(ev.Title) > 0 {
		return hub.Folded
	}
	return hub.Native
}

// data writes the change of all files, the only data that has a notification of its own.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	if string(ev.Name) != turnDiff || rawjson.Kind(ev.Value) != '"' {
		return hub.Dropped
	}
	e.end(out, append(append(e.begin(out, turnDiff, ev.SubAgent), `,"diff":`...), ev.Value...))
	return hub.Native
}

// ask chooses between the requests: the approval of a command or of a change, a page to visit, or a question.
func (e *encoder) ask(out *wire.Out, ev *hub.Event) hub.Disposition {
	c := e.calls.Find(ev.RefSlot)
	switch {
	case ev.AskKind == hub.AskPermission && c != nil && (c.typ == "commandExecution" || c.typ == "fileChange"):
		return e.approval(out, ev, c)
	case ev.AskKind == hub.AskAuth && rawjson.Kind(rawjson.Get(ev.Value, "url")) == '"':
		return e.visit(out, ev)
	}
	return e.question(out, ev)
}

// approval asks whether a command may run, or files may be changed. The answers are those of the protocol.
func (e *encoder) approval(out *wire.Out, ev *hub.Event, c *toolCall) hub.Disposition {
	b := member.AppendText(e.beginRequest(out, "item/"+c.typ+"/requestApproval", ev.ID, ev.SubAgent), `,"itemId":"`, ev.Ref)
	b = member.AppendText(e.appendTime(b, `,"startedAtMs":`), `,"reason":"`, ev.Title)
	if c.typ == "commandExecution" {
		b = append(append(b, `,"command":`...), rawjson.Get(c.args, "command")...)
	}
	e.end(out, b)
	return hub.Native
}

// visit asks the user to visit a page.
func (e *encoder) visit(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.beginRequest(out, "mcpServer/elicitation/request", ev.ID, ev.SubAgent)
	b := append(append(out.Buf, `,"serverName":"`+defaultServer+`","mode":"url","elicitationId":"`...), ev.ID...)
	b = append(append(b, `","url":`...), rawjson.Get(ev.Value, "url")...)
	e.end(out, rawjson.AppendQuoted(append(b, `,"message":`...), title(ev)))
	return hub.Native
}

// title is what is asked; clients show it.
func title(ev *hub.Event) []byte {
	return codexwire.OrElse(ev.Title, []byte("The agent has a question."))
}

// question asks by words, with answers to choose from if there are any. A permission has two at least.
func (e *encoder) question(out *wire.Out, ev *hub.Event) hub.Disposition {
	more := *ev.Rare()
	if ev.AskKind == hub.AskPermission && len(more.Options) == 0 {
		more.Options = approval.AppendOptions(nil)
	}
	e.beginRequest(out, "item/tool/requestUserInput", ev.ID, ev.SubAgent)
	b := rawjson.AppendQuoted(append(out.Buf, `,"isBlocking":true,"itemId":`...), codexwire.OrElse(ev.Ref, ev.ID))
	b = rawjson.AppendQuoted(append(b, `,"questions":[{"id":"answer","header":"","question":`...), title(ev))
	e.end(out, append(appendChoices(b, more.Options), "}]"...))
	if choice := len(more.Options) > 0; more.Schema == nil && (ev.AskKind == hub.AskQuestion && choice || ev.AskKind == hub.AskInput && !choice) {
		return hub.Native
	}
	return hub.Folded
}

func appendChoices(dst []byte, options []hub.AskOption) []byte {
	if len(options) == 0 {
		return dst
	}
	dst = append(dst, `,"options":[`...)
	for i := range options {
		o := &options[i]
		dst = rawjson.AppendQuoted(append(acpwire.Comma(dst), `{"description":"","label":`...), codexwire.OrElse(o.Name, o.ID))
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// answer takes a question back. What the answer was is not said: it came from the client, or there is none.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.end(out, jsonrpc.AppendID(append(e.begin(out, "serverRequest/resolved", ev.SubAgent), `,"requestId":`...), ev.ID))
	return hub.Folded
}
