package acp

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
	Programs: []hub.Program{
		{Name: []string{"claude-agent-acp"}, Env: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"}},
		{Name: []string{"gemini", "--acp"}, Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT"}},
		{Name: []string{"copilot", "--acp"}, Env: []string{
			"COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_MODEL", "COPILOT_OFFLINE", "COPILOT_PROVIDER_BASE_URL",
			"COPILOT_PROVIDER_TYPE", "COPILOT_PROVIDER_API_KEY",
		}},
		{Name: []string{"opencode", "acp"}, Env: []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME"}},
	},
}

// driver is the client of an agent over stdio, in version 1.
type driver struct {
	opening
	questions.Progress
	json   rawjson.Decoder
	rpc    jsonrpc.Caller
	prompt int64    // the call of the prompt
	next   [][]byte // blocks of a prompt that waits for the session, or for the end of the turn before
}

func newDriver(s *hub.Session) hub.Driver {
	return &driver{
		opening: opening{dir: s.Dir, session: bytes.Clone(s.ID), mode: s.Options.Text("mode")},
		json:    rawjson.Decoder{MaxDepth: s.Options.Nesting},
	}
}

// Turn implements [hub.Driver].
func (d *driver) Turn(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, hub.TurnState, error) {
	if d.stage == broken {
		return dst, d.State(), hub.NewError(hub.ReasonUnknown, "", -1, "the agent has failed")
	}
	blocks, decisions := d.taken(wordsOf(req, l), l), conversation.Decided(req)
	settings.LostAll(req, l)
	conversation.LostToKeepers(req, name, l)
	l.AddIf("messages.result", len(conversation.Returned(req)) > 0) // the agent runs every call itself
	if len(blocks) > 0 {
		if d.stage == closed && len(d.session) == 0 {
			conversation.LostBefore(req, l)
		}
		l.AddIf("answers", len(decisions) > 0)
		return d.say(dst, blocks), hub.TurnRuns, nil
	}
	answers, err := d.Open.Match(decisions)
	if err == nil && len(answers) == 0 {
		err = conversation.NothingNew()
	}
	if err != nil {
		return dst, d.State(), err
	}
	return d.answer(dst, answers, l)
}

// wordsOf are the blocks of what the user says that is new. They are the driver's.
func wordsOf(req *hub.Request, l *hub.Losses) (blocks [][]byte) {
	w := jsonwriter.New(nil)
	w.Open('[')
	for _, m := range conversation.Said(req, l) {
		appendPrompt(w, &m, l)
	}
	w.Close(']')
	for block := range rawjson.Each(w.Buf) {
		blocks = append(blocks, block)
	}
	return blocks
}

// say asks for a turn: at once, or when the session is there and the turn before is over.
func (d *driver) say(dst []byte, blocks [][]byte) []byte {
	if d.Begin() {
		dst = d.stop(dst)
	}
	d.next = blocks
	if d.stage == closed {
		return d.greet(dst, &d.rpc)
	}
	return d.ask(dst)
}

// ask sends the prompt that waits, if nothing stands in its way.
func (d *driver) ask(dst []byte) []byte {
	if d.stage != ready || d.Past || d.next == nil {
		return dst
	}
	dst, d.prompt = d.rpc.Call(dst, "session/prompt", func(w *jsonwriter.Writer) {
		w.Text("sessionId", d.session)
		w.OpenAt("prompt", '[')
		for _, block := range d.next {
			w.Raw(block)
		}
		w.Close(']')
	})
	d.Sent, d.next = true, nil
	return dst
}

// stop ends the turn at the agent, which wants an answer to each of its questions then.
func (d *driver) stop(dst []byte) []byte {
	dst = d.rpc.Notify(dst, "session/cancel", func(w *jsonwriter.Writer) { w.Text("sessionId", d.session) })
	for _, q := range d.Open.All() {
		dst = d.dismiss(dst, q.ID)
	}
	d.Open.Reset()
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

// Receive implements [hub.Driver]. Of updates in a turn there is nothing to know.
func (d *driver) Receive(dst, line []byte) ([]byte, hub.Received) {
	in := hub.Received{Hidden: d.stage != ready || d.Past, Turn: d.State()}
	if d.stage == ready && bytes.HasPrefix(line, updateStart) {
		return dst, in
	}
	var m jsonrpc.Message
	if d.json.Decode(line, &m) != nil || string(m.RPC) != `"2.0"` {
		in.Hidden = d.Past // else the decoder says what is wrong
		return dst, in
	}
	switch {
	case m.Called():
		dst, in.Hidden = d.asked(dst, &m)
	case m.Name() == nil && !rawjson.IsNull(m.ID):
		return d.responded(dst, &m)
	case string(m.Name()) == "session/update":
		d.replayed(rawjson.Text(m.Params, "update", "sessionUpdate"))
	case string(m.Name()) == takenBack:
		id := jsonrpc.IDBody(new(hub.Scratch), rawjson.Get(m.Params, "requestId"))
		in.Hidden = !d.Open.Close(id)
	}
	in.Turn = d.State()
	return dst, in
}

// responded takes the response to a call of ours. One that answers nothing is left out: it would be taken for the end of the turn.
func (d *driver) responded(dst []byte, m *jsonrpc.Message) ([]byte, hub.Received) {
	in := hub.Received{Hidden: true}
	switch {
	case d.stage != ready:
		dst, in.Session, in.Failure = d.opened(dst, &d.rpc, m)
		if d.stage == ready && d.next != nil {
			dst, in.Lost, in.Failure = d.begin(dst)
		}
		if in.Failure != nil {
			d.stage, d.Running, d.next = broken, false, nil
		}
	case d.Past && m.Answers(d.prompt):
		d.Past = false
		dst = d.ask(dst)
	case d.Sent && m.Answers(d.prompt):
		d.Sent, d.Running, d.Cancelled, in.Hidden = false, false, false, false
		d.Open.Reset()
	}
	d.Settle()
	in.Turn = d.State()
	return dst, in
}

// begin sends the first prompt, less what the agent does not take.
func (d *driver) begin(dst []byte) ([]byte, []string, *hub.Failure) {
	var l hub.Losses
	if d.next = d.taken(d.next, &l); len(d.next) == 0 {
		return dst, l.Names, hub.Fail(hub.CodeLossy, nil)
	}
	return d.ask(dst), l.Names, nil
}

// asked takes a call of the agent's. hidden says that it was answered at once: only permissions wait for the user.
func (d *driver) asked(dst []byte, m *jsonrpc.Message) (out []byte, hidden bool) {
	if string(m.Name()) != "session/request_permission" {
		return d.rpc.Refuse(dst, m.ID, jsonrpc.CodeUnknown, "Method not found"), true
	}
	q := questions.Question{
		ID: m.ID, Ask: jsonrpc.IDBody(new(hub.Scratch), m.ID), Call: rawjson.Text(m.Params, "toolCall", "toolCallId"),
		Value: m.Params,
	}
	if !d.Asks(q) {
		return d.dismiss(dst, m.ID), true
	}
	return dst, false
}
