package acp

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonrpc"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/signatures"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder plays the agent of one turn: it writes what comes between a prompt and its response, and the response.
type encoder struct {
	opt encodeOptions

	session []byte // string body
	named   bool   // the client has named the session
	call    []byte // raw id of the prompt
	begun   bool   // version 2: the prompt was accepted
	head    []byte // an update up to its kind
	start   int    // of the record being written

	parts    opened.List[part]
	messages map[string]bool // those whose id a part has

	cards   opened.List[card]
	usage   turnUsage
	next    []byte // scratch
	emitted []byte // scratch
}

// encodeOptions are the options of the package comment.
type encodeOptions struct {
	drafts      bool
	session     []byte // string body
	prompt      []byte // raw id
	maxOutput   int
	askByChoice bool
	kinds       map[string]string
}

// newEncoder reads the options once. Texts become bodies of strings here, so that they can be spliced.
func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{messages: map[string]bool{}, opt: encodeOptions{
		drafts:      o.Enum("version") == "2",
		session:     rawjson.AppendEscaped(nil, []byte(o.Text("session"))),
		prompt:      []byte(defaultPrompt),
		maxOutput:   o.Int("max_output"),
		askByChoice: o.Enum("questions") == "permission",
		kinds:       o.Map("kinds"),
	}}
	if id := o.Text("prompt_id"); id != "" {
		e.opt.prompt = jsonrpc.AppendID(nil, rawjson.AppendEscaped(nil, []byte(id)))
	}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.named, e.begun = false, false
	e.call = append(e.call[:0], e.opt.prompt...)
	e.setSession(e.opt.session)
	e.parts.Reset()
	clear(e.messages)
	e.cards.Reset()
	e.usage = turnUsage{steps: hub.NoCounts, used: -1, size: -1}
}

// Answer implements [hub.Answerer]: the response must have the id of the prompt, and updates its session.
func (e *encoder) Answer(req *hub.Request) {
	if len(req.Call) > 0 {
		e.call = append(e.call[:0], req.Call...)
	}
	if len(req.Thread) > 0 {
		e.setSession(req.Thread)
		e.named = true
	}
}

// setSession prepares the head of all updates: the session is the same in each.
func (e *encoder) setSession(session []byte) {
	e.session = append(e.session[:0], session...)
	e.head = append(append(e.head[:0], updatePrefix...), e.session...)
	e.head = append(e.head, `","update":`+kindPrefix...)
}

// Finish implements [hub.Encoder]. The end of the turn is the end.
func (e *encoder) Finish(*wire.Out) {}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta,
	hub.TextEnd:   hub.Silent((*encoder).textEnd),
	hub.ToolStart: (*encoder).toolStart,
	hub.ToolArgs:  hub.Always[*encoder](hub.Implied), // they come whole with ToolReady: half an object is none
	hub.ToolReady: (*encoder).tool, hub.ToolUpdate: (*encoder).tool, hub.ToolOutput: (*encoder).tool,
	hub.ToolEnd: (*encoder).tool,
	hub.Ask:     (*encoder).ask, hub.Answer: (*encoder).answer,
	hub.Plan: (*encoder).plan, hub.Usage: (*encoder).addUsage, hub.Notice: (*encoder).notice,
	hub.Source: (*encoder).source, hub.File: (*encoder).file, hub.Data: (*encoder).data, hub.Raw: (*encoder).raw,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// begin starts an update of that kind. Its members follow, each with a comma before it.
func (e *encoder) begin(out *wire.Out, kind string) []byte {
	out.Buf = append(append(append(e.beginRecord(out), e.head...), kind...), '"')
	return out.Buf
}

// end ends an update.
func (e *encoder) end(out *wire.Out, update []byte) { e.endRecord(out, append(update, "}}}"...)) }

// beginRecord starts a message that is no update.
func (e *encoder) beginRecord(out *wire.Out) []byte {
	out.Begin("")
	e.start = len(out.Buf)
	return out.Buf
}

// endRecord ends any message; one line holds it in every framing that has lines.
func (e *encoder) endRecord(out *wire.Out, record []byte) {
	member.End(out, rawjson.EscapeSeparators(record, e.start))
}

// part is an open text part. head is its chunk up to the text.
type part struct{ head []byte }

// maxMessages bounds how many ids of messages are remembered. Beyond it each part has an id of its own.
const maxMessages = 4096

// textStart prepares the chunks of a part. A message that has several parts gets an id for each: clients append a chunk
// to the message of its id, wherever that stands, and a thought and a text may not share one.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	p := e.parts.Add(ev.Slot)
	h := append(append(p.head[:0], e.head...), chunkKind(ev)...)
	h = append(h, `","messageId":"`...)
	switch {
	case len(ev.Msg) == 0:
		h = append(h, ev.ID...)
	case !e.messages[string(ev.Msg)] && len(e.messages) < maxMessages:
		h = append(h, ev.Msg...)
		e.messages[string(ev.Msg)] = true
	default:
		h = append(append(append(h, ev.Msg...), '/'), ev.ID...)
	}
	p.head = append(h, `","content":{"type":"text","text":"`...)
	return hub.Implied
}

// chunkKind is the kind of update for text of a channel. Refusals have none of their own: they are what the agent says.
func chunkKind(ev *hub.Event) string {
	switch {
	case ev.Flags.Has(hub.User):
		return "user_message_chunk"
	case ev.Chan == hub.Reasoning:
		return "agent_thought_chunk"
	}
	return "agent_message_chunk"
}

// textDelta writes a chunk: the head that textStart has prepared, the text, and the brackets that close it.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	buf := append(append(append(e.beginRecord(out), p.head...), ev.Text...), `"}`...)
	e.end(out, appendMeta(buf, ev.Rare().Meta))
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// textEnd forgets a part. There is no place for signatures.
func (e *encoder) textEnd(ev *hub.Event) hub.Disposition {
	e.parts.Drop(ev.Slot)
	if signatures.IsSigned(ev) {
		return hub.Dropped
	}
	return hub.Implied
}

// appendMeta appends metadata of the origin, an object.
func appendMeta(dst []byte, meta rawjson.Value) []byte {
	if rawjson.Kind(meta) != '{' || rawjson.IsEmptyObject(meta) {
		return dst
	}
	return append(append(dst, `,"_meta":`...), meta...)
}

// Extend implements [hub.Extender]: an update of the session's information that informs of nothing is nothing to clients.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	e.end(out, member.AppendRaw(e.begin(out, "session_info_update"), `,"_meta":`, payload))
}
