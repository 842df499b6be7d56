package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/finish"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// maxKnown bounds each list of things that a decoder remembers of a stream. What comes beyond it is not kept.
const maxKnown = 4096

// decoder remembers the sessions that belong to the stream, and what is open in them.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	data    []byte
	part    *part    // of the record
	of      *session // that the record is of
	scratch hub.Scratch
	unknown bool // the record is of no known type

	option   string // the session to read, if the route names it
	want     string // the session to read; "": the first
	asked    askedRun
	open     openItems
	early    []earlyAsk // questions
	lines    bool       // the stream is the output of the command
	root     *session
	sessions map[string]*session
	users    map[string]bool     // messages of the user
	texts    map[string]hub.Chan // parts that are open
	calls    map[string]*call    // by the id of their part
	ended    bool
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{option: o.Text("session")}
	d.json.MaxDepth = o.Nesting
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.rec, d.data, d.part, d.of = record{}, nil, nil, nil
	d.root, d.lines, d.ended, d.unknown = nil, false, false, false
	d.want, d.asked = d.option, askedRun{}
	d.early = nil
	d.open.reset()
	d.sessions, d.users = map[string]*session{}, map[string]bool{}
	d.texts, d.calls = map[string]hub.Chan{}, map[string]*call{}
}

// record is a line, or an event of the bus, which has all but its type in properties.
type record struct {
	Type       rawjson.Value `json:"type"`
	SessionID  rawjson.Value `json:"sessionID"`
	Part       part          `json:"part"`
	Error      failure       `json:"error"`
	Properties properties    `json:"properties"`
}

// properties holds every member of every event that the decoder reads.
type properties struct {
	ID         rawjson.Value `json:"id"`
	SessionID  rawjson.Value `json:"sessionID"`
	Info       info          `json:"info"`
	Part       part          `json:"part"`
	MessageID  rawjson.Value `json:"messageID"`
	PartID     rawjson.Value `json:"partID"`
	Field      rawjson.Value `json:"field"`
	Delta      rawjson.Value `json:"delta"`
	Status     state         `json:"status"`
	Error      failure       `json:"error"`
	Permission rawjson.Value `json:"permission"`
	Patterns   rawjson.Value `json:"patterns"`
	Metadata   rawjson.Value `json:"metadata"`
	Tool       caller        `json:"tool"`
	RequestID  rawjson.Value `json:"requestID"`
	Reply      rawjson.Value `json:"reply"`
	Questions  rawjson.Value `json:"questions"`
	Answers    rawjson.Value `json:"answers"`
}

// info is what is said of a message, or of a session.
type info struct {
	ID       rawjson.Value `json:"id"`
	Role     rawjson.Value `json:"role"`
	ModelID  rawjson.Value `json:"modelID"`
	ParentID rawjson.Value `json:"parentID"`
	Agent    rawjson.Value `json:"agent"`
	Title    rawjson.Value `json:"title"`
}

// state is the status of a session.
type state struct {
	Type    rawjson.Value `json:"type"`
	Message rawjson.Value `json:"message"`
}

type caller struct {
	CallID rawjson.Value `json:"callID"`
}

type failure struct {
	Name rawjson.Value `json:"name"`
	Data struct {
		Message rawjson.Value `json:"message"`
	} `json:"data"`
}

// Decode implements [hub.Decoder]. Nothing counts after the end of the run: what the server has still to write down comes then.
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	d.unknown = false
	if d.ended || len(bytes.TrimSpace(rec.Data)) == 0 {
		return dst, nil
	}
	d.rec, d.data = record{}, rec.Data
	if err := d.json.Decode(rec.Data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	typ, err := member.Text(d.rec.Type, "type")
	if err != nil {
		return dst, err
	}
	if rawjson.Kind(rawjson.Get(rec.Data, "properties")) == '{' {
		return d.event(dst, typ)
	}
	return d.line(dst, typ)
}

// LastUnknown implements [hub.UnknownReporter]: of what is known, some is passed on raw.
func (d *decoder) LastUnknown() bool { return d.unknown }

// Finish implements [hub.Decoder]. Nothing but the end of the output says that the command is done.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if cause != nil || d.ended || !d.rests() {
		return dst
	}
	return d.runEnd(dst)
}

// rests reports whether the output of the command may end here.
func (d *decoder) rests() bool { return d.lines && d.root != nil && d.root.rests }

// raw passes on a record that has no kind.
func (d *decoder) raw(dst []hub.Event) []hub.Event {
	return d.put(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), Value: bytes.TrimSpace(d.data)})
}

func (d *decoder) rawUnknown(dst []hub.Event) []hub.Event {
	d.unknown = true
	return d.raw(dst)
}

// emit appends an event of the session that the record is of.
func (d *decoder) emit(dst []hub.Event, ev hub.Event) ([]hub.Event, *hub.Event) {
	dst, out := hub.Add(dst, ev)
	if d.of != nil {
		out.SubAgent = d.of.sub
	}
	return dst, out
}

// put is emit for an event of which all is known.
func (d *decoder) put(dst []hub.Event, ev hub.Event) []hub.Event {
	dst, _ = d.emit(dst, ev)
	return dst
}

// runEnd ends the run as far as its session says how.
func (d *decoder) runEnd(dst []hub.Event) []hub.Event {
	d.ended = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone, Name: d.root.reason})
	if d.root.failed {
		ev.Status, ev.Name = d.root.failedAs(), nil
		ev.More = d.scratch.More()
		ev.More.Err, ev.More.ErrCode = d.root.err, d.root.code
	} else if status := finish.Status(d.root.reason); status != hub.StatusTools { // the agent runs its tools, and has stopped behind them
		ev.Status = status
	}
	return dst
}
