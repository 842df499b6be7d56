package adk

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/genai"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Members of an event that the decoder reads.
const (
	mContent = iota
	mPartial
	mID
	mAuthor
	mBranch
	mActions
	mOutput
	mError
	mInvocation // from here on there are two ways of writing
	mLongRunning
	mUsage
	mFinish
	mErrorCode
	mErrorMessage
	mGrounding
	mCitations
	mModel
	mErrorDetails
	memberCount
)

// schema has the names of the members, and behind them those in snake case: session stores and Agent Engine write these.
var schema = rawjson.SchemaOf("content", "partial", "id", "author", "branch", "actions", "output", "error",
	"invocationId", "longRunningToolIds", "usageMetadata", "finishReason", "errorCode", "errorMessage", "groundingMetadata",
	"citationMetadata", "modelVersion", "errorDetails",
	"invocation_id", "long_running_tool_ids", "usage_metadata", "finish_reason", "error_code", "error_message", "grounding_metadata",
	"citation_metadata", "model_version", "error_details")

// Bounds of what a decoder remembers of one stream.
const (
	maxBranches = 256
	maxKept     = 16 << 10 // bytes of a usageMetadata or of a failure
)

// decoder remembers what is open: turns of models, calls, questions.
type decoder struct {
	json    rawjson.Decoder
	rec     [memberCount + memberCount - mInvocation]rawjson.Value
	scratch hub.Scratch

	begun, ended bool
	root         branch
	branches     map[string]*branch // by branch
	order        []*branch
	calls        recent.Map[callState]
	open         [callStates]int // calls and questions that are in a state
	minted       int
	msg          []byte  // message that the record belongs to
	speaker      *branch // of which the record is a fragment, if it is one
	reason       []byte  // the last finishReason of the root agent
	failure      failure
	sources      genai.Sources
}

// failure is an error that was reported and may be the end of the run.
type failure struct {
	reported   bool
	code, text []byte
}

func newDecoder(o hub.Options) hub.Decoder { return makeDecoder(o) }

func makeDecoder(o hub.Options) *decoder {
	return &decoder{json: rawjson.Decoder{MaxDepth: o.Nesting}, branches: map[string]*branch{}}
}

// Reset implements [hub.Decoder].
func (d *decoder) Reset() {
	d.scratch.Reset()
	d.begun, d.ended = false, false
	d.root = branch{}
	clear(d.branches)
	clear(d.order)
	d.order = d.order[:0]
	d.calls.Reset()
	d.open = [callStates]int{}
	d.minted, d.msg, d.reason = 0, nil, d.reason[:0]
	d.failure = failure{}
	d.sources.Reset()
}

// body is a member that is a string.
func (d *decoder) body(member int) []byte { return rawjson.Body(d.rec[member]) }

// Decode implements [hub.Decoder].
func (d *decoder) Decode(dst []hub.Event, rec wire.Record) ([]hub.Event, error) {
	d.scratch.Reset()
	data := bytes.TrimSpace(rec.Data)
	if len(data) == 0 || d.ended {
		return dst, nil
	}
	clear(d.rec[:])
	d.speaker = nil
	if err := d.json.DecodeNamed(data, schema, d.rec[:]); err != nil {
		if text, ok := brokenError(data); ok {
			return d.fail(dst, nil, d.scratch.Since(rawjson.AppendEscaped(d.scratch.Begin(), text))), nil
		}
		return dst, hub.JSONError(err)
	}
	for m := mInvocation; m < memberCount; m++ {
		d.rec[m] = genai.Either(d.rec[m], d.rec[m+memberCount-mInvocation])
	}
	switch {
	case d.rec[mAuthor] == nil && !rawjson.IsNull(d.rec[mError]):
		return d.errorRecord(dst), nil
	case d.rec[mAuthor] == nil && d.rec[mInvocation] == nil:
		return raw(dst, nil, data), nil
	}
	return d.event(dst)
}

// Tracked implements [fastpath.TextTracker]: only fragments are like others.
func (d *decoder) Tracked() (part any, ok bool) { return d.speaker, d.speaker != nil }

// TrackText implements [fastpath.TextTracker].
func (d *decoder) TrackText(part any, _, usage []byte) bool {
	part.(*branch).noteUsage(usage)
	return true
}

// raw passes on a record of another kind, or a part.
func raw(dst []hub.Event, id []byte, v rawjson.Value) []hub.Event {
	if rawjson.IsEmptyObject(v) {
		return dst
	}
	return append(dst, hub.Event{Kind: hub.Raw, Name: []byte(dialectName), ID: id, Value: v})
}

