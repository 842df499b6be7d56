package gemini

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bounds of what a decoder remembers of one stream. No stream known to work comes near them.
const (
	maxIDs    = 4096     // ids of calls that are distinguished
	maxKept   = 64 << 10 // bytes of a usageMetadata or a finishMessage
	maxFrames = 1 << 20  // frames of an array
)

// decoder remembers what the end of the body will mean, which ids are taken, and a call whose arguments come in pieces.
type decoder struct {
	json    rawjson.Decoder
	rec     record
	scratch hub.Scratch

	begun, ended bool
	model        []byte
	usage        []byte // the last usageMetadata
	finish       finish

	answering bool // the last text was of the answer
	called    bool // there was a functionCall
	ids       map[string]struct{}
	minted    int
	code      []byte // id of the last executableCode
	server    []byte // id of the last toolCall
	partial   *partialCall
	sources   genai.Sources
}

// finish is the last reason to end that was given.
type finish struct {
	given           bool
	early           bool // and more came after one
	status          hub.Status
	reason, message []byte
}

// record is the schema of a frame: the members that the decoder reads.
type record struct {
	Candidates rawjson.Value `json:"candidates"`
	Feedback   rawjson.Value `json:"promptFeedback"`
	Usage      rawjson.Value `json:"usageMetadata"`
	Model      rawjson.Value `json:"modelVersion"`
	Response   rawjson.Value `json:"responseId"`
	Error      rawjson.Value `json:"error"`
	Author     rawjson.Value `json:"author"` // of an event of an agent, which has members of the model's frame as well

	FeedbackSnake rawjson.Value `json:"prompt_feedback"`
	UsageSnake    rawjson.Value `json:"usage_metadata"`
	ModelSnake    rawjson.Value `json:"model_version"`
	ResponseSnake rawjson.Value `json:"response_id"`
}

// isForeign reports whether a frame has no member of this dialect.
func (r *record) isForeign() bool {
	return r.Author != nil || r.Candidates == nil && r.Feedback == nil && r.Usage == nil && r.Model == nil && r.Response == nil &&
		r.FeedbackSnake == nil && r.UsageSnake == nil && r.ModelSnake == nil && r.ResponseSnake == nil
}

func newDecoder(o hub.Options) hub.Decoder {
	d := &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}}
	d.Reset()
	return d
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	*d = decoder{json: d.json, scratch: d.scratch, model: d.model[:0], usage: d.usage[:0], ids: d.ids, sources: d.sources}
	d.scratch.Reset()
	if d.ids == nil {
		d.ids = map[string]struct{}{}
	}
	clear(d.ids)
	d.sources.Reset()
}

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	data := bytes.TrimSpace(rec.Data)
	switch {
	case len(data) == 0 || string(data) == "[DONE]" || d.ended:
		return dst, nil
	case data[0] == '[':
		return d.array(dst, data)
	}
	return d.decodeFrame(dst, data)
}

// array reads a body without alt=sse.
func (d *decoder) array(dst []hub.Event, data []byte) ([]hub.Event, error) {
	if err := d.json.Valid(data); err != nil {
		return dst, hub.JSONError(err)
	}
	it := rawjson.Elems(data)
	for range maxFrames {
		frame, ok := it.Next()
		if !ok || d.ended {
			break
		}
		var err error
		if dst, err = d.decodeFrame(dst, frame); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (d *decoder) decodeFrame(dst []hub.Event, data []byte) ([]hub.Event, error) {
	d.rec = record{}
	if err := d.json.Decode(data, &d.rec); err != nil {
		return dst, hub.JSONError(err)
	}
	if rawjson.Kind(d.rec.Error) == '{' {
		return d.failure(dst), nil
	}
	if d.rec.isForeign() {
		return foreign(dst, data), nil
	}
	dst = d.begin(dst)
	d.noteUsage(genai.Either(d.rec.Usage, d.rec.UsageSnake))
	d.feedback()
	return d.candidate(dst, firstCandidate(d.rec.Candidates))
}

// noteUsage keeps the usage so far; the last counts.
func (d *decoder) noteUsage(v rawjson.Value) {
	if rawjson.Kind(v) == '{' && len(v) <= maxKept {
		d.usage = append(d.usage[:0], v...)
	}
}

// Tracked implements [fastpath.TextTracker].
func (d *decoder) Tracked() (part any, ok bool) { return nil, true }

// TrackText implements [fastpath.TextTracker].
func (d *decoder) TrackText(_ any, _, usage []byte) bool {
	d.noteUsage(usage)
	return true
}

// foreign passes a frame of another kind, unless it is empty.
func foreign(dst []hub.Event, data []byte) []hub.Event {
	it := rawjson.Fields(data)
	if _, _, ok := it.Next(); !ok {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(Dialect.Name), Value: data})
}

// begin appends the start of the run for the first frame.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	if d.begun {
		return dst
	}
	d.begun = true
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunStart, ID: rawjson.Body(genai.Either(d.rec.Response, d.rec.ResponseSnake))})
	if model := rawjson.Body(genai.Either(d.rec.Model, d.rec.ModelSnake)); len(model) > 0 {
		d.model = append(d.model[:0], model...)
		ev.More = d.scratch.More()
		ev.More.Model = model
	}
	return dst
}

