package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// Kinds of questions. Permissions and calls of the client's tools are asked by events, and answered by calls of ours; what the user is
// asked comes as an event and as a call, of which the event has the name.
const (
	askPermission = "permission"
	askTool       = "tool"
	userInput     = "userInput.request"
)

// asked takes an event, which may ask something, or say that something is not asked any more.
func (d *driver) asked(dst []byte, typ string, data rawjson.Value) []byte {
	id := rawjson.Text(data, "requestId")
	q := questions.Question{ID: id, Ask: id, Call: rawjson.Text(data, "toolCallId"), Value: data}
	switch typ {
	case "permission.requested":
		if rawjson.IsTrue(rawjson.Get(data, "resolvedByHook")) {
			return dst
		}
		q.Kind, q.Call = askPermission, rawjson.Text(data, "permissionRequest", "toolCallId")
	case typeExternalTool:
		q.Kind = askTool
	case "user_input.requested":
		d.wanted = bytes.Clone(id)
		return dst
	case "permission.completed", "external_tool.completed", "user_input.completed":
		d.Open.Close(id)
		return dst
	default:
		return dst
	}
	if !d.Asks(q) {
		return d.refuse(dst, &q)
	}
	return dst
}

// called takes a call of the agent's. Only a question to the user waits.
func (d *driver) called(dst []byte, m *jsonrpc.Message) []byte {
	if string(m.Name()) != userInput {
		return d.rpc.Refuse(dst, m.ID, jsonrpc.CodeUnknown, "Method not found")
	}
	q := questions.Question{ID: m.ID, Ask: d.wanted, Kind: userInput, Value: m.Params}
	if d.wanted = nil; len(q.Ask) == 0 || !d.Asks(q) {
		return d.refuse(dst, &q)
	}
	return dst
}

// refuse answers a question with no.
func (d *driver) refuse(dst []byte, q *questions.Question) []byte {
	switch q.Kind {
	case askPermission:
		return d.decide(dst, q, "reject", []byte(phrases.Denied))
	case askTool:
		return d.result(dst, q, func(w *jsonwriter.Writer) { w.Const("error", phrases.Denied) })
	}
	return d.rpc.Refuse(dst, q.ID, jsonrpc.CodeRefused, phrases.Denied)
}

// decide answers a permission. Without words of the user's, a turn ends with a rejection, and the model does not get to know of it.
func (d *driver) decide(dst []byte, q *questions.Question, kind string, feedback []byte) []byte {
	dst, _ = d.rpc.Call(dst, "session.permissions.handlePendingPermissionRequest", func(w *jsonwriter.Writer) {
		w.Text("sessionId", d.session)
		w.Text("requestId", q.ID)
		w.OpenAt("result", '{')
		w.Const("kind", kind)
		w.TextIf("feedback", feedback)
		w.Close('}')
	})
	return dst
}

// result answers a call of the client's tool.
func (d *driver) result(dst []byte, q *questions.Question, said func(w *jsonwriter.Writer)) []byte {
	dst, _ = d.rpc.Call(dst, "session.tools.handlePendingToolCall", func(w *jsonwriter.Writer) {
		w.Text("sessionId", d.session)
		w.Text("requestId", q.ID)
		said(w)
	})
	return dst
}

// answer sends the answers to questions, all or none. One without a decision is the result of a call.
func (d *driver) answer(dst []byte, answers []questions.Answer, returned []hub.Part, l *hub.Losses) ([]byte, hub.TurnState, error) {
	from := len(dst)
	for _, a := range answers {
		q, ok := a.Question, true
		switch {
		case a.Decision == nil:
			dst = d.output(dst, q, questions.ResultOf(q, returned), l)
			continue
		case q.Kind == askPermission:
			dst, ok = d.permit(dst, a)
		case q.Kind == userInput:
			dst, ok = d.reply(dst, a)
		case a.Decision.Cancelled || a.Decision.Decided && !a.Decision.Approved:
			dst = d.refuse(dst, q)
		default:
			ok = false // the result of a call has to be said
		}
		if !ok {
			return dst[:from], d.State(), questions.Unclear()
		}
		l.AddIf("answers", len(a.Decision.Reason) > 0 && (q.Kind != askPermission || a.Decision.Approved))
	}
	d.Open.Answered(answers)
	return dst, d.State(), nil
}

// permit says whether a call may run, in the way that the decision names, or once.
func (d *driver) permit(dst []byte, a questions.Answer) (out []byte, ok bool) {
	chosen := string(questions.Chosen(a.Decision))
	allowed := chosen == kindApproved || chosen == kindForSession || chosen == "" && a.Decision.Decided && a.Decision.Approved
	switch {
	case allowed && questions.Changes(a.Decision, nil):
		return dst, false
	case allowed && chosen == kindForSession:
		return d.decide(dst, a.Question, "approve-for-session", nil), true
	case allowed:
		return d.decide(dst, a.Question, "approve-once", nil), true
	case a.Decision.Cancelled || a.Decision.Decided && !a.Decision.Approved || chosen == kindDeniedUser:
		return d.decide(dst, a.Question, "reject", rawjson.Or(a.Decision.Reason, phrases.Denied)), true
	}
	return dst, false
}

// reply says what the user has answered to a question: a choice, or words. Of a form with one field it is the field.
func (d *driver) reply(dst []byte, a questions.Answer) (out []byte, ok bool) {
	said := rawjson.First(questions.Chosen(a.Decision), rawjson.Text(a.Decision.Payload, "answer"))
	if a.Decision.Cancelled || said == nil && a.Decision.Decided && !a.Decision.Approved {
		return d.refuse(dst, a.Question), true
	}
	if said == nil {
		return dst, false
	}
	chosen := false
	for choice := range rawjson.Each(rawjson.Get(a.Question.Value, "choices")) {
		chosen = chosen || rawjson.EqualBody(rawjson.Body(choice), said)
	}
	return d.rpc.Answer(dst, a.Question.ID, func(w *jsonwriter.Writer) {
		w.Text("answer", said)
		w.Bool("wasFreeform", !chosen)
	}), true
}

// output says what came of a call of the client's tool.
func (d *driver) output(dst []byte, q *questions.Question, p *hub.Part, l *hub.Losses) []byte {
	ev := p.Result.Event()
	l.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	return d.result(dst, q, func(w *jsonwriter.Writer) {
		if text := toolresult.Text(&ev); ev.Status == hub.StatusOK {
			w.Text("result", text)
		} else {
			w.Text("error", rawjson.First(ev.More.Err, text, []byte(phrases.Failed)))
		}
	})
}
