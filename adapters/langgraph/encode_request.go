package langgraph

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// serverDecides leaves to the server what becomes of a run in a busy thread.
const serverDecides = "server"

// AppendRequest writes the body that asks for a run. In a thread it holds what is new, or what was decided about an interrupt. Without
// one, and in a thread that is new, it holds the whole conversation.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Text("assistant_id", rawjson.Or(req.Model, defaultGraph))
	if err := appendInput(w, req, l); err != nil {
		return dst, err
	}
	for _, name := range extras {
		w.ValueIf(name, rawjson.Get(req.Extra.Of(nameRaw), name))
	}
	w.Value("stream_mode", []byte(`["messages-tuple","updates","custom"]`)) // only updates carry interrupts
	w.Const("on_disconnect", req.Upstream.EnumOr("disconnect", "cancel"))
	if len(req.Session) > 0 {
		if req.NewSession {
			w.Const("if_not_exists", "create")
		}
		if strategy := req.Upstream.EnumOr("multitask", serverDecides); strategy != serverDecides {
			w.Const("multitask_strategy", strategy)
		}
	}
	w.Close('}')
	settings.LostAll(req, l)
	return w.Buf, nil
}

// appendInput writes the input of the graph.
func appendInput(w *jsonwriter.Writer, req *hub.Request, l *hub.Losses) error {
	if len(req.Session) == 0 {
		lostBeside(req, l)
		appendMessages(w, req, conversation.Ready(req.Messages), false, l)
		return nil
	}
	decided := conversation.Decided(req)
	rest := *req
	rest.Answers = nil // they have a place here
	switch {
	case len(decided) > 0 && req.NewSession:
		return hub.NewError(hub.ReasonMissing, "answers", -1, "the thread in which was asked is not there")
	case len(decided) > 0:
		l.AddIf("messages.result", len(conversation.Returned(req)) > 0)
		conversation.LostToKeepers(&rest, nameRaw, l)
		return appendResume(w, req, decided, l)
	}
	lostBeside(&rest, l)
	if anew := req.Trigger != hub.TriggerNone; anew || req.NewSession {
		appendMessages(w, req, conversation.Ready(req.Messages), anew && !req.NewSession, l)
		return nil
	}
	news := newMessages(req, l)
	if len(news) == 0 {
		return conversation.NothingNew()
	}
	appendMessages(w, req, news, false, l)
	return nil
}

// lostBeside notes what has no place beside the messages. A state of members has: they are set in that of the graph.
func lostBeside(req *hub.Request, l *hub.Losses) {
	l.AddIf("tools", len(req.Tools.Defs) > 0) // the graph has its own
	lost := *req
	if rawjson.Kind(req.State) == '{' {
		lost.State = nil
	}
	conversation.LostBeside(&lost, nameRaw, l)
}

// newMessages are what is new to the thread: results of calls that it waits for, and what the user says.
func newMessages(req *hub.Request, l *hub.Losses) []hub.Message {
	results := slices.Concat(conversation.LeftBehind(req), conversation.Returned(req))
	said := conversation.SaidBy(req, l)
	if len(results) == 0 {
		return said
	}
	return append([]hub.Message{{Role: hub.RoleResults, Parts: results}}, said...)
}

// forgetAll is a message that takes all others out of the state of a thread.
const forgetAll = `{"type":"remove","id":"__remove_all__","content":""}`

// appendMessages writes the input: messages, behind those that the thread has or, anew, in their place; and the state.
func appendMessages(w *jsonwriter.Writer, req *hub.Request, ms []hub.Message, anew bool, l *hub.Losses) {
	w.OpenAt("input", '{')
	w.Key("messages")
	w.Append(func(dst []byte) []byte {
		from := len(dst)
		if dst = (messages{}).AppendMessages(dst, ms, l); !anew {
			return dst
		}
		separator := ","
		if string(dst[from:]) == "[]" {
			separator = ""
		}
		return slices.Insert(dst, from+1, []byte(forgetAll+separator)...)
	})
	for key, value := range rawjson.EachField(without(req.State, "messages")) {
		w.Value(string(key), value)
	}
	w.Close('}')
}
