package a2a

import (
	"bytes"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// spoken is the version and the binding that a request is written in: those of the agent's options, or those of a client of this
// dialect, or else 1.0 and JSON-RPC.
func spoken(req *hub.Request) (version string, rpc bool) {
	version, binding := req.Upstream.EnumOr("version", "auto"), req.Upstream.EnumOr("binding", "auto")
	ours := isOurs(req)
	if version == "auto" {
		version = version1
		if ours {
			version = string(req.Version)
		}
	}
	if binding == "auto" && ours && len(req.Call) == 0 {
		binding = "rest"
	}
	return version, binding != "rest"
}

// isOurs reports whether a request is of a client of this dialect.
func isOurs(req *hub.Request) bool {
	return string(req.Version) == version1 || string(req.Version) == version03
}

// requestHeader is what tells a server that a body is of version 1.0: without it, it takes every body for one of 0.3.
func requestHeader(upstream hub.Options) []hub.HeaderField {
	if upstream.EnumOr("version", "auto") == version03 {
		return nil
	}
	return []hub.HeaderField{{Name: "A2A-Version", Value: version1}}
}

// AppendRequest writes a message with what the user says that is new, in the context that the thread names. Answers to the questions
// of a task go into that task.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	version, rpc := spoken(req)
	said := says{answers: conversation.Decided(req)}
	said.chooseTask(l)
	if err := said.takeNews(req, l); err != nil {
		return dst, err
	}
	w := writer{Writer: jsonwriter.New(dst), shape: shapeOf(version, rpc), losses: l}
	w.Open('{')
	if rpc {
		w.Const("jsonrpc", "2.0")
		w.Value("id", callID(req.Call))
		w.Const("method", methodOf(version, asksFor(req)))
		w.OpenAt("params", '{')
	}
	w.TextIf("tenant", rawjson.Text(req.Extra.Of(nameRaw), "tenant"))
	w.Key("message")
	written := w.news(req, &said)
	w.configuration(req)
	w.ValueIf("metadata", rawjson.Get(req.Extra.Of(nameRaw), "metadata"))
	w.Close('}')
	if rpc {
		w.Close('}')
	}
	settings.LostAll(req, l)
	if !written {
		return dst, hub.NewError(hub.ReasonMissing, "messages", -1, "what the user says has no form in a message")
	}
	return w.Buf, nil
}

// callID is the id of the call: that of the client, if it has one.
func callID(asked rawjson.Value) rawjson.Value {
	if k := rawjson.Kind(asked); k == '"' || k == '0' {
		return asked
	}
	return rawjson.Value("1")
}

func asksFor(req *hub.Request) hub.Operation {
	if req.AskWhole {
		return hub.OpWhole
	}
	return hub.OpRun
}

func methodOf(version string, op hub.Operation) string {
	for name, m := range methods {
		if m == op && strings.Contains(name, "/") == (version == version03) {
			return name
		}
	}
	return ""
}

// configuration writes the settings of the call. An agent of 0.3 that is asked for one piece answers at once, unless blocking is set.
func (w *writer) configuration(req *hub.Request) {
	w.OpenAt("configuration", '{')
	for key, v := range rawjson.EachField(rawjson.Get(req.Extra.Of(nameRaw), "configuration")) {
		if string(key) == "acceptedOutputModes" {
			w.Value(string(key), v)
		} else {
			w.losses.Add("extra") // the versions have other names
		}
	}
	if w.shape != shapeV1 {
		w.Bool("blocking", true)
	}
	w.Close('}')
}

// says is what a request says to the agent.
type says struct {
	answers []hub.Decision
	task    []byte // that the answers are for
	news    []hub.Message
}

// chooseTask finds the task whose questions are answered. A message is of one task: answers to others, and those to questions of which
// the task is not known, are lost.
func (s *says) chooseTask(l *hub.Losses) {
	var kept []hub.Decision
	for _, d := range s.answers {
		task := taskAsked(d.Ask)
		if len(task) == 0 && len(d.Ask) > 0 || len(kept) > 0 && !bytes.Equal(task, s.task) {
			l.Add("answers")
			continue
		}
		s.task, kept = task, append(kept, d)
	}
	s.answers = kept
}

