package acp

import (
	"bytes"
	"errors"
	"strconv"

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
	session []byte
	mode    string          // that is asked for; "": the agent's own choice
	takes   map[string]bool // types of blocks that the agent takes, if they are not for every agent
	updated bool            // something of the conversation has been replayed since the last question whether it goes on
	rounds  int             // of such questions
}

type stage uint8

const (
	closed    stage = iota
	greeting        // initialize was sent
	creating        // a session was asked for
	resuming        // one was that the agent has
	loading         // the same, and the agent replays it
	replaying       // the agent may still tell what was said in the session
	choosing        // the session is there, and its mode was asked for
	ready
	broken
)

// greet appends the first call. Files and terminals of the client are not offered.
func (o *opening) greet(dst []byte, rpc *jsonrpc.Caller) []byte {
	o.stage = greeting
	dst, o.call = rpc.Call(dst, "initialize", func(w *jsonwriter.Writer) {
		w.Int("protocolVersion", 1)
		w.OpenAt("clientCapabilities", '{')
		w.OpenAt("fs", '{')
		w.Bool("readTextFile", false)
		w.Bool("writeTextFile", false)
		w.Close('}')
		w.Bool("terminal", false)
		w.Close('}')
		w.OpenAt("clientInfo", '{')
		w.Const("name", "sabir")
		w.Const("version", "1")
		w.Close('}')
	})
	return dst
}

// opened takes a response before the session is there, and appends what comes next.
func (o *opening) opened(dst []byte, rpc *jsonrpc.Caller, m *jsonrpc.Message) (out, session []byte, f *hub.Failure) {
	if !m.Answers(o.call) {
		return dst, nil, nil
	}
	if m.Failed() && o.stage != replaying {
		return dst, nil, o.refused(m)
	}
	switch o.stage {
	case greeting:
		dst, f = o.greeted(dst, rpc, m.Result)
		return dst, nil, f
	case creating:
		if o.session = bytes.Clone(rawjson.Text(m.Result, "sessionId")); len(o.session) == 0 {
			return dst, nil, hub.Fail(hub.CodeMalformed, errors.New("the new session has no id"))
		}
		return o.choose(dst, rpc), o.session, nil
	case resuming:
		return o.choose(dst, rpc), o.session, nil
	case loading:
		o.stage, o.updated = replaying, true
		return o.settle(dst, rpc), o.session, nil
	case choosing:
		o.stage = ready
		return dst, nil, nil
	}
	return o.settle(dst, rpc), nil, nil
}

// choose asks for the mode of the session, if one is wanted. A mode is that of a process: a session that goes on may have another one.
func (o *opening) choose(dst []byte, rpc *jsonrpc.Caller) []byte {
	if o.stage = ready; o.mode == "" {
		return dst
	}
	o.stage = choosing
	dst, o.call = rpc.Call(dst, "session/set_mode", func(w *jsonwriter.Writer) {
		w.Text("sessionId", o.session)
		w.Text("modeId", rawjson.AppendEscaped(nil, []byte(o.mode)))
	})
	return dst
}

// settle calls an unknown method as long as updates go on: some agents replay a session behind the response,
// and replayed updates look like new ones. An agent that answers without an update in the meantime is done.
func (o *opening) settle(dst []byte, rpc *jsonrpc.Caller) []byte {
	const most = 1000 // a replay is long, but an end it has
	if !o.updated || o.rounds >= most {
		return o.choose(dst, rpc)
	}
	o.updated = false
	o.rounds++
	dst, o.call = rpc.Call(dst, "_sabir/settled", func(*jsonwriter.Writer) {})
	return dst
}

// replayed notes an update before the session is ready. Some say nothing of the conversation, and come at any time.
func (o *opening) replayed(kind []byte) {
	switch string(kind) {
	case "user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan":
		o.updated = true
	}
}

// greeted reads what the agent can do, and asks for the session.
func (o *opening) greeted(dst []byte, rpc *jsonrpc.Caller, result rawjson.Value) ([]byte, *hub.Failure) {
	if v, ok := rawjson.Int(rawjson.Get(result, "protocolVersion")); !ok || v != 1 {
		return dst, failed("It speaks another version of the protocol.", nil)
	}
	can := rawjson.Get(result, "agentCapabilities")
	o.takes = map[string]bool{
		"image":    capable(can, "promptCapabilities", "image"),
		"audio":    capable(can, "promptCapabilities", "audio"),
		"resource": capable(can, "promptCapabilities", "embeddedContext"),
	}
	method := "session/new"
	switch {
	case len(o.session) == 0:
		o.stage = creating
	case rawjson.Kind(rawjson.Get(can, "sessionCapabilities", "resume")) == '{': // without a replay
		o.stage, method = resuming, "session/resume"
	case capable(can, "loadSession"):
		o.stage, method = loading, "session/load"
	default:
		return dst, failed("It cannot go on with a session.", nil)
	}
	dst, o.call = rpc.Call(dst, method, func(w *jsonwriter.Writer) {
		w.TextIf("sessionId", o.session)
		w.Text("cwd", rawjson.AppendEscaped(nil, []byte(o.dir)))
		w.OpenAt("mcpServers", '[')
		w.Close(']')
	})
	return dst, nil
}

func capable(v rawjson.Value, path ...string) bool {
	is, _ := rawjson.Bool(rawjson.Get(v, path...))
	return is
}

// refused is the failure for an error in place of a session.
func (o *opening) refused(m *jsonrpc.Message) *hub.Failure {
	const unauthorized = -32000
	switch code, _ := rawjson.Int(rawjson.Get(m.Error, "code")); {
	case code == unauthorized:
		return failed("It wants to be logged in first.", m.Fault())
	case o.stage == choosing:
		return failed("It does not take the mode "+strconv.Quote(o.mode)+" of its session.", m.Fault())
	case code == codeUnknown || o.stage == loading || o.stage == resuming:
		return failed("It does not know the session.", m.Fault())
	}
	return failed("It did not open a session.", m.Fault())
}

func failed(note string, cause error) *hub.Failure {
	return &hub.Failure{Code: hub.CodeAgent, Note: note, Cause: cause}
}

// taken are the blocks that the agent takes, as far as it has said that.
func (o *opening) taken(blocks [][]byte, l *hub.Losses) (taken [][]byte) {
	for _, block := range blocks {
		if takes, matters := o.takes[string(rawjson.Text(block, "type"))]; matters && !takes {
			l.Add("messages.file")
			continue
		}
		taken = append(taken, block)
	}
	return taken
}
