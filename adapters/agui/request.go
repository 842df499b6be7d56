package agui

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

// requests reads and writes RunAgentInput, the body that opens a run.
type requests struct{}

// DecodeRequest takes the names that the client has for the conversation and the run, so that the stream can echo
// them. Both are required by the protocol; a body without them is left to the agent to refuse.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var input struct {
		ThreadID rawjson.Value `json:"threadId"`
		RunID    rawjson.Value `json:"runId"`
		State    rawjson.Value `json:"state"`
		Messages rawjson.Value `json:"messages"`
		Tools    rawjson.Value `json:"tools"`
		Context  rawjson.Value `json:"context"`
		Props    rawjson.Value `json:"forwardedProps"`
		Resume   rawjson.Value `json:"resume"`
		All      rawjson.Object
	}
	if err := json.Decode(body, &input); err != nil {
		return hub.JSONError(err)
	}
	req.Thread, req.Run, req.Body = rawjson.Body(input.ThreadID), rawjson.Body(input.RunID), body
	req.Tools.Known = rawjson.Kind(input.Tools) == '['
	conversation.ReadTools(req, input.Tools, func(_ rawjson.Value, o *rawjson.Object) hub.Tool { return conversation.ReadTool(o, "parameters") })
	for c := range rawjson.Each(input.Context) {
		req.Context = append(req.Context, decodeContext(c))
	}
	req.State = filled(input.State)
	if props := filled(input.Props); props != nil {
		req.Extra = own(props)
	}
	req.Beside.Dialect = Dialect.Name
	req.Unread.AddIf("extra", conversation.HasBeyond(&input.All, readOfRequests))
	req.Answers = decodeAnswers(input.Resume, input.Props)
	req.Partial = rawjson.Kind(input.Messages) != '['
	if err := conversation.WantList("messages", input.Messages); err != nil {
		return err
	}
	var err error
	req.Messages, err = decodeMessages(nil, input.Messages)
	req.Beside.AddIf("messages.metadata", slices.ContainsFunc(req.Messages, hasMetadata))
	conversation.MarkClients(req.Messages, &req.Tools)
	req.Messages = takeEchoes(req.Messages, req.Answers)
	req.Remember(true)
	return err
}

var readOfRequests = rawjson.NamesOf([]string{
	"threadId", "runId", "parentRunId", "state", "messages", "tools", "context", "forwardedProps", "resume",
})

// hasMetadata reports whether there are metadata of the application's in a message, a call or a file.
func hasMetadata(m hub.Message) bool {
	says := func(v rawjson.Value, known string) bool {
		for key := range rawjson.EachField(v) {
			if string(key) != known {
				return true
			}
		}
		return false
	}
	return says(rawjson.Get(m.Meta.Of(Dialect.Name), "metadata"), ownKey) || slices.ContainsFunc(m.Parts, func(p hub.Part) bool {
		own := p.Meta.Of(Dialect.Name)
		return p.Kind == hub.PartCall && says(own, ownKey) || p.Kind == hub.PartFile && says(rawjson.Get(own, "metadata"), fileName)
	})
}

// filled is v, or nil where there is nothing in it: clients write {} for what the application has not set.
func filled(v rawjson.Value) rawjson.Value {
	if rawjson.IsNull(v) || rawjson.IsEmptyObject(v) {
		return nil
	}
	return v
}

func decodeContext(v rawjson.Value) hub.Context {
	c := hub.Context{Description: rawjson.Text(v, "description")}
	value := rawjson.NotNull(rawjson.Get(v, "value"))
	if text, ok := rawjson.Str(value); ok {
		c.Value = text
	} else if value != nil {
		c.Value = rawjson.AppendEscaped(nil, value)
	}
	return c
}

// AppendRequest writes all members that agents of any version require, even where there is nothing in them.
func (requests) AppendRequest(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error) {
	w := jsonwriter.New(dst)
	w.Open('{')
	appendID(w, "threadId", req.Thread, "thread-", req.Unique)
	appendID(w, "runId", req.Run, "run-", req.Unique)
	conversation.LostStrict(req.Tools.Defs, l)
	w.Value("state", orEmpty(req.State))
	w.Key("messages")
	w.Append(func(dst []byte) []byte { return messages{}.AppendMessages(dst, conversation.Ready(req.Messages), l) })
	appendTools(w, req.Tools.Defs, l)
	appendContext(w, req.Context)
	w.Value("forwardedProps", orEmpty(req.Extra.Of(Dialect.Name)))
	l.AddIf("extra", req.Extra.Raw != nil && req.Extra.Of(Dialect.Name) == nil)
	appendAnswers(w, req, l)
	w.Close('}')
	settings.LostAll(req, l)
	return w.Buf, nil
}

// appendID writes an id of the client's, or one that is made for want of it.
func appendID(w *jsonwriter.Writer, name string, id []byte, prefix string, unique []byte) {
	if len(id) > 0 {
		w.Text(name, id)
		return
	}
	w.TextOf(name, []byte(prefix), rawjson.Or(unique, "1"))
}

func orEmpty(v rawjson.Value) rawjson.Value {
	if len(v) == 0 {
		return rawjson.Value("{}")
	}
	return v
}

// anyArguments is the schema of a tool that came without one.
const anyArguments = `{"type":"object","properties":{}}`

func appendTools(w *jsonwriter.Writer, tools []hub.Tool, l *hub.Losses) {
	w.OpenAt("tools", '[')
	for i := range tools {
		t := &tools[i]
		if t.Meta.Dialect != "" {
			l.Add("tools.builtin")
			continue
		}
		w.Open('{')
		w.Text("name", t.Name)
		w.Text("description", t.Description)
		w.Value("parameters", rawjson.Value(rawjson.Or(t.Schema, anyArguments)))
		w.Close('}')
	}
	w.Close(']')
}

func appendContext(w *jsonwriter.Writer, all []hub.Context) {
	w.OpenAt("context", '[')
	for i := range all {
		w.Open('{')
		w.Text("description", all[i].Description)
		w.Text("value", all[i].Value)
		w.Close('}')
	}
	w.Close(']')
}
