package engine_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestLog holds what routes with resume promise, for every recorded stream and every dialect of a client: what the client gets from
// the log is byte for byte what it would get from the agent, and behind any record it gets the rest, no record twice and none
// left out.
func TestLog(t *testing.T) {
	eachLog(t, func(t *testing.T, s *adaptertest.Stream, log []byte) {
		for _, to := range adapters.All() {
			if to.NewEncoder != nil {
				t.Run(s.Name+" to "+to.Name, func(t *testing.T) { testLog(t, s, to, log) })
			}
		}
	})
}

// eachLog tests the log of every recorded stream of every dialect.
func eachLog(t *testing.T, test func(t *testing.T, s *adaptertest.Stream, log []byte)) {
	for _, from := range adapters.All() {
		t.Run(from.Name, func(t *testing.T) {
			t.Parallel()
			for _, s := range adaptertest.Streams(t, from, filepath.Join("../../adapters", strings.ReplaceAll(from.Name, "-", ""), "testdata")) {
				if s.Wire != nil {
					test(t, s, write(s, &native.Dialect, s.Wire, s.Cause).Buf)
				}
			}
		})
	}
}

func testLog(t *testing.T, s *adaptertest.Stream, to *hub.Dialect, log []byte) {
	live := write(s, to, s.Wire, s.Cause)
	read := view(to, log, 0)
	if !bytes.Equal(live.Buf, read.Buf) {
		t.Fatalf("the log gives other bytes than the agent\nlive %s\nread %s", apart(live.Buf, read.Buf), apart(read.Buf, live.Buf))
	}
	for _, skip := range cuts(live.Records) {
		if err := checkRest(to, live.Buf, view(to, log, int64(skip)).Buf, skip); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLogControls: a rest with a record too few, too many, or another one is noticed.
func TestLogControls(t *testing.T) {
	t.Parallel()
	to, err := adapters.Lookup("openai-chat")
	if err != nil {
		t.Fatal(err)
	}
	live := []byte("data: {\"a\":1}\n\ndata: {\"a\":2}\n\ndata: {\"a\":3}\n\n")
	f := func(rest string, want string) {
		t.Helper()
		if err := checkRest(to, live, []byte(rest), 1); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f("data: {\"a\":2}\n\ndata: {\"a\":3}\n\n", "")
	f("data: {\"a\":3}\n\n", "behind 1 records the rest begins behind 2")
	f(string(live), "behind 1 records the rest begins behind 0")
	f("data: {\"a\":9}\n\ndata: {\"a\":3}\n\n", "behind 1 records comes what is no rest")
}

func checkRest(to *hub.Dialect, live, rest []byte, skip int) error {
	if !bytes.HasSuffix(live, rest) {
		return fmt.Errorf("behind %d records comes what is no rest of the stream\n%s", skip, rest)
	}
	if had := count(to, live[:len(live)-len(rest)]); had != skip {
		return fmt.Errorf("behind %d records the rest begins behind %d", skip, had)
	}
	return nil
}

// cuts are all places in short streams, and some in long ones.
func cuts(records int) (all []int) {
	for skip := 0; skip <= records; skip += 1 + records/16 {
		all = append(all, skip)
	}
	return all
}

// write translates a stream as a route does.
func write(s *adaptertest.Stream, to *hub.Dialect, body []byte, cause error) *wire.Out {
	return pass(engine.NewPipeline(engine.Config{
		From: s.Dialect, FromOptions: s.Options, Framing: s.Framing, EndGrace: s.EndGrace, To: to, ToOptions: to.Defaults(),
	}), body, cause)
}

// view translates a log for a client that has some of its records.
func view(to *hub.Dialect, log []byte, skip int64) *wire.Out {
	p := engine.NewPipeline(engine.Config{
		From: &native.Dialect, FromOptions: native.Dialect.Defaults(), Framing: wire.NDJSON, To: to, ToOptions: to.Defaults(),
	})
	p.Out.Number("", skip)
	return pass(p, log, nil)
}

func pass(p *engine.Pipeline, body []byte, cause error) *wire.Out {
	return moved(p, p.Out, body, cause)
}

// count counts the records of a body that is whole.
func count(d *hub.Dialect, body []byte) (n int) {
	split := wire.NewSplitter(d.Framing, 0)
	for len(body) > 0 {
		rec, used, err := split.Split(body, true)
		if err != nil || used == 0 {
			return -1
		}
		if body = body[used:]; rec.Data != nil {
			n++
		}
	}
	return n
}

// apart is where a differs from b.
func apart(a, b []byte) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return fmt.Sprintf("at byte %d: …%s", i, a[max(0, i-80):min(len(a), i+160)])
}
