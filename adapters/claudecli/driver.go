package claudecli

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/questions"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

var processes = hub.Processes{
	NewDriver: newDriver,
	Arguments: func(s *hub.Session) []string { return s.Flags("--resume") },
	Programs: []hub.Program{{
		Name: []string{"claude"},
		Args: []string{
			"-p", "--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--include-partial-messages", "--permission-prompt-tool", "stdio",
		},
		Env: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"},
	}},
}

// driver speaks with a process that reads lines too: -p --input-format stream-json --output-format stream-json --verbose, and
// --permission-prompt-tool stdio if it is to ask.
type driver struct {
	json       rawjson.Decoder
	open       questions.Open
	fresh      bool   // nothing was said yet
	running    bool   // a turn that was asked for
	past       bool   // the lines are of a turn before it, or of one that the agent began itself: they are skipped up to its result
	cancelled  bool   // the turn ends without answers
	next       []byte // the line that waits for the end of the turn before
	interrupts int    // that were sent
}

func newDriver(s *hub.Session) hub.Driver {
	return &driver{json: rawjson.Decoder{MaxDepth: s.Options.Nesting}, fresh: len(s.ID) == 0}
}

// Turn implements [hub.Driver].
func (d *driver) Turn(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, hub.TurnState, error) {
	content, decisions := jsonwriter.New(nil), conversation.Decided(req)
	appendWords(content, req, l)
	lost(req, l)
	l.AddIf("messages.result", len(conversation.Returned(req)) > 0) // the agent runs every call itself
	if len(content.Buf) > 0 {
		if d.fresh {
			conversation.LostBefore(req, l)
		}
		l.AddIf("answers", len(decisions) > 0)
		return d.say(dst, userLine(content.Buf, nil, req)), hub.TurnRuns, nil // the process has one session
	}
	answers, err := d.open.Match(decisions)
	if err == nil && len(answers) == 0 {
		err = conversation.NothingNew()
	}
	if err != nil {
		return dst, d.state(), err
	}
	return d.answer(dst, answers, l)
}

// say sends what the user says: at once, or behind the turn that it puts an end to.
func (d *driver) say(dst, line []byte) []byte {
	for _, q := range d.open.All() {
		dst = appendDenial(dst, q.ID, wentOn, true)
	}
	d.past = d.past || d.running
	d.open.Reset()
	d.running, d.cancelled, d.fresh = true, false, false
	line = append(rawjson.AppendCompact(nil, line), '\n')
	if d.past {
		d.next = line
		return dst
	}
	return append(dst, line...)
}

const (
	wentOn     = "The user said something else in place of an answer."
	unanswered = "This question cannot be answered here."
	tooMany    = "Too many questions are open."
	noAnswer   = "Not supported."
)

// answer sends the answers to questions, all or none.
func (d *driver) answer(dst []byte, answers []questions.Answer, l *hub.Losses) ([]byte, hub.TurnState, error) {
	from := len(dst)
	for _, a := range answers {
		line, ok := answerTo(a, l)
		if !ok {
			return dst[:from], d.state(), questions.Unclear()
		}
		dst = append(rawjson.AppendCompact(dst, line), '\n')
	}
	d.open.Answered(answers)
	return dst, d.state(), nil
}

// state is how far the turn is.
func (d *driver) state() hub.TurnState {
	switch {
	case !d.running:
		return hub.TurnOver
	case d.cancelled:
		return hub.TurnRuns
	}
	return d.open.State()
}

// Receive implements [hub.Driver]. Only few lines are looked into.
func (d *driver) Receive(dst, line []byte) ([]byte, hub.Received) {
	if !concerns(line) {
		return dst, hub.Received{Hidden: d.past, Turn: d.state()}
	}
	return d.receive(dst, line)
}

