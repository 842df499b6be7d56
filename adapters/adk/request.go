package adk

import (
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// requests reads and writes the call that opens a run. The server keeps the history.
type requests struct{}

// Names where a request has none. The first asks for no model.
const (
	defaultApp  = "agent"
	defaultUser = "user"
)

var read = rawjson.NamesOf([]string{
	"appName", "userId", "sessionId", "newMessage", "streaming", "stateDelta",
	"app_name", "user_id", "session_id", "new_message", "state_delta",
})

// DecodeRequest takes the session, whether fragments are wanted, and what is new.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	req.Thread = rawjson.Body(genai.Member(o, "sessionId", "session_id"))
	if app := rawjson.Body(genai.Member(o, "appName", "app_name")); string(app) != defaultApp {
		req.Model = app
	}
	if user := rawjson.Body(genai.Member(o, "userId", "user_id")); string(user) != defaultUser {
		req.Settings.User = user
		req.Demanded.AddIf("settings.user", len(user) > 0)
	}
	req.Modes = []byte("false")
	if on, _ := rawjson.Bool(o.Get("streaming")); on {
		req.Modes = []byte("true")
	}
	if delta := genai.Member(o, "stateDelta", "state_delta"); isDelta(delta) {
		req.State = delta
	}
	req.Partial = true // the session has the rest
	req.Extra = conversation.Extra(o, dialectName, read.Has)
	decodeNews(req, rawjson.Get(genai.Member(o, "newMessage", "new_message"), "parts"))
	req.Run, req.Body = req.Unique, body
	return nil
}

// isDelta reports whether a state is one that sets members, which is all that the state of a session takes.
func isDelta(state rawjson.Value) bool {
	return rawjson.Kind(state) == '{' && !rawjson.IsEmptyObject(state)
}

// decodeNews reads the parts of a message: results and answers, and what the user says besides.
func decodeNews(req *hub.Request, parts rawjson.Value) {
	var b conversation.Builder
	user := hub.Message{Role: hub.RoleUser}
	for v := range rawjson.Each(parts) {
		p := genai.ReadPart(v)
		switch id := rawjson.Text(p.Value, "id"); {
		case p.Kind == genai.PartResponse && len(id) > 0:
			req.History.Answer(id)
			if name := rawjson.Text(p.Value, "name"); isRequest(name) {
				req.Answers = append(req.Answers, decision(id, rawjson.Get(p.Value, "response")))
			} else {
				b.Result(id, name, result(rawjson.Get(p.Value, "response")))
			}
		default:
			user.Parts = append(user.Parts, said(v, &p))
		}
	}
	if req.Messages = b.Messages; len(user.Parts) > 0 {
		req.Messages = append(req.Messages, user)
	}
}

// said is a part that is no result.
func said(v rawjson.Value, p *genai.Part) hub.Part {
	switch p.Kind {
	case genai.PartText:
		return hub.Part{Kind: hub.PartText, Text: rawjson.Body(p.Value)}
	case genai.PartInline, genai.PartFile:
		part := hub.Part{Kind: hub.PartFile, File: new(hub.FileRef)}
		p.File(part.File)
		return part
	}
	return hub.Part{Kind: hub.PartRaw, Value: v, Meta: hub.Meta{Dialect: dialectName, Raw: v}}
}

func result(response rawjson.Value) hub.CallResult {
	var ev hub.Event
	readResult(&ev, response, new(hub.Scratch))
	r := hub.CallResult{Status: ev.Status, Text: ev.Text, Value: ev.Value}
	r.Err = ev.Rare().Err
	return r
}

// decision reads the answer to a question of the framework. What stands beside a confirmation is for the tool that asked for it.
func decision(id []byte, response rawjson.Value) hub.Decision {
	d := hub.Decision{Ask: id, Payload: rawjson.NotNull(response)}
	if d.Approved, d.Decided = rawjson.Bool(rawjson.Get(response, "confirmed")); !d.Decided {
		return d
	}
	payload := rawjson.NotNull(rawjson.Get(response, "payload"))
	if d.Payload = nil; payload != nil {
		w := jsonwriter.New(nil)
		w.Open('{')
		w.Bool("approved", d.Approved)
		w.Bool("confirmed", d.Approved)
		w.Value("payload", payload)
		w.Close('}')
		d.Payload = w.Buf
	}
	return d
}

