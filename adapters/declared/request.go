package declared

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requestFields are what templates of requests may use.
var requestFields = setOf(fieldThread, fieldRun, fieldModel, fieldInput, fieldSystem, fieldHistory, fieldMessages, fieldTools, fieldResults,
	fieldAnswers, fieldState, fieldBody)

// A Request is the template of the body that a server takes.
type Request struct{ t *template }

// ParseRequest reads the template of a request.
func ParseRequest(text string) (*Request, error) {
	t, err := parseTemplate(text, requestFields, "a request")
	if err != nil {
		return nil, err
	}
	return &Request{t}, nil
}

// WantsHistory reports whether what was said before is part of the request.
func (r *Request) WantsHistory() bool {
	return r.t.uses.has(fieldMessages) || r.t.uses.has(fieldHistory)
}

// request reads the template of the bodies that servers of the dialect take.
func (c *compiler) request(n node, d *hub.Dialect) {
	if !n.isSet() {
		return
	}
	if t := c.template(n, requestFields, "a request"); t != nil {
		r := &Request{t}
		d.WriteRequest, d.Stateless = r.Append, r.WantsHistory()
	}
}

// Append appends the body of a request. A template that has no history and no messages is that of a server which keeps the
// conversation.
func (r *Request) Append(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	history, input := conversation.SplitInput(req.Messages)
	if r.t.uses.has(fieldInput) && len(input) == 0 && !r.holdsMore(req) {
		return dst, hub.NewError(hub.ReasonMissing, "messages", -1, "the user says nothing new, and that is all that the upstream's request holds")
	}
	r.lose(req, history, input, l)
	w := writer{ev: new(hub.Event), request: req}
	dst, _ = w.append(dst, r.t)
	return dst, nil
}

// holdsMore reports whether the template has something that is new besides what the user says.
func (r *Request) holdsMore(req *hub.Request) bool {
	uses := r.t.uses
	return uses.has(fieldMessages) || uses.has(fieldResults) && len(conversation.Returned(req)) > 0 ||
		uses.has(fieldAnswers) && len(conversation.Decided(req)) > 0
}

// saidIn are the members of clients' bodies that hold what was said, or the whole of it.
var saidIn = []string{"messages", "contents", "input", "message", "params"}

// takesBody reports whether the template takes from the client's body what was said, as the client has it. Other members, such as the name of
// a user, say nothing of that.
func (r *Request) takesBody() bool {
	return r.t.refers(func(s *segment) bool {
		return slices.ContainsFunc(s.alt, func(a ref) bool {
			return a.field == fieldBody && (len(a.steps) == 0 || slices.Contains(saidIn, a.steps[0].name))
		})
	})
}

// namesThread reports whether the body says to which conversation it belongs: by the client's name of it, by what the template has in place
// of that, or by a member of the client's body, which may be such a name.
func (r *Request) namesThread(req *hub.Request) bool {
	return r.t.refers(func(s *segment) bool {
		return slices.ContainsFunc(s.alt, func(a ref) bool {
			return a.field == fieldBody || a.field == fieldThread && (len(req.Thread) > 0 || len(s.alt) > 1)
		})
	})
}

// lose notes what the template leaves out.
func (r *Request) lose(req *hub.Request, history, input []hub.Message, l *hub.Losses) {
	uses := r.t.uses
	if r.takesBody() {
		return
	}
	_, said := conversation.Leading(history)
	before := len(req.Previous) > 0 || !req.Partial && len(said) > 0
	l.AddIf("messages.history", before && !r.namesThread(req) && !r.WantsHistory() && !r.holdsMore(req))
	sent := input
	if uses.has(fieldMessages) || uses.has(fieldHistory) {
		sent = req.Messages
	}
	conversation.LostParts(sent, l)
	system, _ := conversation.Leading(req.Messages)
	l.AddIf("messages.system", len(system) > 0 && !uses.has(fieldSystem) && !uses.has(fieldMessages))
	if uses.has(fieldTools) {
		conversation.LostStrict(conversation.Tools(req.Tools.Defs, "", l), l)
	} else {
		l.AddIf("tools", len(req.Tools.Defs) > 0)
	}
	l.AddIf("state", len(req.State) > 0 && !uses.has(fieldState))
	l.AddIf("messages.result", len(conversation.Returned(req)) > 0 && !uses.has(fieldResults))
	l.AddIf("answers", len(conversation.Decided(req)) > 0 && !uses.has(fieldAnswers))
	l.AddIf("context", len(req.Context) > 0)
	l.AddIf("extra", len(req.Extra.Raw) > 0 && !uses.has(fieldBody))
	settings.LostAll(req, l)
}

