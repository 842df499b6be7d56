package copilot

import (
	"bytes"
	"errors"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// opening is how a driver comes to a session.
type opening struct {
	stage   stage
	call    int64 // whose response the next stage waits for
	dir     string
	model   []byte
	session []byte
	tools   []byte // raw: those of the client, as the session was opened with them; nil for none
	create  []byte // raw: members of the configuration
}

type stage uint8

const (
	closed   stage = iota
	greeting       // connect was sent
	starting       // a session was asked for
	ready
	broken
)

// greet appends the first call.
func (o *opening) greet(dst []byte, rpc *jsonrpc.Caller, tools []byte) []byte {
	o.stage, o.tools = greeting, tools
	dst, o.call = rpc.Call(dst, "connect", func(*jsonwriter.Writer) {})
	return dst
}

// opened takes a response before the session is there, and appends what comes next.
func (o *opening) opened(dst []byte, rpc *jsonrpc.Caller, m *jsonrpc.Message) (out, session []byte, f *hub.Failure) {
	switch {
	case !m.Answers(o.call):
		return dst, nil, nil
	case m.Failed():
		return dst, nil, o.refused(m)
	case o.stage == greeting:
		return o.enter(dst, rpc), nil, nil
	}
	if o.session = bytes.Clone(rawjson.Text(m.Result, "sessionId")); len(o.session) == 0 {
		return dst, nil, hub.Fail(hub.CodeMalformed, errors.New("the session has no id"))
	}
	o.stage = ready
	return dst, o.session, nil
}

// enter asks for the session. What the configuration says stands before what Sabir needs.
func (o *opening) enter(dst []byte, rpc *jsonrpc.Caller) []byte {
	method := "session.create"
	if len(o.session) > 0 {
		method = "session.resume"
	}
	o.stage = starting
	dst, o.call = rpc.Call(dst, method, func(w *jsonwriter.Writer) {
		for name, v := range rawjson.EachField(o.create) {
			if !ownMembers.Has(name) && (string(name) != "model" || len(o.model) == 0) {
				w.Value(string(name), v)
			}
		}
		w.TextIf("sessionId", o.session)
		w.Text("workingDirectory", rawjson.AppendEscaped(nil, []byte(o.dir)))
		w.TextIf("model", o.model)
		w.ValueIf("tools", o.tools)
		w.Bool("streaming", true)
		w.Bool("requestPermission", true)
		w.Bool("requestUserInput", true)
		w.Const("envValueMode", "direct")
	})
	return dst
}

// ownMembers are those of a session that Sabir has to say itself.
var ownMembers = rawjson.NamesOf([]string{
	"sessionId", "workingDirectory", "tools", "streaming", "requestPermission", "requestUserInput", "envValueMode",
})

// refused is the failure for an error in place of a session.
func (o *opening) refused(m *jsonrpc.Message) *hub.Failure {
	note := "It did not begin a conversation."
	if o.stage == starting && len(o.session) > 0 {
		note = "It does not know the session."
	}
	return &hub.Failure{Code: hub.CodeAgent, Note: note, Cause: m.Fault()}
}

// clientTools are the tools that the client runs, nil for none. One that is called like a tool of Copilot's takes its place: it is the client's to
// say what the model can call so. Whether a call may run is the client's to ask, too.
func clientTools(req *hub.Request, l *hub.Losses) []byte {
	tools := conversation.Tools(req.Tools.Defs, name, l)
	if len(tools) == 0 {
		return nil
	}
	conversation.LostStrict(tools, l)
	w := jsonwriter.New(nil)
	w.Open('[')
	for _, t := range tools {
		w.Open('{')
		w.Text("name", t.Name)
		w.Text("description", t.Description)
		w.Value("parameters", rawjson.Or(t.Schema, `{"type":"object","properties":{}}`))
		w.Bool("overridesBuiltInTool", true)
		w.Bool("skipPermission", true)
		w.Close('}')
	}
	w.Close(']')
	return rawjson.AppendCompact(nil, w.Buf)
}
