package openaichat

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/annotation"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/usage"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes the subset of Chat Completions that all clients agree on.
type encoder struct {
	defaultModel, separator []byte // string bodies
	usageOption             string
	sendDone                bool
	reasoning               reasoningForm

	asked     []byte // the model that the client asked for
	unique    []byte // names the answer where the upstream does not
	time      int64  // of the request, in milliseconds
	sendUsage bool

	named    bool
	nameless bool   // no model is named yet
	base     []byte // a chunk up to its choices
	modelAt  int    // where it names the model
	head     []byte // and up to the delta of the only choice
	ended    bool
	failed   bool // with an error: no end mark
	calls    opened.List[clientCall]
	asks     int                   // calls that the client was asked to run
	waiting  int                   // of these, those that have not been run
	skip     opened.List[struct{}] // parts that are not the agent's words

	refused bool
	spoke   bool   // there is answer text
	sources int    // written so far
	between []byte // part of the answer whose first delta comes behind the separator
	sealing sealing
	usage   usage.Run
}

func newEncoder(o hub.Options) hub.Encoder {
	e := new(encoder)
	e.follow(o)
	return e
}

// follow makes the encoder a new one that has these options.
func (e *encoder) follow(o hub.Options) {
	*e = encoder{
		defaultModel: rawjson.AppendEscaped(nil, []byte(o.Text("model"))),
		separator:    rawjson.AppendEscaped(nil, []byte(o.Text("separator"))),
		usageOption:  o.Enum("usage"),
		sendDone:     o.Bool("done"),
		reasoning:    reasoningForms[o.Enum("reasoning")],
	}
	e.Reset()
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.asked, e.unique, e.time = e.asked[:0], append(e.unique[:0], '0'), 0
	e.sendUsage = e.usageOption != "never"
	e.named, e.nameless, e.ended, e.failed = false, false, false, false
	e.calls.Reset()
	e.skip.Reset()
	e.asks, e.waiting = 0, 0
	e.refused, e.spoke, e.between, e.sources = false, false, nil, 0
	e.sealing = sealing{}
	e.usage = usage.Run{}
}

// Answer implements [hub.Answerer]: clients expect the name of the model that they asked for, and usage only if they did.
func (e *encoder) Answer(req *hub.Request) {
	e.asked, e.time = append(e.asked[:0], req.Model...), req.Time
	if len(req.Unique) > 0 {
		e.unique = append(e.unique[:0], req.Unique...)
	}
	if e.usageOption == "asked" {
		e.sendUsage = req.Usage
	}
}

// writers are the methods of the encoder, by the kind of event that they write.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.TextStart: hub.Silent((*encoder).textStart), hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: hub.Silent((*encoder).toolState),
	hub.ToolUpdate: (*encoder).toolUpdate,
	hub.ToolEnd:    hub.Silent((*encoder).toolState),
	hub.StepStart:  hub.Silent((*encoder).stepStart),
	hub.Usage:      hub.Silent((*encoder).addUsage),
	hub.Source:     (*encoder).source,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// Finish implements [hub.Encoder]. An error is an end of its own.
func (e *encoder) Finish(out *wire.Out) {
	if !e.sendDone || !e.ended || e.failed {
		return
	}
	member.End(out, append(member.Begin(out, ""), "[DONE]"...))
}

// name makes what is the same in all chunks, from the start of the run or without one.
func (e *encoder) name(ev *hub.Event) {
	if e.named {
		return
	}
	e.named = true
	id, created, model := e.names(ev)
	b := append(e.base[:0], `{"id":"`...)
	b = append(append(b, id...), `","object":"chat.completion.chunk","created":`...)
	b = strconv.AppendInt(b, created/1000, 10)
	b = append(b, `,"model":"`...)
	e.base, e.modelAt, e.nameless = b, len(b), len(e.asked) == 0 && len(ev.AgentModel()) == 0
	e.model(model)
}

// model completes what is the same in all chunks from here on.
func (e *encoder) model(model []byte) {
	e.base = append(append(e.base[:e.modelAt], model...), `","choices":[`...)
	e.head = append(append(e.head[:0], e.base...), `{"index":0,"delta":`...)
}

// learnModel takes the model from the first event that names it, where the run has begun without.
func (e *encoder) learnModel(ev *hub.Event) {
	if model := ev.AgentModel(); e.nameless && len(model) > 0 {
		e.nameless = false
		e.model(model)
	}
}

func (e *encoder) stepStart(ev *hub.Event) hub.Disposition {
	e.learnModel(ev)
	return hub.Dropped
}

