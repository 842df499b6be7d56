package aisdk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body that DefaultChatTransport sends: {"id", "messages", "trigger", "messageId"?, …}.
type requests struct{}

// DecodeRequest takes the id of the chat as the thread. Where the answer goes on with a message of the agent's, that is the
// run: a client would show another id as a second message. Applications that keep the history on the server send the last
// message alone.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var chat struct {
		ID        rawjson.Value `json:"id"`
		Trigger   rawjson.Value `json:"trigger"`
		MessageID rawjson.Value `json:"messageId"`
		Messages  rawjson.Value `json:"messages"`
		Message   rawjson.Value `json:"message"`
		All       rawjson.Object
	}
	if err := json.Decode(body, &chat); err != nil {
		return hub.JSONError(err)
	}
	req.Thread, req.Body, req.Extra = rawjson.Body(chat.ID), body, conversation.Others(&chat.All, Dialect.Name, "id", "trigger", "messageId", "messages", "message")
	if err := conversation.WantList("messages", chat.Messages); err != nil {
		return err
	}
	if req.Partial = rawjson.Kind(chat.Messages) != '['; req.Partial {
		b := conversation.Builder{}
		message := rawjson.ReadObject(chat.Message)
		decodeMessage(&b, &message)
		req.Messages = b.Messages
	} else {
		req.Messages, _ = messages{}.DecodeMessages(nil, chat.Messages)
	}
	req.Trigger = trigger(req.Messages, rawjson.Body(chat.Trigger), rawjson.Body(chat.MessageID))
	markReturned(req.Messages)
	req.Run = continued(req.Messages, rawjson.Body(chat.MessageID))
	req.Remember(true)
	return nil
}

// trigger tells whether a request goes back in the chat. A message of the user's that the request names has taken the place of an earlier one.
func trigger(ms []hub.Message, what, named []byte) hub.Trigger {
	n := len(ms)
	switch {
	case string(what) == "regenerate-message":
		return hub.TriggerRegenerate
	case n > 0 && ms[n-1].Role == hub.RoleUser && len(named) > 0 && bytes.Equal(ms[n-1].ID, named):
		return hub.TriggerEdit
	}
	return hub.TriggerNone
}

// markReturned marks the calls that the client has run. Requests name no tools, but clients go on by themselves with the message
// whose last step they have completed, and what the agent has run says so there, or was approved.
func markReturned(ms []hub.Message) {
	if len(ms) == 0 || ms[len(ms)-1].Role != hub.RoleAgent {
		return
	}
	last := &ms[len(ms)-1]
	for i := range last.Parts {
		p := &last.Parts[i]
		ran, _ := rawjson.Bool(rawjson.Get(p.Meta.Of(Dialect.Name), "providerExecuted"))
		p.ClientRuns = p.Kind == hub.PartCall && p.Result != nil && p.Approval == nil && !ran
	}
}

// continued returns the id of the agent's message that the answer goes on with: the one that the request names, or the last of
// the history. nil if that is the user's.
func continued(ms []hub.Message, named []byte) []byte {
	for i := range ms {
		if ms[i].Role == hub.RoleAgent && len(named) > 0 && bytes.Equal(ms[i].ID, named) {
			return ms[i].ID
		}
	}
	if n := len(ms); n > 0 && ms[n-1].Role == hub.RoleAgent {
		return ms[n-1].ID
	}
	return nil
}

// AppendRequest writes the whole conversation, whatever the client has sent of it: agents take nothing else, unless their
// application has a form of its own.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	ms := conversation.Ready(req.Messages)
	w := jsonwriter.New(dst)
	w.Open('{')
	for key, value := range rawjson.EachField(req.Extra.Of(Dialect.Name)) {
		w.Value(string(key), value)
	}
	w.Text("id", rawjson.First(req.Thread, append([]byte("chat-"), rawjson.Or(req.Unique, "1")...)))
	w.Key("messages")
	var continued []byte
	w.Append(func(dst []byte) []byte {
		dst, continued = appendMessages(dst, ms, answersOf(req, ms, l), l)
		return dst
	})
	if req.Trigger == hub.TriggerRegenerate {
		w.Const("trigger", "regenerate-message")
	} else {
		w.Const("trigger", "submit-message")
	}
	if req.Trigger == hub.TriggerEdit && len(ms) > 0 {
		continued = ms[len(ms)-1].ID
	}
	w.TextIf("messageId", continued)
	w.Close('}')
	settings.LostAll(req, l)
	l.AddIf("tools", len(req.Tools.Defs) > 0)
	l.AddIf("state", len(req.State) > 0)
	l.AddIf("context", len(req.Context) > 0)
	l.AddIf("extra", req.Extra.Raw != nil && req.Extra.Of(Dialect.Name) == nil)
	return w.Buf, nil
}

// answersOf finds the calls that the answers of a request are about. What is no yes or no has no form here, and no call is
// approved by a guess between several.
func answersOf(req *hub.Request, ms []hub.Message, l *hub.Losses) map[*hub.Part]*hub.Decision {
	if len(req.Answers) == 0 {
		return nil
	}
	open, done := callsOf(ms)
	byName := namesOf(open)
	found := map[*hub.Part]*hub.Decision{}
	for i := range req.Answers {
		d := &req.Answers[i]
		p := byName.asked(open, d)
		if p == nil && len(req.Answers) == 1 && len(open) == 1 && len(d.Call) == 0 && namesOf(done).asked(done, d) == nil {
			p = open[0]
		}
		if p == nil || !d.Decided && !d.Cancelled || found[p] != nil {
			l.Add("answers")
			continue
		}
		found[p] = d
	}
	return found
}

// callsOf are the calls without a result, and those that have one.
func callsOf(ms []hub.Message) (open, done []*hub.Part) {
	for i := range ms {
		if ms[i].Role != hub.RoleAgent {
			continue
		}
		for j := range ms[i].Parts {
			switch p := &ms[i].Parts[j]; {
			case p.Kind != hub.PartCall:
			case p.Result == nil:
				open = append(open, p)
			default:
				done = append(done, p)
			}
		}
	}
	return open, done
}

// callNames say where the first call of a name stands in a list. A request may have thousands of calls and of answers.
type callNames struct{ ids, asks map[string]int }

func namesOf(calls []*hub.Part) (n callNames) {
	n = callNames{ids: map[string]int{}, asks: map[string]int{}}
	for i, p := range calls {
		noteFirst(n.ids, p.ID, i)
		if p.Approval != nil {
			noteFirst(n.asks, p.Approval.ID, i)
		}
	}
	return n
}

// noteFirst notes a place, unless the name is known or there is none.
func noteFirst(places map[string]int, name []byte, place int) {
	if _, known := places[string(name)]; !known && len(name) > 0 {
		places[string(name)] = place
	}
}

// asked returns the first of the calls that an answer names: by its id, or by that of the question, which agents make of it.
func (n callNames) asked(calls []*hub.Part, d *hub.Decision) *hub.Part {
	first := len(calls)
	look := func(places map[string]int, name []byte) {
		if place, ok := places[string(name)]; ok {
			first = min(first, place)
		}
	}
	look(n.asks, d.Ask)
	if len(d.Call) > 0 {
		look(n.ids, d.Call)
	} else {
		look(n.ids, d.Ask)
		look(n.ids, bytes.TrimPrefix(d.Ask, []byte("int-")))
	}
	if first == len(calls) {
		return nil
	}
	return calls[first]
}