// ofRequest returns a field of a request.
func (w *writer) ofRequest(f field) (val []byte, isJSON, ok bool) {
	req := w.request
	history, input := conversation.SplitInput(req.Messages)
	switch f {
	case fieldThread:
		val = req.Thread
	case fieldRun:
		val = req.Run
	case fieldModel:
		val = req.Model
	case fieldInput:
		val = conversation.AppendTexts(nil, input, `\n`)
	case fieldSystem:
		system, _ := conversation.Leading(req.Messages)
		val = conversation.AppendTexts(nil, system, `\n\n`)
	case fieldHistory:
		return appendConversation(nil, history), true, true
	case fieldMessages:
		return appendConversation(nil, req.Messages), true, true
	case fieldTools:
		return appendToolList(nil, req.Tools.Defs), true, true
	case fieldResults:
		return appendResults(nil, conversation.Returned(req)), true, true
	case fieldAnswers:
		return appendAnswers(nil, conversation.Decided(req)), true, true
	case fieldState:
		return req.State, true, len(req.State) > 0
	case fieldBody:
		return req.Body, true, len(req.Body) > 0
	}
	return val, false, len(val) > 0
}

// roleWords are the roles in $messages and $history.
var roleWords = map[hub.Role]string{hub.RoleSystem: "system", hub.RoleUser: "user", hub.RoleAgent: "assistant"}

// appendConversation appends what was said as a list of role and content.
func appendConversation(dst []byte, ms []hub.Message) []byte {
	w := jsonwriter.New(dst)
	w.Open('[')
	for i := range ms {
		text := conversation.Texts(&ms[i])
		if role := roleWords[ms[i].Role]; role != "" && len(text) > 0 {
			w.Open('{')
			w.Const("role", role)
			w.Text("content", text)
			w.Close('}')
		}
	}
	w.Close(']')
	return w.Buf
}

func appendToolList(dst []byte, tools []hub.Tool) []byte {
	w := jsonwriter.New(dst)
	w.Open('[')
	for i := range tools {
		t := &tools[i]
		if t.Meta.Dialect != "" {
			continue
		}
		w.Open('{')
		w.Text("name", t.Name)
		w.TextIf("description", t.Description)
		w.ValueIf("parameters", t.Schema)
		w.Close('}')
	}
	w.Close(']')
	return w.Buf
}

func appendResults(dst []byte, calls []hub.Part) []byte {
	w := jsonwriter.New(dst)
	w.Open('[')
	for i := range calls {
		appendResult(w, &calls[i])
	}
	w.Close(']')
	return w.Buf
}

func appendResult(w *jsonwriter.Writer, p *hub.Part) {
	r := p.Result
	w.Open('{')
	w.Text("id", p.ID)
	w.TextIf("name", p.Name)
	if r.Value != nil {
		w.Value("result", r.Value)
	} else {
		w.Text("result", rawjson.First(r.Text, r.Err))
	}
	w.Bool("error", r.Status != hub.StatusOK)
	w.Close('}')
}

func appendAnswers(dst []byte, answers []hub.Decision) []byte {
	w := jsonwriter.New(dst)
	w.Open('[')
	for i := range answers {
		a := &answers[i]
		w.Open('{')
		w.Text("id", a.Ask)
		w.TextIf("call", a.Call)
		if a.Decided {
			w.Bool("approved", a.Approved)
		}
		w.TextIf("reason", a.Reason)
		w.ValueIf("value", a.Payload)
		w.Bool("cancelled", a.Cancelled)
		w.Close('}')
	}
	w.Close(']')
	return w.Buf
}
