package a2a

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// textStart names the artifact of a part. The first record of it makes the artifact, later ones append: one that came
// without append would take the place of all that was sent before.
func (e *encoder) textStart(ev *hub.Event) hub.Disposition {
	if ev.Chan == hub.Reasoning || ev.Flags.Has(hub.User) || ev.Instructs() {
		return hub.Dropped // an artifact is what the agent has made
	}
	p := e.parts.Add(ev.Slot)
	*p = outPart{head: p.head[:0], tail: p.tail[:0], text: p.text[:0], ch: ev.Chan}
	p.wire = e.name(ev.Msg)
	if e.inStatus {
		return hub.Folded
	}
	e.buf = append(append(append(e.buf[:0], `","name":"`...), rawjson.First(ev.Title, []byte("answer"))...), `","parts":[`...)
	e.prepare(p, e.buf, `"}]}`)
	return hub.FoldedIf(ev.Chan == hub.Refusal)
}

// prepare makes what is around the text of the records of a part.
func (e *encoder) prepare(p *outPart, middle []byte, end string) {
	p.head = e.appendIDs(e.appendEnvelope(p.head[:0]), "artifactUpdate", "artifact-update")
	p.head = append(append(append(p.head, `"artifact":{"artifactId":"`...), p.wire...), middle...)
	p.head = append(p.head, textHeads[e.shape]...)
	p.tail = e.appendClose(append(p.tail[:0], end...))
}

// textDelta is the hot path: what is around the text was made before.
func (e *encoder) textDelta(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	if e.inStatus {
		return e.collect(out, p, ev)
	}
	b := append(append(member.Begin(out, ""), p.head...), ev.Text...)
	member.End(out, append(b, p.tail...))
	if !p.begun {
		p.begun = true
		e.prepare(p, []byte(`","parts":[`), `"}]},"append":true`)
	}
	return hub.FoldedIf(p.ch == hub.Refusal)
}

// maxCollected bounds an answer that is one message, in bytes; what is longer is several.
const maxCollected = 1 << 20

// collect keeps text for a message.
func (e *encoder) collect(out *wire.Out, p *outPart, ev *hub.Event) hub.Disposition {
	p.text = append(p.text, ev.Text...)
	if len(p.text) > maxCollected {
		e.tell(out, p.text)
		p.text = p.text[:0]
	}
	return hub.Folded
}

// tell writes a text as a message of the task at work.
func (e *encoder) tell(out *wire.Out, body []byte) {
	e.buf = e.appendTextPart(e.buf[:0], body)
	e.close(out, e.status(out, stateWorking, e.buf))
}

// textEnd seals the artifact.
func (e *encoder) textEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	p := e.parts.Find(ev.Slot)
	if p == nil {
		return hub.Dropped
	}
	switch {
	case e.inStatus && len(p.text) > 0:
		e.tell(out, p.text)
	case p.begun:
		b := append(append(member.Begin(out, ""), p.head...), `"}]},"append":true,"lastChunk":true`...)
		member.End(out, e.appendClose(b))
	}
	e.parts.Drop(ev.Slot)
	return hub.Implied
}

func (e *encoder) toolStart(*hub.Event) hub.Disposition {
	if e.shape == shapeProto {
		return hub.Folded
	}
	return hub.Extension
}

// toolReady tells people of a call in words, and those who know it in data. The protocol itself has no calls.
func (e *encoder) toolReady(out *wire.Out, ev *hub.Event) hub.Disposition {
	e.announce(out, e.appendCall(nil, ev))
	if e.shape == shapeProto {
		return hub.Folded
	}
	return hub.Extension
}

// appendCall appends a call in words and in data.
func (e *encoder) appendCall(parts []byte, ev *hub.Event) []byte {
	words := append(append(e.buf[:0], "Calling "...), ev.Name...)
	parts = e.appendTextPart(parts, words)
	data := append(append(words[:0], `{"id":"`...), ev.ID...)
	data = append(append(append(data, `","name":"`...), ev.Name...), `","args":`...)
	if ev.Value != nil {
		data = append(data, ev.Value...)
	} else {
		data = rawjson.AppendQuoted(data, ev.Text)
	}
	e.buf = append(data, '}')
	return e.appendDataPart(parts, kindCall, e.buf)
}

