package claudecli

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/claudewire"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// requests reads and writes the lines of --input-format stream-json. The process keeps the conversation.
type requests struct{}

// read are the members of a user line that have a place in the model, or that change nothing in the answer.
var read = rawjson.NamesOf([]string{"type", "message", "session_id", "parent_tool_use_id", "uuid", "timestamp", "isReplay"})

// DecodeRequest takes what is new from the lines: what users say, results, and answers to questions. A body that is one value may be
// written on several.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var b conversation.Builder
	lines := slices.Collect(bytes.Lines(body))
	if json.Valid(body) == nil {
		lines = [][]byte{body}
	}
	for _, line := range lines {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		o, err := rawjson.DecodeObject(line)
		if err != nil {
			return hub.JSONError(err)
		}
		if err := decodeLine(req, &b, o); err != nil {
			return err
		}
	}
	req.Messages, req.Partial = b.Messages, true // the process has the rest
	req.Other = len(req.Messages)+len(req.Answers) == 0
	req.Run, req.Body = req.Unique, body
	return nil
}

func decodeLine(req *hub.Request, b *conversation.Builder, line *rawjson.Object) error {
	switch string(line.Text("type")) {
	case "user":
		req.Thread = rawjson.First(line.Text("session_id"), req.Thread)
		req.Extra = conversation.Extra(line, dialectName, read.Has)
		decodeSaid(req, b, line)
	case "control_response":
		req.Answers = append(req.Answers, decision(line.Get("response")))
	case "control_request", "keep_alive": // of the process, not of the conversation
	default:
		return hub.NewError(hub.ReasonUnknown, "type", -1, "want user or control_response")
	}
	return nil
}

// decodeSaid reads what stands in a user line: results of calls, and what the user says besides.
func decodeSaid(req *hub.Request, b *conversation.Builder, line *rawjson.Object) {
	content := rawjson.Get(line.Get("message"), "content")
	user := hub.Message{Role: hub.RoleUser, ID: line.Text("uuid")}
	if text, ok := rawjson.Str(content); ok {
		user.Parts = append(user.Parts, hub.Part{Kind: hub.PartText, Text: text})
	}
	for v, block := range rawjson.EachObject(content) {
		if string(block.Text("type")) != "tool_result" {
			user.Parts = append(user.Parts, said(v, block))
			continue
		}
		id := block.Text("tool_use_id")
		req.History.Answer(id)
		b.Result(id, nil, result(v))
	}
	if len(user.Parts) > 0 {
		b.Messages = append(b.Messages, user)
	}
}

// said is a block that is no result.
func said(v rawjson.Value, block *rawjson.Object) hub.Part {
	own := hub.Meta{Dialect: dialectName, Raw: v}
	if string(block.Text("type")) == "text" {
		return hub.Part{Kind: hub.PartText, Text: block.Text("text")}
	}
	if f, ok := claudewire.ReadFile(block); ok {
		return hub.Part{Kind: hub.PartFile, File: &f, Meta: own}
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: own}
}

func result(block rawjson.Value) hub.CallResult {
	var ev hub.Event
	readResult(&ev, block, new(hub.Scratch))
	r := hub.CallResult{Status: ev.Status, Text: ev.Text}
	r.Content, r.Err = ev.Rare().Content, ev.Rare().Err
	return r
}

// decision reads the answer to a question of the process: mostly, whether a call may run.
func decision(answer rawjson.Value) hub.Decision {
	d := hub.Decision{Ask: rawjson.Text(answer, "request_id")}
	response := rawjson.Get(answer, "response")
	switch string(rawjson.Text(response, "behavior")) {
	case "allow":
		d.Decided, d.Approved = true, true
	case "deny":
		d.Decided, d.Reason = true, rawjson.Text(response, "message")
	default:
		if d.Payload = rawjson.NotNull(response); string(rawjson.Text(answer, "subtype")) == "error" {
			d.Cancelled, d.Payload = true, answer
		}
		return d
	}
	d.Call, d.Payload = rawjson.Text(response, "toolUseID"), payload(response, &d)
	return d
}

// modeled are the members of an answer that have a place in the model.
var modeled = rawjson.NamesOf([]string{"behavior", "message", "toolUseID"})

// payload is what an answer says besides, with the members by which other agents know a decision; nil for nothing.
func payload(response rawjson.Value, d *hub.Decision) rawjson.Value {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Bool("approved", d.Approved)
	w.TextIf("reason", d.Reason)
	alone := len(w.Buf)
	for key, v := range rawjson.EachField(response) {
		if !modeled.Has(key) && !rawjson.IsNull(v) {
			w.Value(string(key), v)
		}
	}
	if len(w.Buf) == alone {
		return nil
	}
	w.Close('}')
	return w.Buf
}

// AppendRequest writes one line, whatever the values in it are written on: what the user says that is new, with the results of calls that the agent has left to the client, or
// where there is neither, the answer to a question.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	line, err := newLine(req, l)
	return rawjson.AppendCompact(dst, line), err
}

func newLine(req *hub.Request, l *hub.Losses) ([]byte, error) {
	content, answers := jsonwriter.New(nil), conversation.Decided(req)
	appendNews(content, req, l)
	lost(req, l)
	switch {
	case len(content.Buf) > 0:
		l.AddIf("answers", len(answers) > 0)
	case len(answers) > 0 && isAnswer(&answers[0]):
		l.AddIf("answers", len(answers) > 1)
		return answer(&answers[0], argsOf(req, answers[0].Call), l), nil
	default:
		l.AddIf("answers", len(answers) > 0)
		return nil, conversation.NothingNew()
	}
	return userLine(content.Buf, req.Thread, req), nil
}

