package proxy

import (
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// An engine turns the bytes of an upstream into framed records in a [wire.Out]. It knows no sockets: the pump feeds
// it and writes what it leaves. Times are durations since the stream began.
type engine interface {
	// feed takes complete records off the front of buf and returns how many bytes it used. It stops early when much
	// output has gathered. The error is a *hub.Failure: the stream cannot go on.
	feed(buf []byte, eof bool, now time.Duration) (used int, err error)

	// tick does what is due by the passing of time. It returns when it wants to be called next, 0 for never, and
	// whether the run is over, so that nothing more of the upstream matters.
	tick(now time.Duration) (next time.Duration, over bool)

	// finish writes the end of the stream, which is f, or the upstream's own if f is nil. It returns how the stream
	// ended: nil for a run that ended as its agent wished. With mute, a failure is not written while out holds no
	// record: the caller reports it.
	finish(f *hub.Failure, now time.Duration, mute bool) *hub.Failure
}

// pipeline translates one dialect into another: split, decode, sequence, encode.
type pipeline struct {
	split wire.Splitter
	dec   hub.Decoder
	seq   *sequencer.Sequencer
	enc   hub.Encoder
	out   *wire.Out

	keeper  hub.Keeper // enc, if it keeps texts; nil otherwise
	maxKept int

	stages []staged // between sequencer and encoder; mostly none

	decoded, normalized []hub.Event // taken from lists while events go through
	lists               *eventLists // where they are from
	stats               *stats
	recognition         recognition
	framing             wire.Framing // of the input
	observe             Observer
	edit                func(*hub.Event) // changes a normalized event before it is encoded; nil for none
	conceal             *concealer       // of what the agent says of its faults; nil: it is passed on
	from                string
	seqNo               uint64
	end                 hub.Status // of the RunEnd that was encoded
}

// PipelineConfig says what a pipeline translates.
type PipelineConfig struct {
	From, To               *hub.Dialect
	FromOptions, ToOptions hub.Options
	Framing                wire.Framing // of the input; Auto recognises it
	MaxRecord              int          // bytes; 0 is the default
	MaxKept                int          // bytes of text that are kept for clients whose dialect repeats it; 0 is the default
	Bounds                 sequencer.Bounds
	Settle                 time.Duration
	Policy                 policy.Settings // of the client's side
}

func newPipeline(c PipelineConfig) *pipeline {
	p := &pipeline{
		split: wire.NewSplitter(c.Framing, c.MaxRecord),
		dec:   policy.NewDecoder(c.From, c.FromOptions),
		enc:   policy.NewEncoder(c.To, c.ToOptions, c.Policy),
		seq:   sequencer.New(sequencer.Config{Bounds: c.Bounds, Settle: c.Settle, Replace: c.To.Caps.Has(hub.CapReplace), Correct: c.Policy.Correct}),
		out:   wire.NewOut(c.To.Framing),
		stats: new(stats),
		from:  c.From.Name, framing: c.Framing,
	}
	p.recognition = recognition{from: p.from, stats: p.stats}
	p.keeper = policy.Keeper(p.enc)
	if p.maxKept = c.MaxKept; p.maxKept == 0 {
		p.maxKept = hub.DefaultKept
	}
	if c.From.Stages != nil {
		p.addStages(c.From.Stages(c.FromOptions))
	}
	p.addStages(policy.Stages(c.To, c.Policy, p.stats.countOut))
	return p
}

func (p *pipeline) addStages(stages []hub.Stage) {
	for _, st := range stages {
		ticker, _ := st.(hub.Ticker)
		passer, _ := st.(hub.Passer)
		p.stages = append(p.stages, staged{Stage: st, ticker: ticker, passer: passer})
	}
}

// reset makes the pipeline ready for another stream.
func (p *pipeline) reset() {
	p.split.Reset()
	p.dec.Reset()
	p.enc.Reset()
	p.seq.Reset()
	for i := range p.stages {
		p.stages[i].Reset()
	}
	p.out.Reset()
	usage := p.stats.usage
	usage.Reset()
	*p.stats = stats{usage: usage}
	p.recognition.reset()
	p.seqNo, p.end = 0, hub.StatusNone
}

// rest lets go of everything that belongs to the stream that has ended, so that a pooled pipeline holds no large memory.
func (p *pipeline) recycle() {
	p.edit, p.conceal, p.observe = nil, nil, Observer{}
	for i := range p.stages {
		p.stages[i].spare = emptied(p.stages[i].spare)
	}
	p.reset()
}

// An Observer sees a stream while it is translated: the tap, the demo, error reports. Nil members are not called.
// Everything handed over is valid during the call only.
type Observer struct {
	Record     func(rec wire.Record)                            // before it is decoded
	Decoded    func(ev *hub.Event)                              // as decoded
	Normalized func(ev *hub.Event, disposition hub.Disposition) // after it was encoded
	Framed     func(p []byte)                                   // what the encoder wrote for the event that Strict just saw, or for the end
	Repair     func(r sequencer.Repair, times uint32)           // what the sequencer repaired meanwhile; before Done
	Done       func()                                           // after everything that came of one record, of time or of the end
	Fault      func(err *hub.Error)                             // a record that could not be decoded, wholly or in part
}

func (p *pipeline) feed(buf []byte, eof bool, now time.Duration) (used int, err error) {
	p.getLists()
	defer func() {
		p.putLists()
		p.stats.bytesIn += int64(used)
	}()
	for !p.seq.Ended() && len(p.out.Buf) < flushAt {
		rec, n, err := p.split.Split(buf[used:], eof)
		if err != nil {
			if f := p.framingFault(err, used); f != nil {
				return used, f
			}
		}
		if n == 0 {
			break
		}
		if rec.Data != nil {
			p.record(rec, used, now)
		}
		if p.recognition.unsure {
			if f := p.recognition.keep(buf[used:used+n], p.framing); f != nil {
				return used + n, f
			}
		}
		used += n
		if p.keeper != nil && p.keeper.Kept() > p.maxKept && !p.seq.Ending() {
			return used, hub.Fail(hub.CodeTooLong, errTooLong)
		}
	}
	return used, nil
}

var errTooLong = errors.New("the client's dialect repeats the text, and more than limits.kept_text of it would have to be kept")

// record translates one record. at is its place in the bytes fed.
func (p *pipeline) record(rec wire.Record, at int, now time.Duration) {
	p.stats.records++
	if p.observe.Record != nil {
		p.observe.Record(rec)
	}
	var err error
	p.decoded, err = p.dec.Decode(p.decoded[:0], rec)
	if err != nil {
		p.fault(err, at)
	}
	if !recognize.Plain(p.decoded) {
		p.decoded = p.recognition.judge(p.dec, rec, p.decoded, err)
	}
	p.sequence(now)
	p.done()
}

// sequence makes the decoded events strict and encodes them.
func (p *pipeline) sequence(now time.Duration) {
	for i := range p.decoded {
		if p.decoded[i].Kind == hub.Usage {
			p.stats.usage.Add(&p.decoded[i])
		}
		p.stats.countIn(p.decoded[i].Kind)
		if p.observe.Decoded != nil {
			p.observe.Decoded(&p.decoded[i])
		}
	}
	p.normalized = p.seq.Push(p.normalized[:0], p.decoded, now)
	p.stage(now)
	p.encode()
}

// stage takes the normalized events through the optional stages.
func (p *pipeline) stage(now time.Duration) {
	p.hideFaults()
	for i := range p.stages {
		st := &p.stages[i]
		if st.passer != nil && st.passer.Passes(p.normalized) {
			continue
		}
		p.normalized, st.spare = st.Push(st.spare[:0], p.normalized, now), p.normalized
	}
}

// hideFaults changes the normalized events before a stage makes something else of them.
func (p *pipeline) hideFaults() {
	if p.conceal == nil {
		return
	}
	for i := range p.normalized {
		switch ev := &p.normalized[i]; ev.Kind {
		case hub.RunEnd, hub.AgentEnd, hub.Notice:
			p.conceal.event(ev)
		}
	}
}

// staged is a stage with the buffer that it fills next.
type staged struct {
	hub.Stage
	ticker hub.Ticker // nil: time means nothing to the stage
	passer hub.Passer // nil: the stage looks at every event
	spare  []hub.Event
}

// flushStages ends the stages. Those before the last feed those after it.
func (p *pipeline) flushStages(cause error, now time.Duration) {
	p.hideFaults()
	for i := range p.stages {
		st := &p.stages[i]
		out := st.Push(st.spare[:0], p.normalized, now)
		p.normalized, st.spare = st.Flush(out, cause), p.normalized
	}
}

func (p *pipeline) encode() {
	for i := range p.normalized {
		ev := &p.normalized[i]
		p.seqNo++
		ev.Seq = p.seqNo
		if ev.Kind == hub.RunEnd {
			p.end = ev.Status
		}
		if p.edit != nil {
			p.edit(ev)
		}
		before := len(p.out.Buf)
		disposition := p.enc.Encode(p.out, ev)
		p.stats.countOut(ev.Kind, disposition)
		if p.observe.Normalized != nil {
			p.observe.Normalized(ev, disposition)
		}
		p.framed(before)
	}
}

// framed shows the observer what was written since Buf had that length.
func (p *pipeline) framed(before int) {
	if p.observe.Framed != nil && len(p.out.Buf) > before {
		p.observe.Framed(p.out.Buf[before:])
	}
}

func (p *pipeline) done() {
	if p.observe.Repair != nil {
		p.reportRepairs()
	}
	if p.observe.Done != nil {
		p.observe.Done()
	}
}

// reportRepairs shows the observer the repairs since it was last called.
func (p *pipeline) reportRepairs() {
	for r, n := range p.seq.Repairs {
		if times := n - p.stats.repairs[r]; times > 0 {
			p.observe.Repair(sequencer.Repair(r), times)
		}
	}
	p.stats.repairs = p.seq.Repairs
}

func (p *pipeline) tick(now time.Duration) (next time.Duration, over bool) {
	if at, ok := p.deadline(); ok && at <= now {
		p.getLists()
		p.normalized = p.seq.Tick(p.normalized[:0], now)
		p.tickStages(now)
		p.encode()
		p.done()
		p.putLists()
	}
	p.stats.repairs = p.seq.Repairs
	next, _ = p.deadline()
	return next, p.seq.Ended()
}

// deadline is when the sequencer or a stage next wants to be called.
func (p *pipeline) deadline() (next time.Duration, ok bool) {
	next, ok = p.seq.Deadline()
	for i := range p.stages {
		if t := p.stages[i].ticker; t != nil {
			if at, set := t.Deadline(); set && (!ok || at < next) {
				next, ok = at, true
			}
		}
	}
	return next, ok
}

// tickStages takes what came by the passing of time through the stages, and what is due in them.
func (p *pipeline) tickStages(now time.Duration) {
	p.hideFaults()
	for i := range p.stages {
		st := &p.stages[i]
		out := st.Push(st.spare[:0], p.normalized, now)
		if st.ticker != nil {
			out = st.ticker.Tick(out, now)
		}
		p.normalized, st.spare = out, p.normalized
	}
}

func (p *pipeline) finish(f *hub.Failure, now time.Duration, mute bool) *hub.Failure {
	if f == nil && p.recognition.unsure && !p.seq.Ending() {
		f = p.recognition.failure()
	}
	// A typed nil would be a cause.
	var cause error
	if f != nil {
		cause = f
	}
	p.getLists()
	defer p.putLists()
	ended := p.seq.Ending()
	if !ended {
		p.decoded = p.dec.Finish(p.decoded[:0], cause)
		p.sequence(now)
		ended = p.seq.Ending()
	}
	if ended || !mute || p.out.Records > 0 {
		p.normalized = p.seq.Flush(p.normalized[:0], cause)
		p.flushStages(cause, now)
		p.encode()
		before := len(p.out.Buf)
		p.enc.Finish(p.out)
		p.framed(before)
	}
	p.done()
	p.stats.repairs = p.seq.Repairs // after done, which tells an observer the difference
	return p.outcome(ended, f)
}

func (p *pipeline) outcome(ended bool, f *hub.Failure) *hub.Failure {
	switch {
	case ended && p.end == hub.StatusFailed:
		return hub.Fail(hub.CodeAgent, nil)
	case ended:
		return nil
	case f != nil:
		return f
	}
	return hub.Fail(hub.CodeTruncated, nil)
}

// fault completes the error of a decoder with what only the pump knows, and reports it.
func (p *pipeline) fault(err error, at int) {
	var e *hub.Error
	if !errors.As(err, &e) {
		e = hub.NewError(hub.ReasonSyntax, "", -1, err.Error())
	}
	e.Dialect, e.Record = p.from, p.stats.records
	if e.Offset >= 0 {
		e.Offset += p.stats.bytesIn + int64(at)
	}
	p.stats.fault(e)
	if p.observe.Fault != nil {
		p.observe.Fault(e)
	}
}

// framingFault reports an error of the splitter; it is a failure if splitting cannot go on.
func (p *pipeline) framingFault(err error, at int) *hub.Failure {
	e, fatal := hub.FramingError(err)
	p.stats.records++
	p.stats.unrecognised++
	p.recognition.unsure = p.stats.recognisedNone()
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