// announce writes a message whose words repeat its data, and marks it so.
func (e *encoder) announce(out *wire.Out, parts []byte) {
	b := e.status(out, stateWorking, parts)
	if e.shape == shapeProto {
		e.close(out, b)
		return
	}
	// The metadata are the message's own, whose brace, and that of the status, are the last ones but the final flag.
	at := bytes.LastIndex(b, []byte("]}}"))
	rest := append([]byte(nil), b[at+1:]...)
	b = append(append(b[:at+1], `,"metadata":{"`+keyOwn+`":"announced"}`...), rest...)
	e.close(out, b)
}

// toolEnd writes the result of a call, if there is one.
func (e *encoder) toolEnd(out *wire.Out, ev *hub.Event) hub.Disposition {
	blocks := ev.Rare().Content != nil
	switch {
	case e.shape == shapeProto:
		return hub.Dropped
	case len(ev.Text) == 0 && ev.Value == nil && !blocks && ev.Status != hub.StatusOK && (!hub.Failed(ev) || ev.Status == hub.StatusAborted && len(hub.Why(ev)) == 0):
		return hub.Implied
	}
	data := append(append(e.buf[:0], `{"id":"`...), ev.ID...)
	data = append(append(append(data, `","name":"`...), ev.Name...), `","response":`...)
	data = append(appendResponse(data, ev), '}')
	e.buf = data
	e.announce(out, e.appendDataPart(nil, kindResponse, data))
	return hub.Extension
}

// appendResponse appends what a tool returned, as an object.
func appendResponse(dst []byte, ev *hub.Event) []byte {
	if !hub.Failed(ev) {
		if rawjson.Kind(ev.Value) == '{' && !isResult(ev.Value) {
			return append(dst, ev.Value...)
		}
		dst = append(dst, `{"result":`...)
	} else {
		dst = append(dst, `{"error":`...)
	}
	switch {
	case ev.Value != nil:
		dst = append(dst, ev.Value...)
	case len(ev.Text) > 0 || ev.More == nil:
		dst = rawjson.AppendQuoted(dst, ev.Text)
	case len(ev.More.Err) > 0:
		dst = rawjson.AppendQuoted(dst, ev.More.Err)
	case ev.More.Content != nil:
		dst = append(dst, ev.More.Content...)
	default:
		dst = append(dst, `""`...)
	}
	return append(dst, '}')
}

// isResult reports whether an object would be taken for the wrapping of a result.
func isResult(v rawjson.Value) bool {
	it := rawjson.Fields(v)
	key, _, _ := it.Next()
	_, _, more := it.Next()
	return !more && (string(key) == "result" || string(key) == "error")
}

// notice writes what the agent says of its work.
func (e *encoder) notice(out *wire.Out, ev *hub.Event) hub.Disposition {
	if len(ev.Text) == 0 {
		return hub.Dropped
	}
	e.tell(out, ev.Text)
	return hub.Native
}

// file writes an artifact that is a file.
func (e *encoder) file(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Flags.Has(hub.User) || len(ev.Rare().File.URL) == 0 && len(ev.Rare().File.Base64) == 0 {
		return hub.Dropped
	}
	e.artifact(out, e.name(ev.ID), rawjson.First(ev.Title, ev.More.File.Name, ev.Name), ev.Text, e.shape.appendFile(e.buf[:0], &ev.More.File))
	return hub.Native
}

// artifact writes one that is complete.
func (e *encoder) artifact(out *wire.Out, id, name, description, part []byte) {
	e.buf = part
	b := e.appendIDs(e.begin(out), "artifactUpdate", "artifact-update")
	b = append(append(append(b, `"artifact":{"artifactId":"`...), id...), '"')
	b = member.AppendText(b, `,"name":"`, name)
	b = member.AppendText(b, `,"description":"`, description)
	b = append(append(append(b, `,"parts":[`...), part...), `]},"lastChunk":true`...)
	e.close(out, b)
}

// appendFile appends a part that is a file: by its URL, or else inline.
func (s shape) appendFile(dst []byte, f *hub.FileRef) []byte {
	inline := len(f.URL) == 0
	body := f.URL
	if inline {
		body = f.Base64
	}
	names := fileNames[s]
	head := names.url
	if inline {
		head = names.raw
	}
	dst = append(append(append(dst, head...), body...), '"')
	dst = member.AppendText(dst, names.media, f.Media)
	dst = member.AppendText(dst, names.name, f.Name)
	return append(dst, names.end...)
}

