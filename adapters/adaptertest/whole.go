package adaptertest

import (
	"errors"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// testFailures: a stream may fail before it began, or be copied until it was cut. The end of the run is then all that
// an encoder gets, and clients must not take it for a good one.
func testFailures(t *testing.T, d *hub.Dialect) {
	for _, code := range hub.Codes() {
		fail := hub.Fail(code, errors.New("secret.internal:8080"))
		checkFailureBody(t, d, fail)
		if d.NewEncoder == nil {
			continue
		}
		for _, framing := range d.Framings {
			checkFailureFirst(t, d, framing, fail)
		}
	}
}

func checkFailureBody(t *testing.T, d *hub.Dialect, fail *hub.Failure) {
	t.Helper()
	if d.AppendFailure == nil {
		return
	}
	var json rawjson.Decoder
	body := d.AppendFailure(nil, fail)
	if err := json.Valid(body); err != nil || strings.Contains(string(body), "secret") {
		t.Errorf("%s: the body of the HTTP error is not valid, or tells too much: %v\n%s", fail.Code, err, body)
	}
}

func checkFailureFirst(t *testing.T, d *hub.Dialect, framing wire.Framing, fail *hub.Failure) {
	t.Helper()
	enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(framing)
	var more hub.More
	end := hub.FailureEnd(fail, &more)
	disposition := enc.Encode(out, &end)
	enc.Finish(out)
	records, err := splitAll(out.Buf, framing)
	if err == nil {
		err = checkRecords(d, records)
	}
	if err != nil || strings.Contains(string(out.Buf), "secret") {
		t.Errorf("%s as the only event, framed as %s, is not valid or tells too much: %v\n%s", fail.Code, framing, err, out.Buf)
	}
	if d.NewDecoder == nil || disposition != hub.Native || err != nil {
		return
	}
	if back := readBack(t, d, records); back.sense.Status == hub.StatusDone {
		t.Errorf("%s as the only event is read back as a good end\n%s", fail.Code, out.Buf)
	}
}

// testObserve: what is copied must be seen to end when what is decoded ends. A decoder may keep the end that a record
// says back until the body is over.
func (f *fixture) testObserve(t *testing.T) {
	ended, kept, observed := false, false, false
	src := newSource(f)
	src.sink = func(evs []hub.Event) {
		for i := range evs {
			isEnd := evs[i].Kind == hub.RunEnd
			ended = ended || isEnd && !src.finishing
			kept = kept || isEnd && src.finishing
		}
	}
	watch := fastpath.NewWatcher(f.dialect, f.options)
	src.record = func(rec wire.Record) {
		observed = observed || watch.Observe(rec) == hub.ObservedEnd
	}
	src.run(f.wire)
	if ended != observed && !(kept && observed) {
		t.Errorf("a record ended the run: decoded %t, observed %t", ended, observed)
	}
	if byBody := watch.EndsWithBody(); src.cause == nil && !ended && !observed && kept != byBody {
		t.Errorf("the body ended the run: decoded %t, observed %t", kept, byBody)
	}
}

// testKeepAlive: signs of life between records change nothing, nor how the stream ends.
func (f *fixture) testKeepAlive(t *testing.T) {
	whole := decode(newSource(f), f.wire)
	framing := textFraming(whole.framing)
	beat := func(out *wire.Out) { out.KeepAlive(0) }
	if f.dialect.KeepAlive != nil {
		beat = func(out *wire.Out) { f.dialect.KeepAlive(out, f.options) }
	}
	out := wire.NewOut(framing)
	for _, rec := range whole.records {
		out.Record(rec)
		beat(out)
	}
	quiet := *f
	quiet.framing = framing
	src := newSource(&quiet)
	src.ending = whole.cause
	if got := decode(src, out.Buf); got.lines != whole.lines {
		t.Errorf("with a keep-alive after each record, other events come out\n%s", diff(whole.lines, got.lines))
	}
}
