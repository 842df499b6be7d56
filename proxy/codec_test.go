package proxy_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

const codecInput = `{"kind":"run.start","id":"r"}
{"kind":"text.delta","id":"t","text":"a"}
{"kind":"run.end","status":"done"}
`

// other is native under another name, so that a codec translates.
func other() *hub.Dialect {
	d := native.Dialect
	d.Name = "other"
	return &d
}

// codecRun passes the pieces of one stream and ends it.
func codecRun(t *testing.T, c *engine.Codec, pieces ...string) (string, *hub.Failure) {
	t.Helper()
	var buf, out []byte
	for i, p := range append(pieces, "") {
		buf = append(buf, p...)
		n, err := c.Feed(buf, i == len(pieces))
		if err != nil {
			t.Fatal(err)
		}
		buf = buf[n:]
		out = append(out, c.Take()...)
	}
	f := c.Finish(nil)
	return string(append(out, c.Take()...)), f
}

func TestCodecTranslates(t *testing.T) {
	const want = `{"kind":"run.start","seq":1,"id":"r"}
{"kind":"text.start","flags":["synthetic"],"seq":2,"id":"t"}
{"kind":"text.delta","seq":3,"id":"t","text":"a"}
{"kind":"text.end","flags":["synthetic"],"seq":4,"id":"t"}
{"kind":"run.end","status":"done","seq":5}
`
	c := engine.NewCodec(engine.Config{From: other(), To: &native.Dialect}, wire.Auto)
	for range 2 { // the second time after Reset
		if got, f := codecRun(t, c, codecInput[:40], codecInput[40:]); got != want || f != nil {
			t.Errorf("got %s and %v\nwant %s", got, f, want)
		}
		if c.Events() != 3 || c.Faults() != 0 {
			t.Errorf("counted %d events and %d faults", c.Events(), c.Faults())
		}
		c.Reset()
	}
}

func TestCodecCopies(t *testing.T) {
	const input = ": comments and spaces stay\n\ndata:{\"kind\":\"run.start\"}\n\ndata: {\"kind\": \"run.end\"}\n\n"
	c := engine.NewCodec(engine.Config{From: &native.Dialect, To: &native.Dialect}, wire.Auto)
	for range 2 {
		if got, f := codecRun(t, c, input[:40], input[40:]); got != input || f != nil {
			t.Errorf("got %q and %v\nwant the input", got, f)
		}
		c.Reset()
	}
}

// TestCodecCut wants a cut stream to be distinguished from a complete one, translated or copied.
func TestCodecCut(t *testing.T) {
	f := func(from *hub.Dialect) {
		t.Helper()
		c := engine.NewCodec(engine.Config{From: from, To: &native.Dialect}, wire.SSE)
		if _, f := codecRun(t, c, codecInput[:len(`{"kind":"run.start","id":"r"}`)+1]); f == nil || f.Code != hub.CodeTruncated {
			t.Errorf("%s: a cut stream ends with %v", from.Name, f)
		}
	}
	f(other())
	f(&native.Dialect)
}
