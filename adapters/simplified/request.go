package simplified

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes the body of POST /api/chat: the user's message, and before it what both have said, as pairs of who and
// what.
type requests struct{}

// read are the members that have a place in the model. content and chatId stand in the message as well.
var read = rawjson.NamesOf([]string{"message", "content", "chatId", "history", "chatModel"})

// defaultFocus is the mode in which the server looks for what it says.
const defaultFocus = "webSearch"

// DecodeRequest takes the id of the chat, and that of the user's message, by which client and server know the run: it is
// what /api/chat/cancel names. The message of the answer must have another.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	o, err := rawjson.DecodeObject(body)
	if err != nil {
		return hub.JSONError(err)
	}
	message := o.Get("message")
	req.Run, req.Body = rawjson.Text(message, "messageId"), body
	req.Thread = rawjson.First(rawjson.Text(message, "chatId"), o.Text("chatId"))
	b := conversation.Builder{}
	decodeHistory(&b, o.Get("history"))
	m := b.Begin(hub.RoleUser, req.Run)
	if said := rawjson.Text(message, "content"); len(said) > 0 {
		m.Parts = append(m.Parts, hub.Part{Kind: hub.PartText, Text: said})
	}
	req.Messages = b.Messages
	if model := o.Get("chatModel"); len(rawjson.Text(model, "name")) > 0 {
		req.Model = bytes.Join([][]byte{rawjson.Text(model, "provider"), rawjson.Text(model, "name")}, []byte("/"))
	}
	req.Extra = conversation.Extra(o, name, read.Has)
	req.Demanded.AddIf("extra", !hasChoice(req.Extra.Raw))
	req.Remember(false)
	if images := o.Get("messageImageIds"); len(m.Parts) == 0 && len(rawjson.Value(bytes.Trim(images, "[] "))) == 0 { // servers refuse it
		return hub.NewError(hub.ReasonMissing, "message.content", -1, "want what the user says")
	}
	return nil
}

// hasChoice reports whether a client has chosen one of its extra members. The server demands a mode and the model with which it embeds what it
// finds, and clients send lists in which nothing is.
func hasChoice(extra rawjson.Value) bool {
	for key, v := range rawjson.EachField(extra) {
		switch value := string(v); {
		case value == "[]", string(key) == "embeddingModel", string(key) == "focusMode" && value == `"`+defaultFocus+`"`:
		default:
			return true
		}
	}
	return false
}

// AppendRequest writes the body. A model is named with its provider, openai/gpt-5; servers want one.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	history, _ := conversation.SplitInput(req.Messages)
	news, err := conversation.News(req, name, l)
	if err != nil {
		return dst, err
	}
	conversation.LostNames(history, l)
	conversation.LostParts(news, l)
	history, unanswered := splitAnswered(history)
	conversation.LostParts(unanswered, l)
	prompt := conversation.AppendTexts(nil, append(users(unanswered), news...), `\n`)
	if conversation.Blank(prompt) { // which servers refuse
		return dst, conversation.NothingNew()
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.OpenAt("message", '{')
	w.Text("messageId", rawjson.First(req.Run, req.Unique))
	w.Text("chatId", rawjson.First(req.Thread, req.Unique))
	w.Text("content", prompt)
	w.Close('}')
	own := req.Extra.Of(name)
	if rawjson.Get(own, "focusMode") == nil {
		w.Const("focusMode", defaultFocus)
	}
	w.Key("history")
	w.Append(func(dst []byte) []byte { return appendHistory(dst, history, l) })
	if rawjson.Get(own, "files") == nil {
		w.Value("files", []byte("[]"))
	}
	if provider, model, ok := bytes.Cut(req.Model, []byte("/")); ok {
		w.OpenAt("chatModel", '{')
		w.Text("provider", provider)
		w.Text("name", model)
		w.Close('}')
	}
	conversation.AppendExtra(w, req, name)
	w.Close('}')
	settings.LostAll(req, l)
	return w.Buf, nil
}

// splitAnswered splits off what stands behind the last text of the agent's: what the user says there has no answer that could be written,
// and is part of the question.
func splitAnswered(history []hub.Message) (answered, unanswered []hub.Message) {
	n := len(history)
	for n > 0 && (history[n-1].Role != hub.RoleAgent || len(spoken(&history[n-1])) == 0) {
		n--
	}
	return history[:n], history[n:]
}

func users(ms []hub.Message) (said []hub.Message) {
	for i := range ms {
		if ms[i].Role == hub.RoleUser {
			said = append(said, ms[i])
		}
	}
	return said
}
