package engine

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Guard finds, in a stream that is copied, the records in which the agent says what a route does not expose. It decodes
// what is no repetition of the record before, so it costs nothing for most of a stream.
type Guard struct {
	conceal Concealer
	explain func(wire.Record) hub.Status // nil: what is decoded says it
	dec     hub.Decoder
	events  []hub.Event
}

func NewGuard(d *hub.Dialect, options hub.Options, c Concealer) *Guard {
	return &Guard{conceal: c, explain: d.Explains, dec: policy.NewDecoder(d, options)}
}

// finding is what has to be done about a record.
type finding struct {
	end  *hub.Event // to be written in its place, and nothing after it; nil for none
	data []byte     // the record with other texts; nil for none
	drop hub.Kind   // of an event that the record cannot be freed of; KindNone for none
}

// look judges one record. What it returns is valid until the next call.
func (g *Guard) look(rec wire.Record) (found finding) {
	g.events, _ = g.dec.Decode(g.events[:0], rec) // what is wrong with a record is for its reader to see
	status := hub.StatusNone
	if g.explain != nil {
		status = g.explain(rec)
	}
	for i := range g.events {
		ev := &g.events[i]
		before := partsOf(ev)
		if !g.conceal.Event(ev) {
			continue
		}
		// The end of a run that failed or was cancelled is written anew. Of others more may be in the record, such as a result.
		bad := ev.Kind == hub.RunEnd && (ev.Status == hub.StatusFailed || ev.Status == hub.StatusTruncated || ev.Status == hub.StatusCancelled)
		if !bad && found.replace(rec.Data, before, partsOf(ev), ev.Kind) {
			continue
		}
		if ev.Kind == hub.RunEnd && (g.explain == nil || status != hub.StatusNone) {
			found.end = ev
		}
	}
	if found.end == nil && status != hub.StatusNone {
		found.end = g.conceal.end(status)
	}
	return found
}

// parts are what an event says of a fault, in all its members: string bodies, then raw values.
type parts [6][]byte

const partMeta = 5

func partsOf(ev *hub.Event) parts {
	p := parts{ev.Text, ev.Name, nil, nil, ev.Value, nil}
	if ev.More != nil {
		p[2], p[3], p[partMeta] = ev.More.Err, ev.More.ErrCode, ev.More.Meta
	}
	return p
}

// substitutes stand where a part of an event is left out.
var substitutes = parts{[]byte(problemText), []byte(hub.CodeAgent), []byte(problemText), []byte(hub.CodeAgent), []byte("null"), []byte("{}")}

// edit is a piece of a record that becomes another.
type edit struct {
	at, length int
	text       []byte
}

// replace puts other parts of an event into a record. A record that may hold more of them than can be found is to be
// dropped, and the answer is false.
func (f *finding) replace(data []byte, before, after parts, kind hub.Kind) bool {
	var edits []edit
	for i, said := range before {
		if len(said) == 0 || bytes.Equal(said, after[i]) {
			continue
		}
		text := after[i]
		if len(text) == 0 {
			text = substitutes[i]
		}
		at := offset(data, said)
		if at < 0 && i == partMeta { // gathered from members that the dialect does not know
			continue
		}
		edits = append(edits, edit{at, len(said), text})
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at - b.at })
	edits = slices.CompactFunc(edits, func(a, b edit) bool { return a.at == b.at && a.length == b.length })
	if f.data != nil || f.drop != hub.KindNone || !f.apply(data, edits) || f.stillContains(before, after) {
		f.data, f.drop = nil, kind
	}
	return f.drop == hub.KindNone
}

// apply makes the record with the edits; false if they are not all at different places of it.
func (f *finding) apply(data []byte, edits []edit) bool {
	at := 0
	for _, e := range edits {
		if e.at < at {
			return false
		}
		f.data = append(append(f.data, data[at:e.at]...), e.text...)
		at = e.at + e.length
	}
	f.data = append(f.data, data[at:]...)
	return true
}

// stillContains reports whether the record has one of the parts at yet another place. Very short ones are words of the dialect.
func (f *finding) stillContains(before, after parts) bool {
	const word = 4
	for i, said := range before {
		if len(said) > word && !bytes.Equal(said, after[i]) && bytes.Contains(f.data, said) {
			return true
		}
	}
	return false
}

// offset is where a record holds a text: where the text is a slice of it, else where the record has its one string of that
// kind. It is -1 if that is not sure.
func offset(data, text []byte) int {
	if len(text) == 0 {
		return -1
	}
	if at := cap(data) - cap(text); at >= 0 && at+len(text) <= len(data) && &data[at] == &text[0] {
		return at
	}
	quoted := slices.Concat([]byte{'"'}, text, []byte{'"'})
	at := bytes.Index(data, quoted)
	if at < 0 || bytes.Count(data, quoted) > 1 {
		return -1
	}
	return at + 1
}
