package mastra

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
	"github.com/sabir-proxy/sabir/adapters/internal/toolresult"
)

// sessions say where an agent is asked, below the address of the agent: an answer to a question goes elsewhere than a turn.
var sessions = hub.SessionServer{RunPaths: []string{"/stream"}, Forgets: true, Run: runPath, AnswersByName: true, Lost: noRunWaits}

// noRunWaits knows the refusal of an answer by its words: its status is that of any failure.
func noRunWaits(refusal []byte) bool {
	return bytes.Contains(refusal, []byte("could not find a suspended run"))
}

func runPath(req *hub.Request) []string {
	switch d := answer(req); {
	case d == nil:
		return []string{"stream"}
	case isForm(d):
		return []string{"resume-stream"}
	case d.Approved && !d.Cancelled:
		return []string{"approve-tool-call"}
	}
	return []string{"decline-tool-call"}
}

// isForm reports whether an answer is more than yes or no: forms of tools may have that, too, beside other fields. The name of the question is
// none.
func isForm(d *hub.Decision) bool {
	if d.Cancelled || !d.Decided {
		return !d.Cancelled
	}
	if approved, ok := rawjson.Bool(rawjson.Get(d.Payload, "approved")); !ok || approved != d.Approved {
		return false
	}
	for key, val := range rawjson.EachField(d.Payload) {
		if k := string(key); k != "approved" && k != "reason" && !bytes.Equal(rawjson.Body(val), d.Ask) {
			return true
		}
	}
	return false
}

// answer is the answer that a server waits for: the first of the request, or the last that stands with a call. Servers ask one question after
// the other, and show no result before all are answered: those before it were given. Behind what the user has said since there is none.
func answer(req *hub.Request) *hub.Decision {
	if at := slices.IndexFunc(req.Answers, namesRun); at >= 0 {
		return &req.Answers[at]
	}
	if len(conversation.Latest(req)) > 0 {
		return nil
	}
	all := conversation.Decided(req)
	slices.Reverse(all)
	if at := slices.IndexFunc(all, namesRun); at >= 0 {
		return &all[at]
	}
	return nil
}

// namesRun reports whether an answer is to a question of a server, whose id names the run and the call.
func namesRun(d hub.Decision) bool { return bytes.IndexByte(d.Ask, askSeparator) > 0 }

// AppendRequest writes the body of a turn: the conversation as messages of the AI SDK, the tools of the client, and the settings of the
// model. The memory of a server is not used: it would keep what is sent each time.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	l.AddIf("state", len(req.State) > 0)
	l.AddIf("context", len(req.Context) > 0)
	l.AddIf("extra", req.Extra.Raw != nil && req.Extra.Of(dialectName) == nil)
	if d := answer(req); d != nil {
		settings.LostAll(req, l)
		l.AddIf("answers", len(req.Answers) > 1)
		return appendAnswer(dst, d), nil
	}
	l.AddIf("answers", len(conversation.Decided(req)) > 0)
	w := writer{Writer: jsonwriter.New(dst), ids: conversation.CallIDs(req.Messages), losses: l}
	conversation.LostNames(req.Messages, l)
	w.Open('{')
	w.OpenAt("messages", '[')
	for i := range req.Messages {
		w.last = i == len(req.Messages)-1
		w.message(&req.Messages[i])
	}
	w.Close(']')
	w.tools(conversation.Tools(req.Tools.Defs, dialectName, l))
	w.settings(req)
	conversation.AppendExtra(w.Writer, req, dialectName)
	w.Close('}')
	return w.Buf, nil
}

// AppendMessages writes them as messages for models.
func (messages) AppendMessages(dst []byte, ms []hub.Message, l *hub.Losses) []byte {
	w := writer{Writer: jsonwriter.New(dst), ids: conversation.CallIDs(ms), losses: l}
	conversation.LostNames(ms, l)
	w.Open('[')
	for i := range ms {
		w.message(&ms[i])
	}
	w.Close(']')
	return w.Buf
}

// settings writes those of the model, which tool it is to call, and the form of its answer.
func (w *writer) settings(req *hub.Request) {
	at := members(&req.Settings)
	settings.Lost(&req.Settings, at, w.losses)
	s := jsonwriter.New(nil)
	s.Open('{')
	settings.Write(s, at)
	s.Close('}')
	if len(s.Buf) > len("{}") {
		w.Value(memberSettings, s.Buf)
	}
	switch c := req.Choice; {
	case c.Mode == hub.ChoiceRequired && len(c.Names) == 1:
		w.OpenAt(memberChoice, '{')
		w.Const("type", "tool")
		w.Text("toolName", c.Names[0])
		w.Close('}')
	case c.Mode != hub.ChoiceUnset:
		w.losses.AddIf("settings.tool_choice", len(c.Names) > 0)
		w.Const(memberChoice, c.Mode.String())
	}
	if schema := req.Settings.Format.Schema; schema != nil {
		w.OpenAt(memberFormat, '{')
		w.Value("schema", schema)
		w.Close('}')
		settings.LostLabels(&req.Settings.Format, w.losses)
	} else {
		w.losses.AddIf("settings.format", req.Settings.Format.Kind != hub.FormatText)
	}
}

// appendAnswer appends the answer to a question: whether a call may run is said by where it is sent.
func appendAnswer(dst []byte, d *hub.Decision) []byte {
	run, call, _ := bytes.Cut(d.Ask, []byte{askSeparator})
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("runId", run)
	w.Text(memberCall, call)
	switch {
	case isForm(d):
		w.Value(memberResume, rawjson.OrNull(d.Payload))
	case !d.Approved || d.Cancelled:
		w.TextIf("reason", d.Reason)
	}
	w.Close('}')
	return w.Buf
}