// takeNews takes what the user says that is new. An answer says enough. In a context that is new, the agent knows nothing of what was said
// before; it stands in front, as text.
func (s *says) takeNews(req *hub.Request, l *hub.Losses) error {
	s.news = conversation.Said(req, l)
	conversation.LostToKeepers(req, nameRaw, l)
	l.AddIf("messages.result", len(conversation.Returned(req)) > 0)
	if req.Resumes && isOurs(req) && len(s.task) == 0 {
		s.task = req.Run
	}
	if len(s.task) == 0 && len(s.answers) > 0 {
		l.Add("answers")
		s.answers = nil
	}
	if len(s.news)+len(s.answers) == 0 {
		return conversation.NothingNew()
	}
	if isNew := req.NewSession || len(req.Session)+len(req.Thread) == 0; isNew && !req.Partial && len(s.task)+len(s.answers) == 0 {
		before, _ := conversation.SplitInput(req.Messages)
		s.putInFront(conversation.Preamble(before))
	}
	return nil
}

// putInFront puts a text in front of what the user says: into its first text, as many agents read no other.
func (s *says) putInFront(text []byte) {
	if text == nil {
		return
	}
	parts := &s.news[0].Parts
	*parts = slices.Clone(*parts)
	if len(*parts) == 0 || (*parts)[0].Kind != hub.PartText {
		*parts = slices.Insert(*parts, 0, hub.Part{Kind: hub.PartText})
	}
	(*parts)[0].Text = slices.Concat(text, (*parts)[0].Text)
}

// The id of a question is that of its task and of the message that asks. Clients answer by it, and the task must go on.
const askMark = '#'

// taskAsked is the task of a question, nil if its id does not say.
func taskAsked(ask []byte) []byte {
	if i := bytes.IndexByte(ask, askMark); i > 0 {
		return ask[:i]
	}
	return nil
}

// news writes one message with all that is new, and reports whether it has any part.
func (w *writer) news(req *hub.Request, s *says) bool {
	head := hub.Message{Role: hub.RoleUser}
	if n := len(s.news); n > 0 {
		head.ID, head.Meta = s.news[n-1].ID, withoutReferences(s.news[n-1].Meta, w.losses)
	}
	if len(head.ID) == 0 {
		head.ID = append([]byte("message-"), rawjson.Or(req.Unique, "1")...)
	}
	w.openMessage(&head, head.ID, rawjson.First(req.Session, req.Thread), s.task)
	from := len(w.Buf)
	for i := range s.news {
		w.parts(&s.news[i])
	}
	for i := range s.answers {
		w.answer(&s.answers[i], len(s.news) == 0)
	}
	written := len(w.Buf) > from
	w.Close(']')
	w.Close('}')
	return written
}

// withoutReferences are the members of a message but for those that name other tasks: what clients know these by are not the names that the agent
// has for them.
func withoutReferences(m hub.Meta, l *hub.Losses) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	for key, v := range rawjson.EachField(m.Of(nameRaw)) {
		name := string(key)
		if name != "referenceTaskIds" && name != "reference_task_ids" {
			w.Value(name, v)
			continue
		}
		for range rawjson.Each(v) {
			l.Add("messages.references")
		}
	}
	w.Close('}')
	return own(w.Buf)
}

// answer writes what the user answered: in words, where the user says nothing else, for agents that read nothing but these, and as data.
func (w *writer) answer(d *hub.Decision, inWords bool) {
	text, isText := rawjson.Str(d.Payload)
	switch {
	case isText:
		w.text(text)
		return
	case inWords && len(d.Reason) > 0:
		w.text(d.Reason)
	case inWords && d.Decided:
		w.text([]byte(map[bool]string{true: "yes", false: "no"}[d.Approved]))
	case inWords && d.Cancelled:
		w.text([]byte("cancelled"))
	case inWords && len(d.Payload) > 0:
		w.text(inForm(d.Payload))
	}
	if rawjson.Kind(d.Payload) == '{' {
		w.data(d.Payload, nil)
		return
	}
	v := jsonwriter.New(nil)
	v.Open('{')
	v.Bool("approved", d.Decided && d.Approved)
	v.TextIf("reason", d.Reason)
	if !d.Decided {
		v.ValueIf("answer", d.Payload)
	}
	v.Close('}')
	w.data(v.Buf, nil)
}

// inForm are the words of an answer that was filled into a form: those of its only field, or else all of it as it is.
func inForm(payload rawjson.Value) []byte {
	only := rawjson.Fields(payload)
	_, val, _ := only.Next()
	if _, _, more := only.Next(); !more {
		if words, ok := rawjson.Str(val); ok {
			return words
		}
	}
	return rawjson.AppendEscaped(nil, payload)
}