// fileNames are the members of a file in each shape. The older form of 0.3 has no names of files.
var fileNames = [...]struct{ url, raw, media, name, end string }{
	shapeV1:    {`{"url":"`, `{"raw":"`, `,"mediaType":"`, `,"filename":"`, `}`},
	shapeFlat:  {`{"kind":"file","file":{"uri":"`, `{"kind":"file","file":{"bytes":"`, `,"mimeType":"`, `,"name":"`, `}}`},
	shapeProto: {`{"file":{"fileWithUri":"`, `{"file":{"fileWithBytes":"`, `,"mimeType":"`, `,"name":"`, `}}`},
}

// data writes an artifact that is data. State takes the place of what it was; what happens once is an artifact each time.
func (e *encoder) data(out *wire.Out, ev *hub.Event) hub.Disposition {
	if ev.Value == nil || e.shape == shapeProto || rawjson.IsNull(ev.Value) {
		return hub.Dropped
	}
	var id []byte
	switch ev.Op {
	case hub.Set, hub.Replace:
		id = e.dataID(ev)
	case hub.Emit, hub.Append:
		e.made++
		id = strconv.AppendInt([]byte("event-"), int64(e.made), 10)
	default:
		return hub.Dropped
	}
	part := append(e.buf[:0], dataHeads[e.shape]...)
	part = append(e.appendData(part, ev.Value), '}')
	e.artifact(out, id, ev.Name, nil, part)
	return hub.FoldedIf(e.shape != shapeV1 && rawjson.Kind(ev.Value) != '{')
}

// dataID is the artifact of a state: the same each time, and that of nothing else.
func (e *encoder) dataID(ev *hub.Event) []byte {
	key := string(ev.Name) + "\x00" + string(ev.ID)
	id, known := e.states[key]
	if !known {
		id = e.name(rawjson.First(ev.ID, append([]byte("data-"), ev.Name...)))
		if len(e.states) < maxUsed {
			e.states[key] = id
		}
	}
	return id
}

// addUsage keeps the totals of the run for the last status.
func (e *encoder) addUsage(ev *hub.Event) hub.Disposition {
	switch {
	case !e.usage.Add(ev):
		return hub.Dropped
	case ev.Scope == hub.StepScope || e.usage.Models() > 1: // which step or model used what is lost
		return hub.Folded
	}
	return hub.Extension
}

// ask is a question that has no answer yet.
type ask struct {
	id, title []byte
	what      hub.AskKind
	body      []byte // its members, from the id on
}

func (e *encoder) ask(ev *hub.Event) hub.Disposition {
	b := append(append([]byte(`"id":"`), ev.ID...), '"')
	b = eventjson.Append(b, ev, eventjson.AskKind|eventjson.Title)
	b = member.AppendText(b, `,"tool":"`, ev.Ref)
	b = eventjson.Append(b, ev, eventjson.Value|eventjson.Question)
	e.asks = append(e.asks, ask{id: bytes.Clone(ev.ID), title: bytes.Clone(ev.Title), what: ev.AskKind, body: b})
	if e.shape == shapeProto {
		return hub.Folded
	}
	return hub.Deferred
}

// appendQuestions appends the questions that are open: in words, and in data for those who know them.
func (e *encoder) appendQuestions(dst []byte) []byte {
	for i := range e.asks {
		a := &e.asks[i]
		dst = e.appendTextPart(dst, rawjson.First(a.title, []byte(questions[a.what])))
		data := append(append([]byte{'{'}, a.body...), '}')
		dst = e.appendDataPart(dst, kindAsk, data)
	}
	return dst
}

// questions are asked in these words where the upstream has none.
var questions = [...]string{
	hub.AskNone: "The agent waits for an answer.", hub.AskPermission: "May the agent go on?", hub.AskQuestion: "The agent has a question.",
	hub.AskInput: "The agent waits for input.", hub.AskAuth: "The agent needs you to sign in.",
}

// answer tells of a question that was answered while the run went on.
func (e *encoder) answer(out *wire.Out, ev *hub.Event) hub.Disposition {
	for i := range e.asks {
		a := &e.asks[i]
		if !bytes.Equal(a.id, ev.ID) {
			continue
		}
		data := append(append([]byte{'{'}, a.body...), `,"status":"`...)
		data = append(append(data, ev.Status.String()...), '"')
		data = member.AppendText(data, `,"option":"`, ev.Name)
		if ev.Value != nil {
			data = append(append(data, `,"answer":`...), ev.Value...)
		}
		parts := e.appendDataPart(nil, kindAsked, append(data, '}'))
		e.asks = append(e.asks[:i], e.asks[i+1:]...)
		if parts == nil {
			return hub.Dropped
		}
		e.announce(out, parts)
		return hub.Native
	}
	return hub.Dropped
}
