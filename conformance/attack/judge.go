package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// dialect is the dialect of that name, which there must be.
func dialect(name string) *hub.Dialect {
	d, err := adapters.Lookup(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return d
}

// endMark is the one record of several dialects that is no JSON by design.
const endMark = "[DONE]"

// validRecords checks what a client of a dialect got: whole records of valid UTF-8, each JSON, or the end mark, or text that
// the dialect's own decoder reads.
func validRecords(d *hub.Dialect, framing wire.Framing, body []byte) error {
	if d.Framing != wire.AmazonEventStream && !utf8.Valid(body) { // what is around its records is binary
		return fmt.Errorf("it is not valid UTF-8: %q", clip(string(body), 300))
	}
	var dec hub.Decoder
	return eachRecord(framing, body, func(n int, rec wire.Record) error {
		if !utf8.Valid(rec.Data) {
			return fmt.Errorf("record %d is not valid UTF-8: %q", n, clip(string(rec.Data), 300))
		}
		_, value, _ := bytes.Cut(rec.Data, []byte(":")) // the data stream of the AI SDK has a letter before each value
		if string(rec.Data) == endMark || json.Valid(rec.Data) || len(value) > 0 && json.Valid(value) {
			return nil
		}
		err := errors.New("it is no JSON")
		if d.NewDecoder != nil && len(rec.Data) > 0 && rec.Data[0] != '{' && rec.Data[0] != '[' {
			if dec == nil {
				dec = d.NewDecoder(d.Defaults())
			}
			_, err = dec.Decode(nil, rec)
		}
		if err != nil {
			return fmt.Errorf("record %d: %w: %q", n, err, clip(string(rec.Data), 300))
		}
		return nil
	})
}

// eachRecord splits a whole body.
func eachRecord(framing wire.Framing, body []byte, do func(n int, rec wire.Record) error) error {
	split := wire.NewSplitter(framing, maxAnswer)
	for n := 1; ; {
		rec, used, err := split.Split(body, true)
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		if used == 0 {
			return nil
		}
		if rec.Data != nil {
			if err := do(n, rec); err != nil {
				return err
			}
			n++
		}
		body = body[used:]
	}
}

// readBack is how a run ended for a client that reads the dialect: as its own records say.
func readBack(d *hub.Dialect, body []byte) hub.Status {
	dec := policy.NewDecoder(d, d.Defaults())
	seq := sequencer.New(sequencer.Config{EndGrace: d.EndGrace})
	end := hub.StatusNone
	take := func(evs []hub.Event) {
		for i := range evs {
			if evs[i].Kind == hub.RunEnd {
				end = evs[i].Status
			}
		}
	}
	err := eachRecord(d.Framing, body, func(_ int, rec wire.Record) error {
		loose, _ := dec.Decode(nil, rec)
		take(seq.Push(nil, loose, 0))
		return nil
	})
	take(seq.Push(nil, dec.Finish(nil, err), 0))
	take(seq.Flush(nil, err))
	return end
}

// isClean reports whether a status of a run looks like success.
func isClean(s hub.Status) bool {
	switch s {
	case hub.StatusFailed, hub.StatusTruncated, hub.StatusCancelled, hub.StatusNone:
		return false
	}
	return true
}

// tellsFailure reports whether clients of a dialect can learn from its records that a run failed. Some have no form for it.
var tellsFailure = remember(func(name string) bool {
	d := dialect(name)
	if d.NewDecoder == nil || d.NewEncoder == nil {
		return false
	}
	body, _ := convert(native.Dialect.Name, name, []byte(`{"kind":"run.start","id":"r"}`+"\n"), hub.Fail(hub.CodeReset, nil))
	return !isClean(readBack(d, body))
})

// remember keeps what a function has found.
func remember[V any](f func(string) V) func(string) V {
	var mu sync.Mutex
	known := map[string]V{}
	return func(name string) V {
		mu.Lock()
		defer mu.Unlock()
		v, ok := known[name]
		if !ok {
			v = f(name)
			known[name] = v
		}
		return v
	}
}

// convert translates a body in memory, cut by f if that is not nil.
func convert(from, to string, body []byte, f *hub.Failure) ([]byte, *hub.Failure) {
	source, target := dialect(from), dialect(to)
	c := engine.NewCodec(engine.Config{
		From: source, FromOptions: source.Defaults(), To: target, ToOptions: target.Defaults(), EndGrace: source.EndGrace,
	}, wire.Auto)
	return feedAll(c, body, f)
}

// feedAll feeds a whole body to a codec and ends it.
func feedAll(c *engine.Codec, body []byte, f *hub.Failure) (out []byte, ending *hub.Failure) {
	for len(body) > 0 {
		n, err := c.Feed(body, f == nil)
		out = append(out, c.Take()...)
		if err != nil {
			var fatal *hub.Failure
			if !errors.As(err, &fatal) {
				fatal = hub.Fail(hub.CodeMalformed, err)
			}
			f = fatal
			break
		}
		if n == 0 {
			break
		}
		body = body[n:]
	}
	ending = c.Finish(f)
	return append(out, c.Take()...), ending
}

// emitText is a good stream in a dialect, with these texts as its deltas.
func speak(name string, texts ...string) string {
	return say(name, texts, hub.StatusDone.String())
}

// say is a stream in a dialect that ends with a status; "" leaves the end out.
func say(name string, texts []string, status string) string {
	var b strings.Builder
	b.WriteString(`{"kind":"run.start","id":"run"}` + "\n" + `{"kind":"text.start","id":"t","msg":"m"}` + "\n")
	for _, text := range texts {
		quoted, _ := json.Marshal(text) // never fails for a string
		fmt.Fprintf(&b, `{"kind":"text.delta","id":"t","msg":"m","text":%s}`+"\n", quoted)
	}
	b.WriteString(`{"kind":"text.end","id":"t","msg":"m"}` + "\n")
	if status != "" {
		fmt.Fprintf(&b, `{"kind":"run.end","status":%q}`+"\n", status)
	}
	if name == native.Dialect.Name {
		return b.String()
	}
	body, _ := convert(native.Dialect.Name, name, []byte(b.String()), nil)
	return string(body)
}

// endingOf takes the ending out of a line of log, or the code of a request that was rejected.
func endingOf(line string) string {
	if m := endingField.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

var endingField = regexp.MustCompile(`"(?:ending|code)":"([^"]*)"`)

// honest checks an answer that must not look like success: a status of its own, or a stream whose records say so.
func (a *answer) honest(to string) error {
	if a.status >= 300 {
		return nil
	}
	if a.err == nil && a.status == 200 && tellsFailure(to) && isClean(readBack(dialect(to), a.body)) {
		return fmt.Errorf("it looks like success: %q", clip(string(a.body), 400))
	}
	return nil
}

// valid checks what a client got, whatever happened: an answer that ends, with records that are valid. Records that are
// copied are the upstream's own, faults and all.
func (a *answer) valid(to string, copied bool) error {
	switch {
	case a.err != nil:
		return fmt.Errorf("the client got no whole answer after %v: %w (%d bytes of body)", a.took, a.err, len(a.body))
	case a.status >= 300:
		if !utf8.Valid(a.body) {
			return fmt.Errorf("the body of status %d is not valid UTF-8", a.status)
		}
		return nil
	}
	if copied {
		return nil
	}
	if err := validRecords(dialect(to), wire.Auto, a.body); err != nil {
		return fmt.Errorf("what the client got is not valid: %w", err)
	}
	return nil
}

// tells reports whether an answer holds a text.
func (a *answer) tells(text string) bool { return bytes.Contains(a.everything(), []byte(text)) }
