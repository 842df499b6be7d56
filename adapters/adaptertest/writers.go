package adaptertest

import (
	"encoding/json" //nolint:depguard // the judge must not be what it judges
	"fmt"
	"hash/fnv"
	"testing"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// writersAtOnce is how many writers one fuzzed stream goes through. Which ones follows from its bytes, so that the corpus
// goes through all of them, and a stream that fails does so again.
const writersAtOnce = 3

// fuzzWriters writes the stream in other dialects, and in all their framings.
func (f *fixture) fuzzWriters(t *testing.T) {
	t.Helper()
	decoded, cause := f.decoded(t)
	h := fnv.New32a()
	h.Write(f.wire)
	at := int(h.Sum32() >> 8)
	writers := writers()
	for i := range writersAtOnce {
		f.checkWriter(t, writers[(at+i)%len(writers)], decoded, cause)
	}
}

// testWriters writes a stream in all dialects.
func (f *fixture) testWriters(t *testing.T) {
	t.Helper()
	decoded, cause := f.decoded(t)
	for _, d := range writers() {
		f.checkWriter(t, d, decoded, cause)
	}
}

func writers() (all []*hub.Dialect) {
	for _, d := range adapters.All() {
		if d.NewEncoder != nil {
			all = append(all, d)
		}
	}
	return all
}

// checkWriter checks what holds for every reader and every writer: each record is JSON in UTF-8, by the judgement of a
// library that wrote none of it; there is not more of it than the input accounts for; and a stream that was cut is not
// written like one that ended.
func (f *fixture) checkWriter(t *testing.T, d *hub.Dialect, decoded []hub.Event, cause error) {
	t.Helper()
	for _, framing := range d.Framings {
		cut := f.written(d, framing, decoded, cause)
		if err := checkStrictly(cut.out); err != nil {
			t.Fatalf("written as %s in %s: %v", d.Name, framing, err)
		}
		if n := len(cut.out.Buf); n > maxWritten(len(f.wire), len(decoded)) {
			t.Fatalf("written as %s in %s: %d bytes and %d events became %d bytes", d.Name, framing, len(f.wire), len(decoded), n)
		}
	}
	if ends(decoded) {
		return
	}
	cut := f.written(d, d.Framing, decoded, hub.Fail(hub.CodeReset, nil))
	whole := f.written(d, d.Framing, append(decoded[:len(decoded):len(decoded)], hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone}), nil)
	if string(cut.out.Buf) == string(whole.out.Buf) {
		t.Fatalf("written as %s, a stream that was cut is one that ended well:\n%s", d.Name, cut.out.Buf)
	}
}

// written is the pipe through which a stream was written.
func (f *fixture) written(d *hub.Dialect, framing wire.Framing, decoded []hub.Event, cause error) *pipe {
	p := newPipe(d.Caps.Has(hub.CapReplace), f.endGrace).encodeWith(d.NewEncoder(d.Defaults()), framing).linear(d)
	p.push(decoded)
	p.flush(cause)
	return p
}

// ends reports whether the upstream has ended the run itself.
func ends(decoded []hub.Event) bool {
	for i := range decoded {
		if decoded[i].Kind == hub.RunEnd {
			return true
		}
	}
	return false
}

// maxWritten bounds what may be written of n bytes in that many events. Some dialects repeat a text three times, most say
// who speaks in each record, and escapes are six times as long as what they stand for.
func maxWritten(n, events int) int { return 24*n + 4096*events + 64<<10 }

// checkStrictly checks records by encoding/json. A record of the data stream protocol has a name before its JSON.
func checkStrictly(out *wire.Out) error {
	if !utf8.Valid(out.Buf) && isText(out.Framing()) {
		return fmt.Errorf("no UTF-8: %q", out.Buf)
	}
	records, err := splitAll(out.Buf, out.Framing())
	if err != nil {
		return err
	}
	if len(records) != out.Records {
		return fmt.Errorf("%d records were written, %d can be read\n%q", out.Records, len(records), out.Buf)
	}
	for _, rec := range records {
		if !utf8.Valid(rec.Data) || !utf8.Valid(rec.Event) {
			return fmt.Errorf("no UTF-8: %q", rec.Data)
		}
		if value := withoutName(rec.Data); string(value) != endMark && !json.Valid(value) {
			return fmt.Errorf("no JSON: %q", rec.Data)
		}
	}
	return nil
}

// isText reports whether a framing is text as a whole.
func isText(f wire.Framing) bool {
	return f != wire.WebSocket && f != wire.LengthPrefix && f != wire.AmazonEventStream
}

// withoutName is the JSON of a record: what follows the name and the colon that some begin with.
func withoutName(data []byte) []byte {
	for i, c := range data {
		switch {
		case c == ':' && i > 0:
			return data[i+1:]
		case c != '-' && (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9'):
			return data
		}
	}
	return data
}
