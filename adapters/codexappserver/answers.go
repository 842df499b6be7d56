package codexappserver

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

const clientTool = "item/tool/call"

// refusals write the members that refuse a call of the agent's, by its method: all that clients know answers to.
var refusals = map[string]func(w *jsonwriter.Writer, stop bool){
	"item/commandExecution/requestApproval": decline,
	"item/fileChange/requestApproval":       decline,
	"item/permissions/requestApproval":      func(w *jsonwriter.Writer, _ bool) { w.Value("permissions", []byte("{}")) },
	"item/tool/requestUserInput":            func(w *jsonwriter.Writer, _ bool) { w.Value("answers", []byte("{}")) },
	"mcpServer/elicitation/request":         func(w *jsonwriter.Writer, _ bool) { w.Const("action", "decline") },
	clientTool:                              func(w *jsonwriter.Writer, _ bool) { writeOutput(w, false, []byte(phrases.Denied)) },
}

// grants write the members that a decision means, by the method. They report false for one that means nothing there.
var grants = map[string]func(w *jsonwriter.Writer, params rawjson.Value, a *hub.Decision) bool{
	"item/commandExecution/requestApproval": accept,
	"item/fileChange/requestApproval":       accept,
	"item/permissions/requestApproval":      permit,
	"item/tool/requestUserInput":            reply,
	"mcpServer/elicitation/request":         fill,
}

func decline(w *jsonwriter.Writer, stop bool) {
	if stop {
		w.Const("decision", "cancel")
	} else {
		w.Const("decision", "decline")
	}
}

// refuse answers a question with no. stop says that the turn is to end with it.
func (d *driver) refuse(dst []byte, q *questions.Question, stop bool) []byte {
	return d.rpc.Answer(dst, q.ID, func(w *jsonwriter.Writer) { refusals[q.Kind](w, stop) })
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
		case a.Decision.Cancelled || a.Decision.Decided && !a.Decision.Approved && questions.Chosen(a.Decision) == nil:
			dst = d.refuse(dst, q, false)
		default:
			dst, ok = d.grant(dst, a)
		}
		if !ok {
			return dst[:from], d.State(), questions.Unclear()
		}
		l.AddIf("answers", len(a.Decision.Reason) > 0)
	}
	d.Open.Answered(answers)
	return dst, d.State(), nil
}

func (d *driver) grant(dst []byte, a questions.Answer) (out []byte, ok bool) {
	write := grants[a.Question.Kind]
	if write == nil {
		return dst, false // the result of a call has to be said
	}
	out = d.rpc.Answer(dst, a.Question.ID, func(w *jsonwriter.Writer) { ok = write(w, a.Question.Value, a.Decision) })
	return out, ok
}

// accept allows a command or a change of files, in the way that the decision names, or once.
func accept(w *jsonwriter.Writer, params rawjson.Value, a *hub.Decision) bool {
	offered := rawjson.Get(params, "availableDecisions")
	if rawjson.Kind(offered) != '[' {
		offered = rawjson.Value(`["accept","acceptForSession","decline","cancel"]`)
	}
	word := questions.Chosen(a)
	if word == nil && a.Decided && a.Approved {
		word = []byte("accept")
	}
	for v := range rawjson.Each(offered) {
		if o := decision(v); len(word) > 0 && bytes.Equal(o.ID, word) && !questions.Changes(a, commandOf(params)) {
			w.Value("decision", v)
			return true
		}
	}
	if string(word) == "decline" { // is always taken
		decline(w, false)
		return true
	}
	return false
}

// commandOf are the arguments of the call that a command is shown as, nil where it is another call.
func commandOf(params rawjson.Value) rawjson.Value {
	command, cwd := rawjson.Get(params, "command"), rawjson.Get(params, "cwd")
	if command == nil || cwd == nil {
		return nil
	}
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Value("command", command)
	w.Value("cwd", cwd)
	w.Close('}')
	return w.Buf
}

// permit grants what was asked for, for the turn.
func permit(w *jsonwriter.Writer, params rawjson.Value, a *hub.Decision) bool {
	if !a.Decided || !a.Approved || questions.Changes(a, nil) {
		return false
	}
	w.Value("permissions", rawjson.Or(rawjson.Get(params, "permissions"), "{}"))
	w.Const("scope", "turn")
	return true
}

// reply says what the user has answered to the questions, by their ids or their texts; to a single one a text is enough.
func reply(w *jsonwriter.Writer, params rawjson.Value, a *hub.Decision) bool {
	said := rawjson.Get(a.Payload, "answers")
	if rawjson.Kind(said) != '{' {
		said = a.Payload
	}
	asked, n := rawjson.Get(params, "questions"), 0
	for range rawjson.Each(asked) {
		n++
	}
	found := false
	w.OpenAt("answers", '{')
	for q := range rawjson.Each(asked) {
		id := rawjson.Text(q, "id")
		v := answerOf(said, id, rawjson.Text(q, "question"))
		if v == nil && n == 1 && len(questions.Chosen(a)) > 0 {
			v = rawjson.AppendQuoted(nil, questions.Chosen(a))
		}
		if v != nil {
			found = true
			writeReply(w, id, v)
		}
	}
	w.Close('}')
	return found
}

// answerOf is the member of an answer that is named by the id or the text of a question.
func answerOf(said rawjson.Value, names ...[]byte) rawjson.Value {
	for key, v := range rawjson.EachField(said) {
		for _, name := range names {
			if len(name) > 0 && rawjson.EqualBody(key, name) {
				return v
			}
		}
	}
	return nil
}

// writeReply writes the answer to a question: a list of texts.
func writeReply(w *jsonwriter.Writer, id []byte, v rawjson.Value) {
	if list := rawjson.Get(v, "answers"); rawjson.Kind(list) == '[' {
		v = list
	}
	texts := [][]byte{rawjson.Body(v)}
	if rawjson.Kind(v) == '[' {
		texts = nil
		for text := range rawjson.Each(v) {
			texts = append(texts, rawjson.Body(text))
		}
	}
	w.OpenAt(string(id), '{')
	w.OpenAt("answers", '[')
	for _, text := range texts {
		w.String(text)
	}
	w.Close(']')
	w.Close('}')
}

// fill answers the form of an MCP server: with its content, or with yes alone.
func fill(w *jsonwriter.Writer, _ rawjson.Value, a *hub.Decision) bool {
	content := rawjson.Get(a.Payload, "content")
	switch action := string(rawjson.Text(a.Payload, "action")); {
	case action == "decline" || action == "cancel":
		w.Const("action", action)
		return true
	case action != "accept" && !(a.Decided && a.Approved) && content == nil:
		return false
	}
	w.Const("action", "accept")
	w.ValueIf("content", content)
	return true
}

// output says what came of a call of the client's tool.
func (d *driver) output(dst []byte, q *questions.Question, p *hub.Part, l *hub.Losses) []byte {
	ev := p.Result.Event()
	l.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	return d.rpc.Answer(dst, q.ID, func(w *jsonwriter.Writer) {
		writeOutput(w, ev.Status == hub.StatusOK, rawjson.First(toolresult.Text(&ev), ev.More.Err))
	})
}

func writeOutput(w *jsonwriter.Writer, success bool, text []byte) {
	w.Bool("success", success)
	w.OpenAt("contentItems", '[')
	w.Open('{')
	w.Const("type", "inputText")
	w.Text("text", text)
	w.Close('}')
	w.Close(']')
}
