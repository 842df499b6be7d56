package replay

import (
	"bytes"
	"fmt"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// Script is a recording as an agent that speaks native says it.
type Script struct {
	File     string
	question question
	parts    []part
	cut      bool // the agent's stream had no end
}

// part is what is said at a time.
type part struct {
	at   time.Duration
	data []byte
}

// Lookup finds a dialect by its name.
type Lookup func(name string) (*hub.Dialect, error)

// NewScript makes a script of a recording.
func NewScript(run *recording.Run, lookup Lookup) (*Script, error) {
	if err := run.Replayable(); err != nil {
		return nil, err
	}
	c, err := Pipeline(run, &native.Dialect, lookup)
	if err != nil {
		return nil, err
	}
	s := &Script{File: run.File}
	s.write(engine.NewPipeline(c), run)
	if len(s.parts) == 0 {
		return nil, fmt.Errorf("%s: nothing in it could be understood as %s", run.File, run.From)
	}
	if client, err := lookup(run.To); err == nil {
		if asked := run.Request(recording.Client); asked != nil {
			body, _ := asked.Payload() // it was checked when it was read
			s.question = questionOf(client, body)
		}
	}
	return s, nil
}

// Pipeline is the translation of a recording to a dialect.
func Pipeline(run *recording.Run, to *hub.Dialect, lookup Lookup) (c engine.Config, err error) {
	from, err := lookup(run.From)
	if err != nil || !adapters.Serves(from, adapters.Upstream) {
		return c, fmt.Errorf("%s: there is no dialect %q to read; --declare FILE adds one of your own", run.File, run.From)
	}
	options, problems := from.ParseOptions(run.Options)
	if len(problems) > 0 {
		return c, fmt.Errorf("%s: the options of %s: %w", run.File, run.From, problems[0])
	}
	return engine.Config{
		From: from, FromOptions: options, To: to, ToOptions: to.Defaults(), Framing: run.Framing(), EndGrace: from.EndGrace,
	}, nil
}

// write plays the recording through a pipeline, by the times of its records.
func (s *Script) write(p *engine.Pipeline, run *recording.Run) {
	p.Out.SetFraming(wire.NDJSON)
	framed := wire.NewOut(run.Framing())
	var now time.Duration
	for i := range run.Lines {
		l := &run.Lines[i]
		if l.Type != recording.TypeIn {
			continue
		}
		now = l.After()
		p.Tick(now)
		s.take(p.Out, now)
		framed.Record(l.Record())
		used, err := p.Feed(framed.Buf, false, now)
		framed.Buf = framed.Buf[used:]
		s.take(p.Out, now)
		if err != nil {
			s.cut = true
			return
		}
	}
	now = run.Lines[len(run.Lines)-1].After()
	f := p.Finish(nil, now, false)
	if s.cut = f != nil && f.Code == hub.CodeTruncated; !s.cut {
		s.take(p.Out, now)
	}
}

func (s *Script) take(out *wire.Out, at time.Duration) {
	if len(out.Buf) > 0 {
		s.parts = append(s.parts, part{at, bytes.Clone(out.Buf)})
	}
	out.Reset()
}