func (d *decoder) event(dst []hub.Event) ([]hub.Event, error) {
	dst, l := d.branch(d.begin(dst))
	parts := rawjson.Get(d.rec[mContent], "parts")
	if partial, _ := rawjson.Bool(d.rec[mPartial]); partial {
		return d.fragment(dst, l, parts), nil
	}
	dst, err := d.whole(dst, l, parts)
	d.leave()
	dst = d.sources.Grounding(dst, &d.scratch, d.rec[mGrounding])
	dst = d.sources.Citations(dst, &d.scratch, d.rec[mCitations])
	dst = d.actions(dst, l)
	if code := d.body(mErrorCode); len(code) > 0 {
		d.failure.learn(code, d.body(mErrorMessage))
	}
	return dst, err
}

// leave notes calls that turn out to be the client's after they were reported.
func (d *decoder) leave() {
	for v := range rawjson.Each(d.rec[mLongRunning]) {
		if id := rawjson.Body(v); id != nil {
			if state, _ := d.calls.Find(id); state == callRunning {
				d.set(id, callClient)
			}
		}
	}
}

// begin starts the run with the first event.
func (d *decoder) begin(dst []hub.Event) []hub.Event {
	if d.begun {
		return dst
	}
	d.begun = true
	return append(dst, hub.Event{Kind: hub.RunStart, ID: d.body(mInvocation), Name: d.body(mAuthor)})
}

func (f *failure) learn(code, text []byte) {
	f.reported = true
	f.code = append(f.code[:0], code[:min(len(code), maxKept)]...)
	if f.text = f.text[:0]; len(text) <= maxKept {
		f.text = append(f.text, text...)
	}
}

// overcome tells of a failure that the run has got over: other agents go on.
func (d *decoder) overcome(dst []hub.Event) []hub.Event {
	f := &d.failure
	if !f.reported {
		return dst
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Level, ev.Name, ev.Text = hub.Notice, hub.LevelError, d.scratch.Copy(f.code), d.scratch.Copy(f.text)
	*f = failure{code: f.code, text: f.text}
	return dst
}

// errorRecord ends the run. It mostly repeats an event before it.
func (d *decoder) errorRecord(dst []hub.Event) []hub.Event {
	text, code := d.body(mError), rawjson.Body(genai.Get(d.rec[mErrorDetails], "errorType", "error_type"))
	if own := rawjson.Body(rawjson.Get(d.rec[mError], "message")); text == nil {
		text = own
	}
	if f := &d.failure; f.reported && !bytes.Contains(text, f.text) {
		dst = d.overcome(dst)
	}
	if own := rawjson.Body(genai.Get(d.rec[mErrorDetails], "errorMessage", "error_message")); len(own) > 0 {
		text = own
	}
	return d.fail(dst, code, text)
}

// brokenError finds the text of an error that servers up to 1.18 put between quotes as it is, whatever is in it.
func brokenError(data []byte) (text []byte, ok bool) {
	text, ok = bytes.CutPrefix(data, []byte(`{"error": "`))
	return bytes.TrimSuffix(text, []byte(`"}`)), ok
}

// fail ends the run with an error.
func (d *decoder) fail(dst []hub.Event, code, text []byte) []hub.Event {
	d.ended = true
	dst, ev := hub.Grow(d.emitUsage(dst))
	ev.Kind, ev.Status, ev.More = hub.RunEnd, statusOf(code), d.scratch.More()
	ev.More.Err, ev.More.ErrCode = text, code
	if ev.Status != hub.StatusFailed {
		ev.Name = code
	}
	return dst
}

// statusOf is how a run ends with an errorCode: a finishReason, the name of an exception, or a word of a model.
func statusOf(code []byte) hub.Status {
	if string(code) == codeCancelled {
		return hub.StatusCancelled
	}
	return genai.StatusOf(code)
}

// Finish implements [hub.Decoder]. The end of the body is the end of the run, but not in the middle of a turn or of a call:
// both are said whole in the end.
func (d *decoder) Finish(dst []hub.Event, cause error) []hub.Event {
	d.scratch.Reset()
	switch {
	case d.ended:
		return dst
	case d.failure.reported:
		return d.fail(dst, d.scratch.Copy(d.failure.code), d.scratch.Copy(d.failure.text))
	}
	d.ended = true
	dst = d.emitUsage(dst)
	if cause != nil || !d.complete() {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	if len(d.reason) > 0 {
		ev.Status, ev.Name = genai.StatusOf(d.reason), d.reason
	}
	switch {
	case ev.Status != hub.StatusDone:
	case d.open[callAsk] > 0:
		ev.Status = hub.StatusPaused
	case d.open[callClient] > 0:
		ev.Status = hub.StatusTools
	}
	return dst
}

// complete reports whether the body may end here.
func (d *decoder) complete() bool {
	if !d.begun || d.root.open || d.open[callRunning] > 0 {
		return false
	}
	for _, l := range d.order {
		if l.open {
			return false
		}
	}
	return true
}
