// Package engine turns the bytes of an upstream into the framed records of a client. It needs no sockets, goroutines or clock:
// whoever moves the bytes feeds it and writes what it leaves.
//
// pipeline.go translates one dialect into another, copier.go copies a stream whose two sides speak alike, and codec.go is the
// same for programs with a transport of their own. stages.go takes events through the optional steps of a route, observer.go shows
// them to whoever watches. stats.go counts, recognition.go notices a stream of another dialect,
// conceal.go and guard.go keep what agents say of their faults from clients, runname.go reads on for the name of a run alone, and lists.go
// shares memory between streams.
package engine

import (
	"cmp"
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/redact"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// An Engine turns the bytes of an upstream into framed records in a [wire.Out]. It knows no sockets: the pump feeds
// it and writes what it leaves. Times are durations since the stream began.
type Engine interface {
	// Feed takes complete records off the front of buf and returns how many bytes it used. It stops early when much
	// output has gathered. The error is a *hub.Failure: the stream cannot go on.
	Feed(buf []byte, eof bool, now time.Duration) (used int, err error)

	// Tick does what is due by the passing of time. It returns when it wants to be called next, 0 for never, and
	// whether the run is over, so that nothing more of the upstream matters.
	Tick(now time.Duration) (next time.Duration, over bool)

	// Finish writes the end of the stream, which is f, or the upstream's own if f is nil. It returns how the stream
	// ended: nil for a run that ended as its agent wished. With mute, a failure is not written while out holds no
	// record: the caller reports it.
	Finish(f *hub.Failure, now time.Duration, mute bool) *hub.Failure
}

// FlushAt is how much output gathers before it is written while there is still input.
const FlushAt = 32 << 10

// Pipeline translates one dialect into another: split, decode, sequence, encode.
type Pipeline struct {
	Split wire.Splitter
	dec   hub.Decoder
	alike fastpath.FramedDecoder // dec, if it is one: of records that need not be split off
	Seq   *sequencer.Sequencer
	Enc   hub.Encoder
	Out   *wire.Out

	whole   *wholeEncoder // the encoder, behind its policies, of an answer in one piece; nil: it is a stream
	keeper  hub.Keeper    // enc, if it keeps texts; nil otherwise
	maxKept int

	redact *redact.Stage // one of the stages; nil: nothing is redacted
	stages []staged      // between sequencer and encoder; mostly none

	decoded, normalized []hub.Event // taken from lists while events go through
	lists               *eventLists // where they are from
	Stats               *Stats
	Recognition         recognition
	framing             wire.Framing // of the input
	Observe             Observer
	Edit                func(*hub.Event) // changes a normalized event before it is encoded; nil for none
	Conceal             *Concealer       // of what the agent says of its faults; nil: it is passed on
	from                string
	seqNo               uint64
	most                int        // bytes of a record
	ready               bool       // a record begins, and need not be split off if it is like one before
	End                 hub.Status // of the RunEnd that was encoded
}

// PipelineConfig says what a pipeline translates.
type Config struct {
	From, To               *hub.Dialect
	FromOptions, ToOptions hub.Options
	Framing                wire.Framing // of the input; Auto recognises it
	MaxRecord              int          // bytes; 0 is the default
	MaxKept                int          // bytes of text that are kept for clients whose dialect repeats it; 0 is the default
	Bounds                 sequencer.Bounds
	EndGrace               time.Duration
	Policy                 policy.Settings // of the client's side
	Whole                  bool            // the client wants the answer in one piece
	Redact                 *redact.Rules   // what must not leave; nil: anything may
}

func NewPipeline(c Config) *Pipeline {
	p := &Pipeline{
		Split: wire.NewSplitter(c.Framing, c.MaxRecord),
		dec:   policy.NewDecoder(c.From, c.FromOptions),
		Enc:   policy.NewEncoder(c.To, c.ToOptions, c.Policy),
		Seq: sequencer.New(sequencer.Config{
			Bounds: c.Bounds, EndGrace: c.EndGrace, Replace: c.To.Caps.Has(hub.CapReplace), Correct: c.Policy.Correct, SealCalls: c.To.Caps.Has(hub.CapSealCalls),
		}),
		Out:   wire.NewOut(c.To.Framing),
		Stats: new(Stats),
		from:  c.From.Name, framing: c.Framing, most: cmp.Or(c.MaxRecord, wire.DefaultMaxRecord),
	}
	p.alike, _ = p.dec.(fastpath.FramedDecoder)
	p.Recognition = recognition{from: p.from, stats: p.Stats}
	p.keeper = policy.Keeper(p.Enc)
	if p.maxKept = c.MaxKept; p.maxKept == 0 {
		p.maxKept = hub.DefaultKept
	}
	if c.From.Stages != nil {
		p.addStages(c.From.Stages(c.FromOptions))
	}
	if c.Redact != nil {
		p.addRedaction(c.Redact)
	}
	if c.Whole {
		p.whole = newWholeEncoder(c.To, c.ToOptions)
		p.Enc, p.keeper = policy.Around(c.To, p.whole, c.Policy), p.whole
		p.addStages(policy.WholeStages(c.Policy, p.Stats.countOut))
		return p
	}
	p.addStages(policy.Stages(c.To, c.Policy, p.Stats.countOut))
	return p
}

// Reset makes the pipeline ready for another stream.
func (p *Pipeline) Reset() {
	p.Split.Reset()
	p.dec.Reset()
	p.Enc.Reset()
	p.Seq.Reset()
	for i := range p.stages {
		p.stages[i].Reset()
	}
	p.Out.Reset()
	usage := p.Stats.Usage
	usage.Reset()
	*p.Stats = Stats{Usage: usage}
	p.Recognition.Reset()
	p.seqNo, p.ready, p.End = 0, false, hub.StatusNone
}

// rest lets go of everything that belongs to the stream that has ended, so that a pooled pipeline holds no large memory.
func (p *Pipeline) Recycle() {
	p.Edit, p.Conceal, p.Observe = nil, nil, Observer{}
	for i := range p.stages {
		p.stages[i].spare = emptied(p.stages[i].spare)
	}
	p.Reset()
}

func (p *Pipeline) Feed(buf []byte, eof bool, now time.Duration) (used int, err error) {
	p.getLists()
	defer func() {
		p.putLists()
		p.Stats.BytesIn += int64(used)
	}()
	for !p.Seq.Ended() && len(p.Out.Buf) < FlushAt {
		n := p.again(buf[used:], now)
		if n == 0 {
			rec, length, err := p.Split.Split(buf[used:], eof)
			if err != nil {
				if f := p.framingFault(err, used); f != nil {
					return used, f
				}
			}
			if n = length; n == 0 {
				p.ready = p.ready && used == len(buf)
				break
			}
			if f := p.take(&rec, buf[used:used+n], used, now); f != nil {
				return used, f
			}
		}
		if p.redact != nil && p.redact.Blocked() {
			return used + n, hub.Fail(hub.CodeBlocked, nil)
		}
		if p.Recognition.Unsure {
			if f := p.Recognition.keep(buf[used:used+n], p.framing); f != nil {
				return used + n, f
			}
		}
		used += n
		if p.keeper != nil && p.keeper.Kept() > p.maxKept && !p.Seq.Ending() {
			return used, hub.Fail(hub.CodeTooLong, errTooLong)
		}
	}
	return used, nil
}

// take translates a record, if there is one, that was split off as raw. at is its place in the bytes fed.
func (p *Pipeline) take(rec *wire.Record, raw []byte, at int, now time.Duration) *hub.Failure {
	p.ready = false
	if rec.Data == nil {
		return nil
	}
	if p.Observe.Record != nil {
		if f := p.Observe.judge(*rec); f != nil {
			return f
		}
	}
	p.record(*rec, at, now)
	p.ready = raw[len(raw)-1] == '\n' && p.alike != nil && p.alike.LearnFraming(*rec, raw)
	return nil
}

// again translates the record at the beginning of buf if it is like one before, without splitting it off.
func (p *Pipeline) again(buf []byte, now time.Duration) (n int) {
	if !p.ready || p.Observe.Record != nil {
		return 0
	}
	if p.decoded, n = p.alike.DecodeFramed(p.decoded[:0], buf[:min(len(buf), p.most)]); n > 0 {
		p.Stats.Records++
		p.sequence(now)
		p.done()
	}
	return n
}

var errTooLong = errors.New("the client's dialect repeats the text, and more than limits.kept_text of it would have to be kept")

// record translates one record. at is its place in the bytes fed.
func (p *Pipeline) record(rec wire.Record, at int, now time.Duration) {
	p.Stats.Records++
	var err error
	p.decoded, err = p.dec.Decode(p.decoded[:0], rec)
	if err != nil {
		p.fault(err, at)
	}
	if !recognize.Plain(p.decoded) {
		p.decoded = p.Recognition.judge(p.dec, rec, p.decoded, err)
	}
	p.sequence(now)
	p.done()
}

// sequence normalizes the decoded events and encodes them.
func (p *Pipeline) sequence(now time.Duration) {
	for i := range p.decoded {
		if p.decoded[i].Kind == hub.Usage {
			p.Stats.Usage.Add(&p.decoded[i])
		}
		p.Stats.countIn(p.decoded[i].Kind)
		if p.Observe.Decoded != nil {
			p.Observe.Decoded(&p.decoded[i])
		}
	}
	p.normalized = p.Seq.Push(p.normalized[:0], p.decoded, now)
	p.stage(now)
	p.encode()
}

func (p *Pipeline) encode() {
	for i := range p.normalized {
		ev := &p.normalized[i]
		p.seqNo++
		ev.Seq = p.seqNo
		if ev.Kind == hub.RunEnd {
			p.End = ev.Status
		}
		if p.Edit != nil {
			p.Edit(ev)
		}
		before := len(p.Out.Buf)
		disposition := p.Enc.Encode(p.Out, ev)
		p.Stats.countOut(ev.Kind, disposition)
		if p.Observe.Normalized != nil {
			p.Observe.Normalized(ev, disposition)
		}
		p.framed(before)
	}
}

func (p *Pipeline) Tick(now time.Duration) (next time.Duration, over bool) {
	if at, ok := p.deadline(); ok && at <= now {
		p.getLists()
		p.normalized = p.Seq.Tick(p.normalized[:0], now)
		p.tickStages(now)
		p.encode()
		p.done()
		p.putLists()
	}
	p.Stats.Repairs = p.Seq.Repairs
	next, _ = p.deadline()
	return next, p.Seq.Ended()
}

// deadline is when the sequencer or a stage next wants to be called.
func (p *Pipeline) deadline() (next time.Duration, ok bool) {
	next, ok = p.Seq.Deadline()
	for i := range p.stages {
		if t := p.stages[i].ticker; t != nil {
			if at, set := t.Deadline(); set && (!ok || at < next) {
				next, ok = at, true
			}
		}
	}
	return next, ok
}

func (p *Pipeline) Finish(f *hub.Failure, now time.Duration, mute bool) *hub.Failure {
	if f == nil && p.Recognition.Unsure && !p.Seq.Ending() {
		f = p.Recognition.failure()
	}
	// A typed nil would be a cause.
	var cause error
	if f != nil {
		cause = f
	}
	p.getLists()
	defer p.putLists()
	ended := p.Seq.Ending()
	if !ended {
		p.decoded = p.dec.Finish(p.decoded[:0], cause)
		p.sequence(now)
		ended = p.Seq.Ending()
	}
	if ended || !mute || p.Out.Records > 0 {
		p.normalized = p.Seq.Flush(p.normalized[:0], cause)
		p.flushStages(cause, now)
		p.encode()
		before := len(p.Out.Buf)
		p.Enc.Finish(p.Out)
		p.framed(before)
	}
	p.done()
	p.Stats.Repairs = p.Seq.Repairs // after done, which tells an observer the difference
	return p.outcome(ended, f)
}

// Pause ends the run while its agent waits for answers, which another request brings. It is no end in the dialect of the agent.
func (p *Pipeline) Pause(now time.Duration) {
	p.getLists()
	defer p.putLists()
	p.decoded = append(p.decoded[:0], hub.Event{Kind: hub.RunEnd, Status: hub.StatusPaused})
	p.sequence(now)
	p.done()
}

// Listener is the decoder, if its streams hold more than one run; else nil.
func (p *Pipeline) Listener() hub.Listener { return hub.ListenerOf(p.dec) }

// Continue says which request the stream answers, before its first record: what it says again of a run that goes on is known.
func (p *Pipeline) Continue(asked *hub.Request) {
	if c := hub.ContinuerOf(p.dec); c != nil {
		c.Continue(asked)
	}
}

func (p *Pipeline) outcome(ended bool, f *hub.Failure) *hub.Failure {
	switch {
	case p.redact != nil && p.redact.Blocked():
		return hub.Fail(hub.CodeBlocked, nil)
	case ended:
		return p.agentFailure()
	case f != nil:
		return f
	}
	return hub.Fail(hub.CodeTruncated, nil)
}

// fault completes the error of a decoder with what only the pump knows, and reports it.
func (p *Pipeline) fault(err error, at int) {
	var e *hub.Error
	if !errors.As(err, &e) {
		e = hub.NewError(hub.ReasonSyntax, "", -1, err.Error())
	}
	e.Dialect, e.Record = p.from, p.Stats.Records
	if e.Offset >= 0 {
		e.Offset += p.Stats.BytesIn + int64(at)
	}
	p.Stats.fault(e)
	if p.Observe.Fault != nil {
		p.Observe.Fault(e)
	}
}

// framingFault reports an error of the splitter; it is a failure if splitting cannot go on.
func (p *Pipeline) framingFault(err error, at int) *hub.Failure {
	e, fatal := hub.FramingError(err)
	p.Stats.Records++
	p.Stats.Unrecognised++
	p.Recognition.Unsure = p.Stats.RecognisedNone()
	p.fault(e, at)
	return framingFailure(e, fatal)
}

func framingFailure(e *hub.Error, fatal bool) *hub.Failure {
	switch {
	case !fatal:
		return nil
	case e.Reason == hub.ReasonCut:
		return hub.Fail(hub.CodeTruncated, e)
	}
	return hub.Fail(hub.CodeMalformed, e)
}
