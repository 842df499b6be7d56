package codexappserver

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/settings"
)

var processes = hub.Processes{
	NewDriver: newDriver,
	History:   true,
	Programs:  []hub.Program{{Name: []string{"codex", "app-server"}, Env: []string{"CODEX_HOME", "CODEX_API_KEY", "OPENAI_API_KEY"}}},
}

// driver is the client of codex app-server over stdio.
type driver struct {
	opening
	questions.Progress
	json  rawjson.Decoder
	rpc   jsonrpc.Caller
	start int64  // the call that starts the turn
	turn  []byte // the id of the turn, once it is known
	stops bool   // the turn is to be interrupted as soon as its id is known
	next  []byte // input of a turn that waits for the thread, or for the end of the turn before
}

func newDriver(s *hub.Session) hub.Driver {
	return &driver{
		opening: opening{dir: s.Dir, model: bytes.Clone(s.Model), thread: bytes.Clone(s.ID)},
		json:    rawjson.Decoder{MaxDepth: s.Options.Nesting},
		rpc:     jsonrpc.Caller{Bare: true},
	}
}

// Turn implements [hub.Driver].
func (d *driver) Turn(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, hub.TurnState, error) {
	if d.stage == broken {
		return dst, d.State(), hub.NewError(hub.ReasonUnknown, "", -1, "the agent has failed")
	}
	input, decisions, returned := inputOf(req, l), conversation.Decided(req), conversation.Returned(req)
	settings.LostAll(req, l)
	d.lost(req, l)
	if input != nil {
		l.AddIf("answers", len(decisions) > 0 && d.Open.Any())
		l.AddIf("messages.result", len(returned) > 0 && d.Open.Any())
		return d.say(dst, input, req, l), hub.TurnRuns, nil
	}
	answers, err := d.Open.Match(decisions)
	results := d.Open.Results(clientTool, returned)
	switch {
	case err == nil && len(answers)+len(results) == 0 && len(returned) > 0:
		err = questions.NotOpen()
	case err == nil && len(answers)+len(results) == 0:
		err = conversation.NothingNew()
	}
	if err != nil {
		return dst, d.State(), err
	}
	return d.answer(dst, append(answers, results...), returned, l)
}

// lost notes what the agent has no place for. It knows the client's tools from the start of the thread, also when it goes on with it.
func (d *driver) lost(req *hub.Request, l *hub.Losses) {
	beside := *req
	if d.stage == closed || d.tools == digest(req) {
		beside.Tools = hub.ToolList{}
	}
	conversation.LostToKeepers(&beside, name, l)
}

// say asks for a turn: at once, or when the thread is there and the turn before is over.
func (d *driver) say(dst, input []byte, req *hub.Request, l *hub.Losses) []byte {
	if d.Begin() {
		dst = d.stop(dst)
	}
	d.next = input
	if d.stage == closed {
		return d.greet(dst, &d.rpc, req, l)
	}
	return d.begin(dst)
}

// begin sends the turn that waits, if nothing stands in its way.
func (d *driver) begin(dst []byte) []byte {
	if d.stage != ready || d.Past || d.next == nil {
		return dst
	}
	dst, d.start = d.rpc.Call(dst, "turn/start", func(w *jsonwriter.Writer) {
		w.Text("threadId", d.thread)
		w.Value("input", d.next)
	})
	d.Sent, d.turn, d.stops, d.next = true, nil, false, nil
	return dst
}

// stop ends the turn at the agent.
func (d *driver) stop(dst []byte) []byte {
	dst = d.interrupt(dst)
	for i := range d.Open.All() {
		dst = d.refuse(dst, &d.Open.All()[i], true)
	}
	d.Open.Reset()
	return dst
}

func (d *driver) interrupt(dst []byte) []byte {
	if d.stops = d.turn == nil; d.stops {
		return dst
	}
	dst, _ = d.rpc.Call(dst, "turn/interrupt", func(w *jsonwriter.Writer) {
		w.Text("threadId", d.thread)
		w.Text("turnId", d.turn)
	})
	return dst
}

// Cancel implements [hub.Driver].
func (d *driver) Cancel(dst []byte) []byte {
	stop, ok := d.Progress.Cancel()
	if stop {
		dst = d.stop(dst)
	}
	if ok {
		d.next = nil
	}
	return dst
}