// AppendRequest writes the body of a POST to /run_sse, in its session, which another request opens; see sessions.go.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	parts := jsonwriter.New(nil)
	appendNews(parts, req, l)
	if req.NewSession && len(conversation.Decided(req)) > 0 {
		return dst, hub.NewError(hub.ReasonMissing, "answers", -1, "the session in which was asked is not there")
	}
	if len(parts.Buf) == 0 { // which the server refuses
		return dst, conversation.NothingNew()
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("appName", rawjson.Or(req.Model, defaultApp))
	w.Text("userId", rawjson.Or(req.Settings.User, defaultUser))
	w.Text("sessionId", rawjson.First(req.Session, req.Thread))
	w.OpenAt("newMessage", '{')
	w.Const("role", "user")
	w.OpenAt("parts", '[')
	w.Raw(parts.Buf)
	w.Close(']')
	w.Close('}')
	w.Bool("streaming", true)
	if isDelta(req.State) {
		w.Value("stateDelta", req.State)
	}
	conversation.AppendExtra(w, req, dialectName)
	w.Close('}')
	lost(req, l)
	return w.Buf, nil
}

// appendNews writes what is new as parts: results and answers, and what the user says besides.
func appendNews(w *jsonwriter.Writer, req *hub.Request, l *hub.Losses) {
	calls, answers, said := conversation.Returned(req), conversation.Decided(req), conversation.Said(req, l)
	for i := range calls {
		appendReturned(w, &calls[i], l)
	}
	for i := range answers {
		appendDecision(w, &answers[i], l)
	}
	for i := range said {
		appendSaid(w, &said[i], l)
	}
}

// lost notes what has no place. The user has one, and so has a state whose members can be set.
func lost(req *hub.Request, l *hub.Losses) {
	rest := *req
	rest.Settings.User = nil
	if rawjson.Kind(req.State) == '{' {
		rest.State = nil
	}
	settings.LostAll(&rest, l)
	conversation.LostToKeepers(&rest, dialectName, l)
}

// appendReturned writes the result of a call that the client has run.
func appendReturned(w *jsonwriter.Writer, p *hub.Part, l *hub.Losses) {
	ev := p.Result.Event()
	if ev.Status != hub.StatusOK { // has one text, which says why
		ev.Text, ev.Value, ev.More = nil, nil, &hub.More{Err: toolresult.Text(&ev)}
	}
	l.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	appendAnswered(w, p.ID, p.Name, func(dst []byte) []byte {
		dst, _ = appendResponse(dst, &ev)
		return dst
	})
}

// appendDecision answers a question: whether a call may run, or one for input.
func appendDecision(w *jsonwriter.Writer, d *hub.Decision, l *hub.Losses) {
	l.AddIf("answers", len(d.Ask) == 0 || len(d.Reason) > 0)
	switch {
	case len(d.Ask) == 0:
	case d.Decided || d.Cancelled:
		appendAnswered(w, d.Ask, []byte(callConfirm), func(dst []byte) []byte { return appendConfirmation(dst, d) })
	default:
		appendAnswered(w, d.Ask, []byte(callInput), func(dst []byte) []byte {
			dst, _ = genai.AppendObject(dst, d.Payload)
			return dst
		})
	}
}

// appendConfirmation appends whether a call may run, and what a client of this dialect said besides.
func appendConfirmation(dst []byte, d *hub.Decision) []byte {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Bool("confirmed", d.Approved)
	if rawjson.Get(d.Payload, "confirmed") != nil {
		w.ValueIf("payload", rawjson.Get(d.Payload, "payload"))
	}
	w.Close('}')
	return w.Buf
}

// appendAnswered writes a part that answers a call; response appends what with.
func appendAnswered(w *jsonwriter.Writer, id, name []byte, response func(dst []byte) []byte) {
	w.Open('{')
	w.OpenAt("functionResponse", '{')
	w.Text("id", id)
	w.TextIf("name", name)
	w.Key("response")
	w.Append(response)
	w.Close('}')
	w.Close('}')
}

// appendSaid writes what the user says as parts.
func appendSaid(w *jsonwriter.Writer, m *hub.Message, l *hub.Losses) {
	for i := range m.Parts {
		p := &m.Parts[i]
		part := []byte(p.Meta.Of(dialectName))
		switch {
		case part != nil:
		case p.Kind == hub.PartText:
			part = append(append([]byte(`{"text":"`), p.Text...), `"}`...)
		case p.Kind == hub.PartFile:
			part, _ = genai.AppendNamedFile(nil, p.File)
		}
		if len(part) > 0 {
			w.Raw(part)
		} else {
			conversation.LostParts([]hub.Message{{Parts: m.Parts[i : i+1]}}, l)
		}
	}
}