// userLine is the line for what the user says.
func userLine(content, session []byte, req *hub.Request) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Const("type", "user")
	w.OpenAt("message", '{')
	w.Const("role", "user")
	w.OpenAt("content", '[')
	w.Raw(content)
	w.Close(']')
	w.Close('}')
	w.Value("parent_tool_use_id", []byte("null"))
	w.Text("session_id", session)
	conversation.AppendExtra(w, req, dialectName)
	w.Close('}')
	return w.Buf
}

func lost(req *hub.Request, l *hub.Losses) {
	settings.LostAll(req, l)
	conversation.LostToKeepers(req, dialectName, l)
}

// appendNews writes what is new as blocks: results first, which the model wants so.
func appendNews(w *jsonwriter.Writer, req *hub.Request, l *hub.Losses) {
	calls := conversation.Returned(req)
	for i := range calls {
		appendReturned(w, &calls[i], l)
	}
	appendWords(w, req, l)
}

func appendWords(w *jsonwriter.Writer, req *hub.Request, l *hub.Losses) {
	for _, m := range conversation.Said(req, l) {
		for j := range m.Parts {
			appendSaid(w, &m.Parts[j], l)
		}
	}
}

// appendReturned writes the result of a call that the client has run. An error has to say something.
func appendReturned(w *jsonwriter.Writer, p *hub.Part, l *hub.Losses) {
	ev := p.Result.Event()
	failed := ev.Status != hub.StatusOK
	if failed && conversation.Blank(toolresult.Text(&ev)) {
		ev.Text = []byte(phrases.Call(ev.Status))
	}
	w.Open('{')
	w.Const("type", "tool_result")
	w.Text("tool_use_id", p.ID)
	w.Key("content")
	if toolresult.OnlyBlocks(&ev) && len(p.Result.Err) == 0 {
		conversation.WriteResult(w, p.Result.Content, claudewire.FileBlock, l)
	} else {
		w.Append(func(dst []byte) []byte { return appendContent(dst, &ev) })
	}
	w.Bool("is_error", failed)
	w.Close('}')
}

// appendSaid writes a part of what the user says. Texts without a character are refused by the model.
func appendSaid(w *jsonwriter.Writer, p *hub.Part, l *hub.Losses) {
	head, body, tail := []byte(nil), []byte(p.Meta.Of(dialectName)), []byte(nil)
	switch {
	case body != nil:
	case p.Kind == hub.PartText && conversation.Blank(p.Text):
		return
	case p.Kind == hub.PartText:
		head, body, tail = []byte(`{"type":"text","text":"`), p.Text, []byte(`"}`)
	case p.Kind == hub.PartFile:
		head, body, tail = claudewire.FileBlock(p.File, l)
	}
	if len(head)+len(body) == 0 {
		conversation.LostParts([]hub.Message{{Parts: []hub.Part{*p}}}, l)
		return
	}
	w.Raw(head, body, tail)
}

// isAnswer reports whether a decision has a form: it names its question, and decides it, or is of this dialect.
func isAnswer(d *hub.Decision) bool {
	return len(d.Ask) > 0 && (d.Decided || d.Cancelled || rawjson.Get(d.Payload, "mcp_response") != nil)
}

// answer is the line that answers a question. The arguments that go with a permission replace those of the call, args.
func answer(d *hub.Decision, args rawjson.Value, l *hub.Losses) []byte {
	w := jsonwriter.New(nil)
	w.Open('{')
	w.Const("type", "control_response")
	w.OpenAt("response", '{')
	w.Const("subtype", "success")
	w.Text("request_id", d.Ask)
	w.OpenAt("response", '{')
	switch {
	case d.Decided && d.Approved:
		l.AddIf("answers", len(d.Reason) > 0)
		w.Const("behavior", "allow")
	case d.Decided || d.Cancelled:
		w.Const("behavior", "deny")
		w.Text("message", rawjson.Or(d.Reason, phrases.Call(hub.StatusDenied)))
	}
	appendBeside(w, d, args)
	w.Close('}')
	w.Close('}')
	w.Close('}')
	return w.Buf
}

// beside are the members of an answer that only this dialect knows.
var beside = []string{"updatedInput", "updatedPermissions", "interrupt", "decisionClassification", "mcp_response"}

func appendBeside(w *jsonwriter.Writer, d *hub.Decision, args rawjson.Value) {
	for _, name := range beside {
		v := rawjson.Get(d.Payload, name)
		if name == "updatedInput" && d.Approved {
			if v = questions.Edited(d); v == nil && rawjson.Kind(args) == '{' {
				v = args
			}
		}
		w.ValueIf(name, v)
	}
}

// argsOf are the arguments of a call among the messages, nil if it is not there.
func argsOf(req *hub.Request, call []byte) rawjson.Value {
	for i := range req.Messages {
		for j := range req.Messages[i].Parts {
			if p := &req.Messages[i].Parts[j]; p.Kind == hub.PartCall && len(call) > 0 && bytes.Equal(p.ID, call) {
				return p.Value
			}
		}
	}
	return nil
}