// tools declares those that the client runs.
func (w *writer) tools(defs []hub.Tool) {
	if len(defs) == 0 {
		return
	}
	conversation.LostStrict(defs, w.losses)
	w.OpenAt(memberTools, '{')
	for i := range defs {
		t := &defs[i]
		w.OpenAt(string(rawjson.HarmlessKey(t.Name)), '{')
		w.Text("id", t.Name)
		w.Text("description", t.Description)
		w.Value("inputSchema", rawjson.First(t.Schema, []byte(`{"type":"object"}`)))
		w.Close('}')
	}
	w.Close('}')
}

// writer writes a conversation.
type writer struct {
	*jsonwriter.Writer
	ids    *conversation.IDs
	losses *hub.Losses
	open   bool   // calls without a result are written, too: the client has them
	last   bool   // the message is the last one of a request
	run    []byte // the id of the run that is answered, a string body
}

// shows reports whether a call is written: models refuse such without a result, and a client would run one that is not its own.
func (w *writer) shows(p *hub.Part) bool {
	return p.Result != nil || w.open && p.ClientRuns && p.Value != nil
}

// message writes a message, and behind one of the agent's the results of its calls. Servers refuse messages in which nothing is. They show the
// model a result in the place of its call: in the last message nothing may stand behind that, as the results are what the model is to answer.
func (w *writer) message(m *hub.Message) {
	role := [...]string{hub.RoleSystem: "system", hub.RoleUser: "user", hub.RoleAgent: "assistant"}
	var parts, calls, results [][]byte
	for i := range m.Parts {
		part, result := w.part(m, &m.Parts[i])
		switch {
		case result != nil && w.last:
			calls = append(calls, part)
		case part != nil:
			parts = append(parts, part)
		}
		if result != nil {
			results = append(results, result)
		}
	}
	parts = append(parts, calls...)
	if m.Role == hub.RoleResults {
		parts = nil
	} else if m.Role == hub.RoleSystem {
		w.system(m)
		return
	}
	if len(parts) > 0 {
		w.list(role[m.Role], parts)
	}
	if len(results) > 0 {
		w.list("tool", results)
	}
}

// system writes instructions, which are text.
func (w *writer) system(m *hub.Message) {
	if text := conversation.Texts(m); len(text) > 0 {
		w.Open('{')
		w.Const("role", "system")
		w.Text("content", text)
		w.Close('}')
	}
}

func (w *writer) list(role string, parts [][]byte) {
	w.Open('{')
	w.Const("role", role)
	w.OpenAt("content", '[')
	for _, p := range parts {
		w.Raw(p)
	}
	w.Close(']')
	w.Close('}')
}

// part is a part as it stands in a message, and the result of a call. nil: it has no place.
func (w *writer) part(m *hub.Message, p *hub.Part) (part, result []byte) {
	b := jsonwriter.New(nil)
	b.Open('{')
	switch {
	case (p.Kind == hub.PartText || p.Kind == hub.PartRefusal) && len(p.Text) > 0:
		b.Const("type", "text")
		b.Text("text", p.Text)
	case p.Kind == hub.PartFile && m.Role == hub.RoleUser && (len(p.File.Base64) > 0 || len(p.File.URL) > 0):
		b.Const("type", "file")
		b.Text("mediaType", rawjson.Or(p.File.Media, "application/octet-stream"))
		b.TextIf("filename", p.File.Name)
		conversation.WriteURL(b, "data", p.File)
	case p.Kind == hub.PartCall && (p.Result != nil || m.Role == hub.RoleAgent):
		return w.call(p)
	case p.Kind == hub.PartRaw && p.Meta.Of(dialectName) != nil:
		return p.Value, nil
	default:
		conversation.LostParts([]hub.Message{{Parts: []hub.Part{*p}}}, w.losses)
		return nil, nil
	}
	b.Close('}')
	return b.Buf, nil
}

// call is a call, and its result.
func (w *writer) call(p *hub.Part) (call, result []byte) {
	if !w.shows(p) {
		w.losses.Add("messages.call")
		return nil, nil
	}
	id := w.ids.Of(p.ID)
	b := jsonwriter.New(nil)
	b.Open('{')
	b.Const("type", "tool-call")
	b.Text("toolCallId", id)
	b.Text("toolName", rawjson.Or(p.Name, "tool"))
	b.Value("input", conversation.ObjectArgs(p, w.losses))
	b.Close('}')
	if p.Result == nil {
		return b.Buf, nil
	}
	ev := p.Result.Event()
	w.losses.AddIf("messages.result.content", !conversation.OnlyText(p.Result.Content))
	r := jsonwriter.New(nil)
	r.Open('{')
	r.Const("type", "tool-result")
	r.Text("toolCallId", id)
	r.Text("toolName", rawjson.Or(p.Name, "tool"))
	r.OpenAt("output", '{')
	switch {
	case ev.Status != hub.StatusOK:
		r.Const("type", "error-text")
		r.Text("value", toolresult.Text(&ev))
	case ev.Value != nil:
		r.Const("type", "json")
		r.Value("value", ev.Value)
	default:
		r.Const("type", "text")
		r.Text("value", toolresult.Text(&ev))
	}
	r.Close('}')
	r.Close('}')
	return b.Buf, r.Buf
}
