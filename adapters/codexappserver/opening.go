package codexappserver

import (
	"bytes"
	"errors"
	"hash/fnv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// opening is how a driver comes to a thread.
type opening struct {
	stage   stage
	call    int64 // whose response the next stage waits for
	dir     string
	model   []byte
	thread  []byte
	dynamic []byte // the tools of the client that the thread is started with
	tools   uint64 // digest of these
	history []byte // items that were said before
}

type stage uint8

const (
	closed   stage = iota
	greeting       // initialize was sent
	starting       // a thread was asked for
	seeding        // it receives the history
	ready
	broken
)

// greet appends the first call. What the thread begins with is kept until it is there.
func (o *opening) greet(dst []byte, rpc *jsonrpc.Caller, req *hub.Request, l *hub.Losses) []byte {
	o.stage, o.tools = greeting, digest(req)
	if len(o.thread) == 0 {
		o.dynamic, o.history = dynamicTools(req, l), historyOf(req, l)
	}
	dst, o.call = rpc.Call(dst, "initialize", func(w *jsonwriter.Writer) {
		w.OpenAt("clientInfo", '{')
		w.Const("name", "sabir")
		w.Const("title", "Sabir")
		w.Const("version", "1")
		w.Close('}')
		w.OpenAt("capabilities", '{')
		w.Bool("experimentalApi", true) // for tools of the client, and its history
		w.Close('}')
	})
	return dst
}

// opened takes a response before the thread is there, and appends what comes next.
func (o *opening) opened(dst []byte, rpc *jsonrpc.Caller, m *jsonrpc.Message) (out, session []byte, f *hub.Failure) {
	if !m.Answers(o.call) {
		return dst, nil, nil
	}
	switch {
	case m.Failed():
		return dst, nil, o.refused(m)
	case o.stage == greeting:
		return o.enter(rpc.Notify(dst, "initialized", nil), rpc), nil, nil
	case o.stage == seeding:
		o.stage, o.history = ready, nil
		return dst, nil, nil
	}
	if o.thread = bytes.Clone(rawjson.Text(m.Result, "thread", "id")); len(o.thread) == 0 {
		return dst, nil, hub.Fail(hub.CodeMalformed, errors.New("the thread has no id"))
	}
	if o.stage, o.dynamic = ready, nil; o.history != nil {
		dst = o.seed(dst, rpc)
	}
	return dst, o.thread, nil
}

// enter asks for the thread. What it is allowed to do is left to the configuration of the agent.
func (o *opening) enter(dst []byte, rpc *jsonrpc.Caller) []byte {
	method := "thread/start"
	if len(o.thread) > 0 {
		method = "thread/resume"
	}
	o.stage = starting
	dst, o.call = rpc.Call(dst, method, func(w *jsonwriter.Writer) {
		if len(o.thread) > 0 {
			w.Text("threadId", o.thread)
			w.Bool("excludeTurns", true)
		}
		w.Text("cwd", rawjson.AppendEscaped(nil, []byte(o.dir)))
		w.TextIf("model", o.model)
		w.ValueIf("dynamicTools", o.dynamic)
	})
	return dst
}

func (o *opening) seed(dst []byte, rpc *jsonrpc.Caller) []byte {
	o.stage = seeding
	dst, o.call = rpc.Call(dst, "thread/inject_items", func(w *jsonwriter.Writer) {
		w.Text("threadId", o.thread)
		w.Value("items", o.history)
	})
	return dst
}

// refused is the failure for an error in place of a thread.
func (o *opening) refused(m *jsonrpc.Message) *hub.Failure {
	note := "It did not begin a conversation."
	switch {
	case o.stage == starting && len(o.thread) > 0:
		note = "It does not know the session."
	case o.stage == seeding:
		note = "It did not take what was said before."
	}
	return &hub.Failure{Code: hub.CodeAgent, Note: note, Cause: m.Fault()}
}

// digest tells lists of tools apart.
func digest(req *hub.Request) uint64 {
	h := fnv.New64a()
	for _, t := range req.Tools.Defs {
		for _, text := range [][]byte{t.Name, t.Description, t.Schema, []byte(t.Meta.Dialect), t.Meta.Raw} {
			_, _ = h.Write(append(bytes.Clone(text), 0))
		}
	}
	return h.Sum64()
}