// names are the id of an answer, the time of it in milliseconds, and the model, from the start of the run.
func (e *encoder) names(ev *hub.Event) (id []byte, created int64, model []byte) {
	id, created, model = ev.ID, e.time, e.asked
	id = rawjson.First(id, e.unique)
	if !bytes.HasPrefix(id, []byte("chatcmpl-")) {
		id = slices.Concat([]byte("chatcmpl-"), id)
	}
	if ev.Rare().Time > 0 {
		created = ev.More.Time
	}
	if ev.More != nil && len(model) == 0 {
		model = ev.More.Model
	}
	model = rawjson.First(model, e.defaultModel)
	return id, created, model
}

// chunkEnd closes a chunk behind its delta.
const chunkEnd = `,"finish_reason":null}]}`

// runStart names the role at once: clients that never hear of one fail, and so do those that wait too long.
func (e *encoder) runStart(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.name(ev)
	member.End(out, append(append(member.Begin(out, ""), e.head...), `{"role":"assistant","content":""}`+chunkEnd...))
	return hub.FoldedIf(len(ev.Ref) > 0 || len(ev.Name) > 0)
}

// textStart notes whose words a part has. Those of the user, and instructions, are no answer.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || ev.Instructs() {
		e.skip.Add(ev.Slot)
		return hub.Dropped
	}
	if ev.Chan == hub.AnswerText {
		if e.spoke && len(e.separator) > 0 {
			e.between = append(e.between[:0], ev.ID...)
		}
		e.spoke = true
	}
	return hub.Implied
}

func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.skip.Find(ev.Slot) != nil {
		return hub.Dropped
	}
	if ev.Chan == hub.Reasoning {
		return e.reason(out, ev)
	}
	disposition := hub.Native
	b := append(member.Begin(out, ""), e.head...)
	switch {
	case ev.Chan == hub.Refusal:
		e.refused = true
		b = append(b, `{"refusal":"`...)
	case len(e.between) > 0 && bytes.Equal(e.between, ev.ID):
		e.between, disposition = e.between[:0], hub.Folded
		b = append(append(b, `{"content":"`...), e.separator...)
	default:
		b = append(b, `{"content":"`...)
	}
	b = append(b, ev.Text...)
	member.End(out, append(b, `"}`+chunkEnd...))
	return disposition
}

func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	if e.skip.Find(ev.Slot) != nil {
		e.skip.Drop(ev.Slot)
		return hub.Dropped
	}
	if ev.Chan == hub.Reasoning {
		return e.reasonEnd(out, ev)
	}
	return hub.Implied
}

// source cites as OpenAI's models with a web search do. The SDKs have no member for it in chunks and ignore it, but the one
// for Python joins what has an index, and fails on a list without.
func (e *encoder) source(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Rare().File.URL) == 0 {
		return hub.Dropped
	}
	b := append(append(member.Begin(out, ""), e.head...), `{"annotations":[{"index":`...)
	b = strconv.AppendInt(b, int64(e.sources), 10)
	b = append(b, ',')
	b = appendCitation(b, ev.Title, ev.Text, ev.More.File.URL, ev.Value)
	member.End(out, append(b, `}]}`+chunkEnd...))
	e.sources++
	return hub.Extension
}

// appendCitation appends the members of an annotation. The API has no place for a quote; servers that search have it as the content of the page.
func appendCitation(dst, title, quote, url []byte, value rawjson.Value) []byte {
	dst = append(dst, `"type":"url_citation","url_citation":{`...)
	n := len(dst)
	dst = annotation.AppendSpan(dst, value)
	dst = append(dst[:n], dst[n+1:]...) // without the first comma
	dst = append(append(append(dst, `,"title":"`...), title...), '"')
	dst = append(append(append(dst, `,"url":"`...), url...), '"')
	return append(member.AppendText(dst, `,"content":"`, quote), '}')
}

// Extend implements [hub.Extender]. Chunks without choices are common, and clients take no offence at unknown members, but
// for names that could change a prototype: the AI SDK then refuses the chunk, so it is not written.
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	for _, name := range [...]string{"__proto__", `\u005f`, `\u005F`, `"constructor"`} {
		if bytes.Contains(payload, []byte(name)) {
			return
		}
	}
	e.name(&hub.Event{})
	b := append(append(member.Begin(out, ""), e.base...), `],"`+extensionMember+`":`...)
	member.End(out, append(append(b, payload...), '}'))
}