// feedback ends a run whose prompt was refused: there will be no candidates.
func (d *decoder) feedback() {
	v := genai.Either(d.rec.Feedback, d.rec.FeedbackSnake)
	if v == nil {
		return
	}
	reason := genai.Either(rawjson.Get(v, "blockReason"), rawjson.Get(v, "block_reason"))
	if !blocked(reason) {
		return
	}
	body := rawjson.Body(reason)
	d.end(hub.StatusFiltered, body, genai.Either(rawjson.Get(v, "blockReasonMessage"), rawjson.Get(v, "block_reason_message")))
}

// end notes a reason to end.
func (d *decoder) end(st hub.Status, reason []byte, message rawjson.Value) {
	f := &d.finish
	text := rawjson.Body(message)
	if len(reason)+len(text) > maxKept {
		text = nil
	}
	f.given, f.status = true, st
	f.reason = append(f.reason[:0], reason[:min(len(reason), maxKept)]...)
	f.message = append(f.message[:0], text...)
}

// firstCandidate returns the first candidate: the others are other answers to the same prompt.
func firstCandidate(candidates rawjson.Value) rawjson.Value {
	for c := range rawjson.Each(candidates) {
		if i, ok := rawjson.Int(rawjson.Get(c, "index")); !ok || i == 0 {
			return c
		}
	}
	return nil
}

func (d *decoder) candidate(dst []hub.Event, c rawjson.Value) ([]hub.Event, error) {
	var content, reason, message, grounding, citations rawjson.Value
	for key, val := range rawjson.EachField(c) {
		switch string(key) {
		case "content":
			content = val
		case "finishReason", "finish_reason":
			reason = val
		case "finishMessage", "finish_message":
			message = val
		case "groundingMetadata", "grounding_metadata":
			grounding = val
		case "citationMetadata", "citation_metadata":
			citations = val
		}
	}
	n := len(dst)
	dst, err := d.parts(dst, rawjson.Get(content, "parts"))
	if len(dst) > n && d.finish.given {
		d.finish.early = true
	}
	dst = d.sources.Grounding(dst, &d.scratch, grounding)
	dst = d.sources.Citations(dst, &d.scratch, citations)
	if genai.Finished(reason) {
		body := rawjson.Body(reason)
		d.end(genai.StatusOf(body), body, message)
	}
	return dst, err
}

// failure ends the run with an error frame.
func (d *decoder) failure(dst []hub.Event) []hub.Event {
	d.ended = true
	dst = d.appendUsage(d.breakCall(dst))
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: d.scratch.More()})
	ev.More.Err = rawjson.Text(d.rec.Error, "message")
	ev.More.ErrCode = rawjson.Text(d.rec.Error, "status")
	if len(ev.More.ErrCode) == 0 {
		ev.More.ErrCode = d.errorCode(rawjson.Get(d.rec.Error, "code"))
	}
	if string(ev.More.ErrCode) == genai.Cancelled {
		ev.Status = hub.StatusCancelled
	}
	return dst
}

// errorCode makes the status of an error that has only a code, be it a number or a string.
func (d *decoder) errorCode(v rawjson.Value) []byte {
	if text, ok := rawjson.Str(v); ok {
		if _, err := strconv.Atoi(string(text)); err != nil {
			return text // a word
		}
		v = text
	}
	if code, ok := rawjson.Int(v); ok && code > 0 && code < 1000 {
		return []byte(genai.StatusOfCode(int(code)))
	}
	return nil
}

// Finish implements [hub.Decoder]: the end of the body ends a run that has a reason to.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	if d.ended {
		return dst
	}
	d.ended = true
	whole := d.finish.given && (cause == nil || !d.finish.early)
	if whole && d.finish.status == hub.StatusDone {
		dst = d.endCall(dst)
	}
	dst = d.appendUsage(d.breakCall(dst))
	if !whole {
		return dst
	}
	dst, ev := hub.Grow(dst)
	f := &d.finish
	ev.Kind, ev.Status, ev.Name = hub.RunEnd, f.status, f.reason
	if f.status == hub.StatusDone && d.called {
		ev.Status = hub.StatusTools
	}
	if len(f.message) > 0 || f.status == hub.StatusFailed {
		ev.More = d.scratch.More()
		ev.More.Err = f.message
	}
	if f.status == hub.StatusFailed {
		ev.More.ErrCode = f.reason
	}
	return dst
}

// appendUsage appends the usage of the run as last said.
func (d *decoder) appendUsage(dst []hub.Event) []hub.Event {
	if len(d.usage) == 0 {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: d.scratch.More()})
	ev.More.Model = d.model
	genai.ReadCounts(&ev.More.Usage, d.usage)
	d.usage = d.usage[:0]
	return dst
}
