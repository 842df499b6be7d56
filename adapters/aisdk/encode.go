package aisdk

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/opened"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder writes what the oldest clients that it is to serve accept. What a client would reject is never written, whatever
// the upstream said: one bad record costs the user the whole answer.
type encoder struct {
	version   int             // oldest major version of the clients
	static    map[string]bool // names of tools that are parts of their own, still escaped
	allStatic bool
	usageIn   string // part, metadata or none

	message []byte       // id that the request asked for
	history *hub.History // what the client has; nil: unknown
	steps   steps
	parts   opened.List[part] // of the model that are open
	tools   opened.List[tool] // that have not ended
	asks    []ask
	asking  int // questions that are open
	left    int // calls that are left to the client
	sources int
	usage   []byte // of the run, for the metadata of the message
	scratch []byte
}

func newEncoder(o hub.Options) hub.Encoder {
	e := &encoder{version: int(o.Enum("version")[0] - '0'), static: map[string]bool{}, usageIn: o.Enum("usage")}
	for _, name := range o.List("static_tools") {
		e.allStatic = e.allStatic || name == "*"
		e.static[string(rawjson.AppendEscaped(nil, []byte(name)))] = true
	}
	e.Reset()
	return e
}

// Reset implements [hub.Encoder].
func (e *encoder) Reset() {
	e.message, e.history = e.message[:0], nil
	e.steps = steps{}
	e.parts.Reset()
	e.tools.Reset()
	e.asks, e.asking, e.left, e.sources = nil, 0, 0, 0
	e.usage = e.usage[:0]
}

// Answer implements [hub.Answerer]: the message is the one that the answer goes on with, or gets an id that no other has.
func (e *encoder) Answer(req *hub.Request) {
	switch {
	case len(req.Run) > 0:
		e.message = append(e.message[:0], req.Run...)
	case len(req.Unique) > 0:
		e.message = append(append(e.message[:0], "msg_"...), req.Unique...)
	}
	e.history = &req.History
}

// Finish implements [hub.Encoder]. Some readers take a stream without the end mark for one that was cut.
func (e *encoder) Finish(out *wire.Out) {
	member.End(out, append(member.Begin(out, ""), doneMark...))
}

// Extend implements [hub.Extender].
func (e *encoder) Extend(out *wire.Out, payload []byte) {
	b := append(member.Begin(out, ""), `{"type":"`+extensionType+`","data":`...)
	member.End(out, append(rawjson.AppendHarmless(b, payload), `,"transient":true}`...))
}

// writers are the methods of the encoder, by the kind of event that they write.
// Sub-agents and records of other dialects have none.
var writers = hub.Writers[*encoder]{
	hub.RunStart: (*encoder).runStart, hub.RunEnd: (*encoder).runEnd,
	hub.StepStart: (*encoder).stepStart, hub.StepEnd: (*encoder).stepEnd,
	hub.TextStart: (*encoder).textStart, hub.TextDelta: (*encoder).textDelta, hub.TextEnd: (*encoder).textEnd,
	hub.ToolStart: (*encoder).toolStart, hub.ToolArgs: (*encoder).toolArgs, hub.ToolReady: (*encoder).toolReady,
	hub.ToolUpdate: (*encoder).toolUpdate, hub.ToolOutput: (*encoder).toolOutput, hub.ToolEnd: (*encoder).toolEnd,
	hub.Ask: (*encoder).ask, hub.Answer: (*encoder).answer,
	hub.Plan: (*encoder).plan, hub.Usage: (*encoder).addUsage, hub.Notice: (*encoder).notice,
	hub.Source: (*encoder).source, hub.File: (*encoder).file, hub.Data: (*encoder).data,
}

// Encode implements [hub.Encoder].
func (e *encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	return writers.Write(e, out, ev)
}

// bare writes a record without members.
func bare(out *wire.Out, record string) {
	member.End(out, append(member.Begin(out, ""), record...))
}

// appendValue appends a value that a client accepts; null if there is none.
func appendValue(dst []byte, head string, v rawjson.Value) []byte {
	dst = append(dst, head...)
	if len(v) == 0 {
		return append(dst, "null"...)
	}
	return rawjson.AppendHarmless(dst, v)
}

// appendMetadata appends the provider metadata of ev: its Meta, if that has the form that clients demand, and what stands
// under the key of ours, members with a comma before each.
func appendMetadata(dst []byte, ev *hub.Event, own []byte) []byte {
	var meta rawjson.Value
	if isMetadata(ev.Rare().Meta) {
		meta = ev.More.Meta
	}
	if meta == nil && len(own) == 0 {
		return dst
	}
	dst = append(dst, `,"providerMetadata":{`...)
	from := len(dst)
	for key, val := range rawjson.EachField(meta) {
		if string(key) == ownKey && len(own) > 0 {
			continue
		}
		dst = append(dst, '"')
		dst = append(append(dst, rawjson.HarmlessKey(key)...), `":`...)
		dst = append(rawjson.AppendHarmless(dst, val), ',')
	}
	if len(own) > 0 {
		dst = append(dst, `"`+ownKey+`":{`...)
		dst = append(append(dst, own[1:]...), `},`...)
	}
	if len(dst) > from {
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}')
}

// isMetadata reports whether v is an object of objects that is not empty.
func isMetadata(v rawjson.Value) bool {
	if rawjson.Kind(v) != '{' {
		return false
	}
	n := 0
	for it := rawjson.Fields(v); ; n++ {
		_, val, ok := it.Next()
		if !ok {
			return n > 0
		}
		if rawjson.Kind(val) != '{' {
			return false
		}
	}
}

// part is a text or reasoning part that is open in the model. On the wire it may have been closed by the end of a step, and
// then goes on under another id.
type part struct {
	wire  []byte // its id there
	head  []byte // its delta up to the text
	kind  string // text or reasoning
	open  bool   // on the wire
	times int    // it was opened
}

// addPart keeps a part, in a slot that keeps its memory.
func (e *encoder) addPart(slot hub.Slot) *part {
	p := e.parts.Add(slot)
	*p = part{wire: p.wire[:0], head: p.head[:0]}
	return p
}
