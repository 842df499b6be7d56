package copilot

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
	Headers:   true,
	Programs: []hub.Program{{
		Name: []string{"copilot"}, Args: []string{"--headless", "--stdio", "--no-auto-update"},
		Env: []string{"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_HOME"},
	}},
}

// driver is the client of the Copilot CLI, in place of the SDK.
type driver struct {
	opening
	questions.Progress
	json   rawjson.Decoder
	rpc    jsonrpc.Caller
	send   int64  // the call that begins the turn
	taken  bool   // it has its response: an end that comes is that of the turn
	wanted []byte // id of a question whose call has not come yet
	next   *prompt
}

// prompt is one that waits for the session, or for the end of the turn before. Its members are the driver's.
type prompt struct{ text, attachments []byte }

func newDriver(s *hub.Session) hub.Driver {
	return &driver{
		opening: opening{dir: s.Dir, model: bytes.Clone(s.Model), session: bytes.Clone(s.ID), create: s.Options.Object(optionCreate)},
		json:    rawjson.Decoder{MaxDepth: s.Options.Nesting},
	}
}

// Turn implements [hub.Driver].
func (d *driver) Turn(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, hub.TurnState, error) {
	if d.stage == broken {
		return dst, d.State(), hub.NewError(hub.ReasonUnknown, "", -1, "the agent has failed")
	}
	said, decisions, returned := promptOf(req, l), conversation.Decided(req), conversation.Returned(req)
	tools := clientTools(req, l)
	settings.LostAll(req, l)
	d.lost(req, tools, l)
	if said != nil {
		l.AddIf("answers", len(decisions) > 0 && d.Open.Any())
		l.AddIf("messages.result", len(returned) > 0 && d.Open.Any())
		return d.say(dst, said, tools), hub.TurnRuns, nil
	}
	answers, err := d.Open.Match(decisions)
	results := d.Open.Results(askTool, returned)
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

// lost notes what the agent has no place for. It knows the client's tools from the opening of the session.
func (d *driver) lost(req *hub.Request, tools []byte, l *hub.Losses) {
	beside := *req
	if d.stage == closed || bytes.Equal(d.tools, tools) {
		beside.Tools = hub.ToolList{}
	}
	conversation.LostToKeepers(&beside, name, l)
}

// promptOf is what the user says that is new, nil for nothing.
func promptOf(req *hub.Request, l *hub.Losses) *prompt {
	said := conversation.Said(req, l)
	files := fileWriter{list: jsonwriter.New(nil), attaches: true, losses: l}
	for i := range said {
		for j := range said[i].Parts {
			files.part(&said[i].Parts[j])
		}
	}
	p := prompt{text: conversation.AppendTexts(nil, said, `\n`)}
	if len(files.list.Buf) > 0 {
		p.attachments = append(append([]byte{'['}, files.list.Buf...), ']')
	} else if conversation.Blank(p.text) {
		return nil
	}
	return &p
}

// say asks for a turn: at once, or when the session is there and the turn before is over.
func (d *driver) say(dst []byte, said *prompt, tools []byte) []byte {
	if d.Begin() {
		dst = d.stop(dst)
	}
	d.next = said
	if d.stage == closed {
		return d.greet(dst, &d.rpc, tools)
	}
	return d.begin(dst)
}

// begin sends the prompt that waits, if nothing stands in its way.
func (d *driver) begin(dst []byte) []byte {
	if d.stage != ready || d.Past || d.next == nil {
		return dst
	}
	dst, d.send = d.rpc.Call(dst, "session.send", func(w *jsonwriter.Writer) {
		w.Text("sessionId", d.session)
		w.Text("prompt", d.next.text)
		w.ValueIf("attachments", d.next.attachments)
	})
	d.Sent, d.taken, d.next = true, false, nil
	return dst
}

// stop ends the turn at the agent, and with it what it has asked by events; its calls want a response.
func (d *driver) stop(dst []byte) []byte {
	dst, _ = d.rpc.Call(dst, "session.abort", func(w *jsonwriter.Writer) { w.Text("sessionId", d.session) })
	for i := range d.Open.All() {
		if q := &d.Open.All()[i]; q.Kind == userInput {
			dst = d.refuse(dst, q)
		}
	}
	d.Open.Reset()
	d.wanted = nil
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
	in := hub.Received{Hidden: !d.shown(), Turn: d.State()}
	if isDelta(line) {
		return dst, in
	}
	var m jsonrpc.Message
	if d.json.Decode(line, &m) != nil {
		in.Hidden = d.Past // else the decoder says what is wrong
		return dst, in
	}
	switch method := string(m.Name()); {
	case method == "":
		return d.responded(dst, &m)
	case method == methodEvent:
		return d.happened(dst, &m)
	case m.Called():
		dst = d.called(dst, &m)
	}
	in.Hidden, in.Turn = true, d.State()
	return dst, in
}

// shown reports whether what comes is of the turn that was asked for.
func (d *driver) shown() bool { return d.stage == ready && d.Sent && !d.Past }

// isDelta reports whether a line begins as those do that a turn has many of.
func isDelta(line []byte) bool {
	const longest = 200 // begin of a line with the longest names
	head := line[:min(len(line), longest)]
	return bytes.Contains(head, []byte(`"event":{"type":"assistant.`)) && bytes.Contains(head, []byte(`_delta","`))
}

// responded takes the response to a call of ours. One that refuses the prompt is the end of the turn, and the decoder reads why.
func (d *driver) responded(dst []byte, m *jsonrpc.Message) ([]byte, hub.Received) {
	in := hub.Received{Hidden: true}
	switch {
	case d.stage != ready:
		if dst, in.Session, in.Failure = d.opened(dst, &d.rpc, m); in.Failure != nil {
			d.stage, d.Running, d.next = broken, false, nil
		}
		dst = d.begin(dst)
	case m.Answers(d.send) && (d.Sent || d.Past) && !d.taken:
		if d.taken = true; m.Failed() {
			in.Hidden = d.Past
			dst = d.ended(dst)
		}
	}
	d.Settle()
	in.Turn = d.State()
	return dst, in
}

// happened takes an event of the session.
func (d *driver) happened(dst []byte, m *jsonrpc.Message) ([]byte, hub.Received) {
	in := hub.Received{Hidden: true}
	if bytes.Equal(rawjson.Text(m.Params, "sessionId"), d.session) {
		event := rawjson.Get(m.Params, "event")
		typ, inSubAgent := string(rawjson.Text(event, "type")), len(rawjson.Text(event, "agentId")) > 0
		in.Hidden = !d.shown() || d.clientHas(typ, event)
		switch {
		case typ == "session.idle" && (inSubAgent || !d.taken): // of the turn before, which has failed
			in.Hidden = true
		case typ == "session.idle", typ == "session.error" && !inSubAgent && d.shown():
			dst = d.ended(dst)
		default:
			dst = d.asked(dst, typ, rawjson.Get(event, "data"))
		}
	}
	in.Turn = d.State()
	return dst, in
}

// clientHas reports whether an event is one that the client has sent: its words, and the results of its own tools.
func (d *driver) clientHas(typ string, event rawjson.Value) bool {
	if typ != "tool.execution_complete" {
		return typ == "user.message"
	}
	return d.Open.Returned(rawjson.Text(event, "data", "toolCallId"))
}

// ended notes that a turn is over. What was said in the meantime is next.
func (d *driver) ended(dst []byte) []byte {
	d.wanted, d.taken = nil, false
	if d.End() {
		return d.begin(dst)
	}
	return dst
}