// receive takes a line that the driver may act on. It is apart because the record is large, and most lines need none.
func (d *driver) receive(dst, line []byte) ([]byte, hub.Received) {
	var rec record
	in := hub.Received{Hidden: d.past}
	if readRecord(&d.json, line, &rec) != nil {
		in.Turn = d.state()
		return dst, in
	}
	switch string(rawjson.Body(rec.Type)) {
	case "control_request":
		dst, in.Hidden = d.asked(dst, &rec)
	case "control_cancel_request":
		in.Hidden = !d.open.Close(rawjson.Body(rec.ID)) || d.past
	case "control_response":
		in.Hidden = true
	case "system":
		if string(rawjson.Body(rec.Subtype)) == "init" {
			in.Session = rawjson.Body(rec.Session)
			d.past = d.past || !d.running // a task has ended, and the agent speaks of it
			in.Hidden = d.past
		}
	case "result":
		dst = d.ended(dst)
	}
	in.Turn = d.state()
	return dst, in
}

// streamed are the beginnings of lines that it does not act on, whatever they hold. Claude Code writes the type first.
var streamed = [][]byte{[]byte(`{"type":"stream_event",`), []byte(`{"type":"assistant",`)}

// concerns reports whether a line may be one that the driver acts on.
func concerns(line []byte) bool {
	if slices.ContainsFunc(streamed, func(begins []byte) bool { return bytes.HasPrefix(line, begins) }) {
		return false
	}
	turns := [...]string{`"control_`, `"result"`, `"init"`}
	return slices.ContainsFunc(turns[:], func(typ string) bool { return bytes.Contains(line, []byte(typ)) })
}

// ended takes the end of a turn. What was said in the meantime is next.
func (d *driver) ended(dst []byte) []byte {
	d.open.Reset()
	d.past, d.cancelled = false, false
	if d.next == nil {
		d.running = false
		return dst
	}
	dst, d.next = append(dst, d.next...), nil
	return dst
}

// asked takes a question. hidden says that it was answered at once: only permissions wait for the user.
func (d *driver) asked(dst []byte, rec *record) (out []byte, hidden bool) {
	id, input := rawjson.Body(rec.ID), rawjson.Get(rec.Request, "input")
	q := questions.Question{
		ID: id, Ask: id, Call: rawjson.Text(rec.Request, "tool_use_id"), Kind: string(rawjson.Text(rec.Request, "tool_name")), Value: input,
	}
	switch {
	case len(id) == 0:
		return dst, d.past
	case string(rawjson.Text(rec.Request, "subtype")) != "can_use_tool":
		return appendControl(dst, "control_response", "response", func(w *jsonwriter.Writer) {
			w.Const("subtype", "error")
			w.Text("request_id", id)
			w.Const("error", noAnswer)
		}), true
	case d.past || !d.running || d.cancelled:
		return appendDenial(dst, id, unanswered, false), true
	case !d.open.Add(q):
		return appendDenial(dst, id, tooMany, false), true
	}
	return dst, false
}

// appendDenial appends the line that refuses a call, and may end its turn.
func appendDenial(dst, id []byte, why string, ends bool) []byte {
	return appendControl(dst, "control_response", "response", func(w *jsonwriter.Writer) {
		w.Const("subtype", "success")
		w.Text("request_id", id)
		w.OpenAt("response", '{')
		w.Const("behavior", "deny")
		w.Const("message", why)
		w.Bool("interrupt", ends)
		w.Close('}')
	})
}

// appendControl appends a line for the process.
func appendControl(dst []byte, typ, member string, body func(w *jsonwriter.Writer)) []byte {
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Const("type", typ)
	w.OpenAt(member, '{')
	body(w)
	w.Close('}')
	w.Close('}')
	return append(w.Buf, '\n')
}

// Cancel implements [hub.Driver]. The process takes its questions back itself.
func (d *driver) Cancel(dst []byte) []byte {
	if !d.running || d.cancelled {
		return dst
	}
	d.cancelled, d.next = true, nil
	d.interrupts++
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Const("type", "control_request")
	w.Const("request_id", "sabir-"+strconv.Itoa(d.interrupts))
	w.OpenAt("request", '{')
	w.Const("subtype", "interrupt")
	w.Close('}')
	w.Close('}')
	return append(w.Buf, '\n')
}
