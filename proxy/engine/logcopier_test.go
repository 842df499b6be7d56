package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestRecordsLog holds what routes with resume promise where both sides speak the same dialect, for every recorded stream: a client gets each record
// as the agent has sent it, and behind any record the rest; a client of another dialect gets from the log what it would get from the agent.
func TestRecordsLog(t *testing.T) {
	eachLog(t, func(t *testing.T, s *adaptertest.Stream, _ []byte) {
		if s.Dialect.NewEncoder == nil {
			return
		}
		k := engine.CopyToLog(copying(s))
		log := recordsLog{s, moved(k, k.Out, s.Wire, s.Cause).Buf, nil}
		if k.Unsaid != nil {
			log.cause = k.Unsaid
		}
		t.Run(s.Name, func(t *testing.T) { log.test(t) })
		for _, to := range adapters.All() {
			if to.NewEncoder != nil && to != s.Dialect {
				t.Run(s.Name+" to "+to.Name, func(t *testing.T) { log.testTranslated(t, to) })
			}
		}
	})
}

// recordsLog is the log of a stream.
type recordsLog struct {
	*adaptertest.Stream
	log   []byte
	cause error // what was not written
}

// test reads the log as clients of its dialect do.
func (l *recordsLog) test(t *testing.T) {
	out := wire.NewOut(engine.LogFraming)
	direct := moved(engine.NewCopier(copying(l.Stream), out, false), out, l.Wire, l.Cause)
	live, read := recordsOf(t, engine.LogFraming, direct.Buf), recordsOf(t, engine.LogFraming, l.view(engine.LogFraming, 0).Buf)
	if !bytes.Equal(live, read) {
		t.Fatalf("the log gives other records than the agent\nlive %s\nread %s", apart(live, read), apart(read, live))
	}
	whole := l.view(l.Dialect.Framing, 0)
	for _, skip := range cuts(whole.Records) {
		if err := checkRest(l.Dialect, whole.Buf, l.view(l.Dialect.Framing, int64(skip)).Buf, skip); err != nil {
			t.Fatal(err)
		}
	}
}

// testTranslated reads the log as clients of another dialect do.
func (l *recordsLog) testTranslated(t *testing.T, to *hub.Dialect) {
	live := write(l.Stream, to, l.Wire, l.Cause)
	read := pass(engine.NewPipeline(engine.Config{
		From: l.Dialect, FromOptions: l.Options, Framing: engine.LogFraming, EndGrace: l.EndGrace, To: to, ToOptions: to.Defaults(),
	}), l.log, l.cause)
	if !bytes.Equal(live.Buf, read.Buf) {
		t.Fatalf("the log gives other bytes than the agent\nlive %s\nread %s", apart(live.Buf, read.Buf), apart(read.Buf, live.Buf))
	}
}

// view copies the log for a client that has some of its records.
func (l *recordsLog) view(f wire.Framing, skip int64) *wire.Out {
	out := wire.NewOut(f)
	out.Number("", skip)
	return moved(engine.CopyFromLog(copying(l.Stream), out), out, l.log, l.cause)
}

func copying(s *adaptertest.Stream) engine.Config {
	return engine.Config{From: s.Dialect, FromOptions: s.Options, Framing: s.Framing, EndGrace: s.EndGrace, To: s.Dialect, ToOptions: s.Dialect.Defaults()}
}

// moved moves a body through an engine, which writes to out.
func moved(e engine.Engine, out *wire.Out, body []byte, cause error) *wire.Out {
	var whole []byte
	take := func() { whole, out.Buf = append(whole, out.Buf...), out.Buf[:0] }
	var failed *hub.Failure
	for len(body) > 0 && failed == nil {
		n, err := e.Feed(body, true, 0)
		take()
		if body = body[n:]; err != nil && !errors.As(err, &failed) {
			panic(err)
		}
		if n == 0 {
			break
		}
	}
	if f := new(hub.Failure); failed == nil && errors.As(cause, &f) {
		failed = f
	}
	e.Finish(failed, 0, false)
	take()
	out.Buf = whole
	return out
}

// recordsOf are the names and payloads of records, without what stands between them.
func recordsOf(t *testing.T, f wire.Framing, body []byte) (all []byte) {
	t.Helper()
	split := wire.NewSplitter(f, 0)
	for len(body) > 0 {
		rec, used, err := split.Split(body, true)
		if err != nil || used == 0 {
			t.Fatalf("%v at %.100q", err, body)
		}
		if body = body[used:]; rec.Data != nil {
			all = append(append(append(append(all, rec.Event...), ' '), rec.Data...), '\n')
		}
	}
	return all
}