// Receive implements [hub.Driver]. Of deltas there is nothing to know.
func (d *driver) Receive(dst, line []byte) ([]byte, hub.Received) {
	in := hub.Received{Hidden: d.stage != ready || d.Past, Turn: d.State()}
	if isDelta(line) {
		return dst, in
	}
	var m jsonrpc.Message
	if d.json.Decode(line, &m) != nil {
		in.Hidden = d.Past // else the decoder says what is wrong
		return dst, in
	}
	switch string(m.Name()) {
	case "":
		return d.responded(dst, &m)
	case "turn/completed":
		return d.completed(dst, &m)
	case "item/started", "item/completed":
		in.Hidden = in.Hidden || d.clientHas(&m)
	case "serverRequest/resolved":
		d.Open.Close(jsonrpc.IDBody(new(hub.Scratch), rawjson.Get(m.Params, "requestId")))
	default:
		if m.Called() {
			dst, in.Hidden = d.asked(dst, &m)
		}
	}
	in.Turn = d.State()
	return dst, in
}

// clientHas reports whether an item is one that the client has sent: its words, and the results of its own tools.
func (d *driver) clientHas(m *jsonrpc.Message) bool {
	item := rawjson.Get(m.Params, "item")
	switch string(rawjson.Text(item, "type")) {
	case "userMessage":
		return bytes.Equal(rawjson.Text(m.Params, "threadId"), d.thread) // those of others are the tasks of sub-agents
	case "dynamicToolCall":
		return d.Open.Returned(rawjson.Text(item, "id"))
	}
	return false
}

// isDelta reports whether a line begins as those do that a turn has many of.
func isDelta(line []byte) bool {
	const longest = 64 // begin of a line with the longest name
	head := line[:min(len(line), longest)]
	return bytes.HasPrefix(head, []byte(`{"method":"item/`)) && bytes.Contains(head, []byte(`elta","params":{`))
}

// responded takes the response to a call of ours.
func (d *driver) responded(dst []byte, m *jsonrpc.Message) ([]byte, hub.Received) {
	in := hub.Received{Hidden: !rawjson.IsNull(m.ID) || d.Past}
	switch {
	case d.stage != ready:
		if dst, in.Session, in.Failure = d.opened(dst, &d.rpc, m); in.Failure != nil {
			d.stage, d.Running, d.next = broken, false, nil
		}
		dst = d.begin(dst)
	case m.Answers(d.start) && (d.Sent || d.Past) && d.turn == nil:
		dst, in.Hidden = d.started(dst, m)
	}
	d.Settle()
	in.Turn = d.State()
	return dst, in
}

// started takes the id of the turn, which is over if there is none: the decoder reads why.
func (d *driver) started(dst []byte, m *jsonrpc.Message) (out []byte, hidden bool) {
	if d.turn = bytes.Clone(rawjson.Text(m.Result, "turn", "id")); d.turn != nil && !m.Failed() {
		if d.stops {
			dst = d.interrupt(dst)
		}
		return dst, true
	}
	hidden = d.Past
	return d.ended(dst), hidden
}

// completed takes the end of a turn. Those of other threads end sub-agents.
func (d *driver) completed(dst []byte, m *jsonrpc.Message) ([]byte, hub.Received) {
	in := hub.Received{Hidden: d.stage != ready || d.Past}
	turn := rawjson.Text(m.Params, "turn", "id")
	switch {
	case !bytes.Equal(rawjson.Text(m.Params, "threadId"), d.thread):
	case d.turn == nil || bytes.Equal(turn, d.turn):
		dst = d.ended(dst)
	default:
		in.Hidden = true // of a turn without a request
	}
	in.Turn = d.State()
	return dst, in
}

// ended notes that a turn is over. What was said in the meantime is next.
func (d *driver) ended(dst []byte) []byte {
	d.turn, d.stops = nil, false
	if d.End() {
		return d.begin(dst)
	}
	return dst
}

// asked takes a call of the agent's. hidden says that it was answered at once.
func (d *driver) asked(dst []byte, m *jsonrpc.Message) (out []byte, hidden bool) {
	kind := string(m.Name())
	if refusals[kind] == nil {
		return d.rpc.Refuse(dst, m.ID, jsonrpc.CodeUnknown, "Method not found"), true
	}
	call := rawjson.First(rawjson.Text(m.Params, "itemId"), rawjson.Text(m.Params, "callId"))
	q := questions.Question{ID: m.ID, Ask: jsonrpc.IDBody(new(hub.Scratch), m.ID), Call: call, Kind: kind, Value: m.Params}
	if !d.Asks(q) {
		return d.refuse(dst, &q, false), true
	}
	return dst, false
}
