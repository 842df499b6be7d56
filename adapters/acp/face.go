package acp

import (
	"bytes"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/replay"
)

// face is the agent for an editor, in version 1 of the protocol.
type face struct {
	cfg  hub.FaceConfig
	json rawjson.Decoder
	rpc  jsonrpc.Caller
	open questions.Open // that the client was asked
}

func newFace(cfg hub.FaceConfig) hub.Face { return &face{cfg: cfg} }

// Kinds of questions, and what takes one back.
const (
	askedPermission = "session/request_permission"
	askedForm       = "elicitation/create"
	takenBack       = "$/cancel_request"
)

// Receive implements [hub.Face].
func (f *face) Receive(dst, message []byte) ([]byte, hub.ClientMessage) {
	var in jsonrpc.Message
	if err := f.json.Decode(message, &in); err != nil {
		return f.rpc.Refuse(dst, []byte("null"), codeParse, "The message is no JSON."), hub.ClientMessage{}
	}
	m := hub.ClientMessage{Call: in.ID, Thread: rawjson.Text(in.Params, "sessionId")}
	method, known := methods[string(in.Name())]
	switch {
	case len(in.Name()) == 0 && in.ID != nil:
		m.Answer, m.Kind = f.answered(&in)
	case !in.Called() && !method.notified:
		// A notification that changes nothing.
	case !known || method.needs != nil && !method.needs(&f.cfg):
		dst = f.rpc.Refuse(dst, in.ID, jsonrpc.CodeUnknown, "This agent does not have the method.")
	default:
		m.Kind, m.Replay = method.kind, method.replay
		if method.answer != nil {
			dst = f.rpc.Answer(dst, in.ID, method.answer(f))
		}
	}
	return dst, m
}

// A method is what a message of a name means.
type method struct {
	kind     hub.ClientMessageKind
	replay   bool
	notified bool                                 // it has no answer
	answer   func(*face) func(*jsonwriter.Writer) // that is due at once
	needs    func(*hub.FaceConfig) bool           // nil: nothing
}

var methods = map[string]method{
	"initialize":     {answer: func(f *face) func(*jsonwriter.Writer) { return f.describe }},
	"authenticate":   {answer: nothing},
	"session/prompt": {kind: hub.ClientTurn},
	"session/new":    {kind: hub.ClientBegins},
	"session/load":   {kind: hub.ClientReturns, replay: true, needs: func(c *hub.FaceConfig) bool { return c.Load }},
	"session/resume": {kind: hub.ClientReturns, needs: func(c *hub.FaceConfig) bool { return c.Resume }},
	"session/cancel": {kind: hub.ClientCancels, notified: true},
	"session/close":  {kind: hub.ClientCancels, answer: nothing},
}

func nothing(*face) func(*jsonwriter.Writer) { return empty }

// initializes reports whether a message is the first of a connection.
func initializes(message []byte) bool {
	var in jsonrpc.Message
	return new(rawjson.Decoder).Decode(message, &in) == nil && in.Called() && string(in.Name()) == "initialize"
}

func empty(*jsonwriter.Writer) {}

// codeParse is the code of JSON-RPC for what cannot be read, codeUnknown that of the protocol for what is not there.
const (
	codeParse   = -32700
	codeUnknown = -32002
)

// describe says what the agent is able to do: what it cannot take is a loss of the request, so that nothing is announced as missing.
func (f *face) describe(w *jsonwriter.Writer) {
	w.Int("protocolVersion", 1)
	w.OpenAt("agentCapabilities", '{')
	w.Bool("loadSession", f.cfg.Load)
	w.OpenAt("sessionCapabilities", '{')
	w.OpenAt("close", '{')
	w.Close('}')
	if f.cfg.Resume {
		w.OpenAt("resume", '{')
		w.Close('}')
	}
	w.Close('}')
	w.OpenAt("promptCapabilities", '{')
	w.Bool("image", true)
	w.Bool("audio", true)
	w.Bool("embeddedContext", true)
	w.Close('}')
	w.Close('}')
	w.OpenAt("agentInfo", '{')
	w.Const("name", "sabir")
	w.Const("title", "Sabir")
	w.Const("version", "1")
	w.Close('}')
	w.Value("authMethods", []byte("[]"))
}

