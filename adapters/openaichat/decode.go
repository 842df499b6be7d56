package openaichat

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Clients accept no more choices and calls than these; what is beyond is refused, so that a stream cannot fill memory.
const (
	maxChoices = 128
	maxCalls   = 128
)

// decoder remembers of each choice what later chunks refer to.
type decoder struct {
	json       rawjson.Decoder
	chunk      chunk
	scratch    hub.Scratch
	unfinished string
	oneChoice  bool

	begun, ended bool
	id           []byte // of the first chunk that has one: the message
	choices      []*choice
	latest       *call   // which the record before was a piece of arguments of, if that; see Tracked
	said         *choice // which the record before said something in that is no reasoning, if that
	minted       int     // calls that the upstream gave no id
	usage        hub.Counts
	form         usageForm // of the last usage
	elsewhere    bool      // usage was said in other places than the top of a chunk
	fault        error     // the first of the record
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{unfinished: o.Enum("unfinished"), oneChoice: o.Enum("choices") == "one"}
	d.json.MaxDepth = o.Nesting
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.begun, d.ended = false, false
	d.id, d.choices, d.minted = d.id[:0], nil, 0
	d.usage, d.elsewhere = hub.NoCounts, false
	d.form.reset()
	d.latest, d.said = nil, nil
}

// chunk is the schema of a frame: what the decoder reads of a chat.completion.chunk, of a whole chat.completion, and of
// errors.
type chunk struct {
	ID      rawjson.Value `json:"id"`
	Object  rawjson.Value `json:"object"`
	Created rawjson.Value `json:"created"`
	Model   rawjson.Value `json:"model"`
	Choices rawjson.Value `json:"choices"`
	Usage   rawjson.Value `json:"usage"`
	Error   rawjson.Value `json:"error"`

	Groq struct {
		Usage rawjson.Value `json:"usage"`
	} `json:"x_groq"`
	Filter  rawjson.Value `json:"prompt_filter_results"` // Azure
	Type    rawjson.Value `json:"type"`
	Message rawjson.Value `json:"message"`
	Code    rawjson.Value `json:"code"`
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	switch {
	case d.ended || len(bytes.TrimSpace(rec.Data)) == 0:
		return dst, nil
	case isDone(rec.Data):
		return d.done(dst), nil
	}
	d.chunk, d.fault, d.latest, d.said = chunk{}, nil, nil, nil
	if err := d.json.Decode(rec.Data, &d.chunk); err != nil {
		return dst, hub.JSONError(err)
	}
	if d.chunk.isForeign(rec) {
		return d.foreign(dst, rec), nil
	}
	return d.decodeChunk(dst, rec.Event), d.fault
}

// TrackText implements [fastpath.TextTracker]: the decoder must know where the arguments of a call are complete, and
// which text is the first behind reasoning. Where usage is said in several places, the order in which they count is the decoder's.
func (d *decoder) TrackText(of any, text, usage []byte) bool {
	k, _ := of.(*call)
	c, _ := of.(*choice)
	switch {
	case k != nil && k.args.complete(): // what follows may be another call
		return false
	case c != nil && c.plain != nil, usage != nil && d.elsewhere:
		return false
	}
	if k != nil {
		k.args.add(text)
		k.choice.latest = k
	}
	d.count(usage)
	return true
}

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (of any, ok bool) {
	if d.said != nil {
		return d.said, true
	}
	return d.latest, true
}

func (d *decoder) decodeChunk(dst []hub.Event, name []byte) []hub.Event {
	c := &d.chunk
	if id := rawjson.Body(c.ID); len(d.id) == 0 && len(d.choices) == 0 {
		d.id = append(d.id, id...) // later ones may differ, or be empty; the message stays one
	}
	if !d.begun && (len(d.id) > 0 || hasElements(c.Choices)) {
		dst = d.begin(dst)
	}
	if !rawjson.IsNull(c.Choices) && rawjson.Kind(c.Choices) != '[' {
		d.bad("choices", "want an array")
	}
	n := int64(0)
	for it := rawjson.Elems(c.Choices); ; n++ {
		v, ok := it.Next()
		if !ok {
			break
		}
		dst = d.choice(dst, v, n)
	}
	d.count(c.Usage)
	d.countElsewhere(c.Groq.Usage)
	if c.failed(name) {
		dst = d.fail(dst)
	}
	return dst
}

// begin says that the run starts.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	d.begun = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, ID: d.id, More: d.scratch.More()})
	ev.More.Model = rawjson.Body(d.chunk.Model)
	if seconds, ok := rawjson.Int(d.chunk.Created); ok && seconds > 0 && seconds < 1<<40 {
		ev.More.Time = seconds * 1000
	}
	return dst
}

// isForeign reports whether a frame is none of this dialect: a sign of life, or something new.
func (c *chunk) isForeign(rec wire.Record) bool {
	switch {
	case c.Choices != nil || c.Groq.Usage != nil || c.Filter != nil || c.failed(rec.Event):
		return false
	case c.isOther():
		return true
	}
	// An id alone is in the records of many dialects.
	return c.Usage == nil && (rawjson.IsNull(c.ID) || c.Created == nil && c.Object == nil)
}

// isOther reports whether a frame says of itself that it is something else than a chunk.
func (c *chunk) isOther() bool {
	object := rawjson.Body(c.Object)
	return len(rawjson.Body(c.Type)) > 0 || len(object) > 0 && !bytes.HasPrefix(object, []byte("chat.completion"))
}

// foreign passes a frame of an unknown type, unless it only shows that the stream lives.
func (d *decoder) foreign(dst []hub.Event, rec wire.Record) []hub.Event {
	switch string(rawjson.Body(d.chunk.Type)) {
	case "ping", "heartbeat", "keepalive", "keep-alive":
		return dst
	}
	value := bytes.TrimSpace(rec.Data)
	if string(rec.Event) == "ping" || string(value) == "{}" || rawjson.Kind(value) != '{' || findExtension(rec) != nil {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(Dialect.Name), Value: value})
}

// bad notes that a member has the wrong type; what else the record says is good.
func (d *decoder) bad(path, msg string) {
	if d.fault == nil {
		d.fault = hub.NewError(hub.ReasonType, path, -1, msg)
	}
}

func hasElements(v rawjson.Value) bool {
	it := rawjson.Elems(v)
	_, ok := it.Next()
	return ok
}