// Began implements [hub.Face].
func (f *face) Began(dst []byte, m *hub.ClientMessage, t *hub.Thread) []byte {
	if t == nil {
		return f.rpc.Refuse(dst, m.Call, codeUnknown, "The session is not known, or not any more.")
	}
	id := rawjson.AppendEscaped(nil, []byte(t.ID))
	if m.Kind == hub.ClientBegins {
		return f.rpc.Answer(dst, m.Call, func(w *jsonwriter.Writer) { w.Text("sessionId", id) })
	}
	if m.Replay {
		dst = appendReplay(dst, id, t.Messages)
	}
	return f.rpc.Answer(dst, m.Call, empty)
}

// appendReplay appends the updates that tell a conversation again.
func appendReplay(dst, session []byte, ms []hub.Message) []byte {
	updates := replay.FormOf[atRest]().AppendMessages(nil, ms, new(hub.Losses)) // what has no form here is left out
	for update := range rawjson.Each(updates) {
		dst = append(appendUpdate(dst, session, update), '\n')
	}
	return dst
}

// Sent implements [hub.Face]. It keeps the options of questions: an answer names one of them, and not what it means.
func (f *face) Sent(records []byte) {
	for record := range bytes.Lines(records) {
		asks := bytes.Contains(record, []byte(askedPermission)) || bytes.Contains(record, []byte(askedForm))
		if !asks && (!f.open.Any() || !bytes.Contains(record, []byte(takenBack))) {
			continue
		}
		var out jsonrpc.Message
		if f.json.Decode(record, &out) != nil {
			continue
		}
		switch kind := string(out.Name()); kind {
		case askedPermission, askedForm:
			f.asked(questions.Question{ID: out.ID, Ask: rawjson.Body(out.ID), Kind: kind, Value: rawjson.Get(out.Params, "options")})
		case takenBack:
			f.open.Close(rawjson.Text(out.Params, "requestId"))
		}
	}
}

// asked keeps a question. Clients need not answer all, so that the oldest makes room.
func (f *face) asked(q questions.Question) {
	for !f.open.Add(q) && f.open.Any() {
		f.open.Close(f.open.All()[0].Ask)
	}
}

// Overhears implements [hub.Face]. The response to the prompt is for the editor that has sent it.
func (f *face) Overhears(record []byte) bool {
	var out jsonrpc.Message
	return new(rawjson.Decoder).Decode(record, &out) == nil && len(out.Name()) > 0
}

// answered reads the answer to a question. An answer to a question that is not open is ignored.
func (f *face) answered(in *jsonrpc.Message) (hub.Decision, hub.ClientMessageKind) {
	d := hub.Decision{Ask: rawjson.Body(in.ID)}
	answers, err := f.open.Match([]hub.Decision{d})
	if err != nil || len(answers) == 0 || len(d.Ask) == 0 {
		return d, hub.ClientSettled
	}
	q := answers[0].Question
	switch {
	case in.Failed():
		d.Decided, d.Cancelled = true, true
	case q.Kind == askedPermission:
		d.Decided = true
		d.Approved = allows(q.Value, rawjson.Text(in.Result, "outcome", "optionId"))
		d.Cancelled = string(rawjson.Text(in.Result, "outcome", "outcome")) != "selected"
	case string(rawjson.Text(in.Result, "action")) == "accept":
		d.Payload = rawjson.NotNull(rawjson.Get(in.Result, "content"))
	default:
		d.Decided, d.Cancelled = true, true
	}
	f.open.Close(d.Ask)
	return d, hub.ClientAnswers
}

// allows reports whether the option of an id is among those that were offered, and of a kind that allows.
func allows(options rawjson.Value, id []byte) bool {
	for option := range rawjson.Each(options) {
		if len(id) > 0 && rawjson.EqualBody(rawjson.Text(option, "optionId"), id) {
			return strings.HasPrefix(string(rawjson.Text(option, "kind")), "allow")
		}
	}
	return false
}
