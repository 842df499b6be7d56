package engine

import (
	"bytes"
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Copier passes records of a dialect to clients that speak the same. Nothing is decoded, so nothing can get lost:
// unknown events and members pass as they are. It only watches for the end of the run, so that a stream that was cut
// does not look finished.
//
// While both sides frame alike, bytes are copied, comments and blank lines included; else records are framed anew.
type Copier struct {
	Split   wire.Splitter
	dialect *hub.Dialect
	options hub.Options
	Asked   *hub.Request // nil: unknown
	Out     *wire.Out
	Stats   *Stats

	dec         hub.Decoder // reads records until one is recognised; nil from then on
	Recognition recognition

	framing wire.Framing // of the input; Auto while the splitter has not recognised it
	Follow  bool         // frame as the upstream does
	settled bool         // framing is known, raw is final
	raw     bool
	open    bool // what was copied last has no end yet: a line without its newline

	watch   hub.Watcher
	alike   fastpath.Matcher // records that need not be split off: only while bytes are copied
	within  bool             // the splitter has seen something since the last record, maybe the beginning of one
	Meter   hub.Decoder      // reads what the agent says of its tokens; nil: they are not read
	metered []hub.Event      // what it has read
	Guard   *Guard           // finds what the route does not expose; nil where it exposes all
	failed  bool             // the agent's own end was replaced: nothing follows
	Ended   bool
	endedAt time.Duration
	late    time.Duration // how long words may come after the end, as in a translated stream
	fromLog bool          // it reads what another copier has written, to its end
	toLog   bool          // it writes that: how the stream was cut is for each reader to say
	Unsaid  *hub.Failure  // what was not written for that reason
	now     time.Duration
	scratch hub.More

	Observe *Observer // nil for none
}

// NewCopier makes a copier that writes to out. With follow, out takes over the framing of the input, unless its own is
// that of WebSocket.
func NewCopier(c Config, out *wire.Out, follow bool) *Copier {
	t := new(Stats)
	return &Copier{
		Split: wire.NewSplitter(c.Framing, c.MaxRecord), framing: c.Framing, dialect: c.To, options: c.ToOptions,
		watch: fastpath.NewWatcher(c.To, c.FromOptions), late: c.EndGrace,
		Out: out, Stats: t, Follow: follow && out.Framing() != wire.WebSocket,
		dec: policy.NewDecoder(c.From, c.FromOptions), Recognition: recognition{from: c.From.Name, stats: t, copied: true},
	}
}

func (c *Copier) Feed(buf []byte, eof bool, now time.Duration) (used int, err error) {
	defer func() { c.Stats.BytesIn += int64(used) }()
	c.now = now
	for !c.over(now) && len(c.Out.Buf) < FlushAt {
		if !c.within && c.Observe == nil {
			used += c.passAlike(buf[used:])
		}
		rec, n, err := c.Split.Split(buf[used:], eof)
		if err != nil {
			if f := c.fault(err, used); f != nil {
				return used, f
			}
		}
		if used < len(buf) {
			c.within = rec.Data == nil
		}
		if n == 0 {
			if !c.settled {
				c.Settle(false) // the beginning of the next record may have shown it
			}
			break
		}
		if err := c.take(rec, buf[used:used+n]); err != nil {
			return used, err
		}
		used += n
	}
	return used, nil
}

// passAlike copies the records at the beginning of buf that are like the last one but for a text, and returns their length.
func (c *Copier) passAlike(buf []byte) (used int) {
	count := 0
	for used < FlushAt {
		n := c.alike.Len(buf[used:])
		if n == 0 {
			break
		}
		used += n
		count++
	}
	if count > 0 {
		c.Out.Raw(buf[:used])
		c.Out.Records += count
		c.Stats.Records += int64(count)
		c.Stats.Copied += int64(count)
	}
	return used
}

// fault counts an error of the splitter; it is a failure if splitting cannot go on.
func (c *Copier) fault(err error, at int) *hub.Failure {
	e, fatal := hub.FramingError(err)
	e.Dialect, e.Record, e.Offset = c.dialect.Name, c.Stats.Records+1, e.Offset+c.Stats.BytesIn+int64(at)
	c.Stats.fault(e)
	if c.Observe != nil && c.Observe.Fault != nil {
		c.Observe.Fault(e)
	}
	return framingFailure(e, fatal)
}

// take copies one record, and shows it to the observer.
func (c *Copier) take(rec wire.Record, raw []byte) error {
	if c.Observe == nil {
		return c.pass(rec, raw)
	}
	if rec.Data != nil {
		if f := c.Observe.judge(rec); f != nil {
			return f
		}
	}
	before := len(c.Out.Buf)
	err := c.pass(rec, raw)
	c.framed(before)
	c.Observe.Done()
	return err
}

// framed shows the observer what was written since Buf had that length.
func (c *Copier) framed(before int) {
	if c.Observe != nil && len(c.Out.Buf) > before {
		c.Observe.Framed(c.Out.Buf[before:])
	}
}

// pass copies one record, or what stands between records.
func (c *Copier) pass(rec wire.Record, raw []byte) error {
	if c.Stats.Records == 0 && IsPage(rec.Data) {
		return hub.Fail(hub.CodeMalformed, errPage)
	}
	if c.dec != nil && rec.Data != nil {
		if f := c.recognise(rec, raw); f != nil {
			return f
		}
	}
	if !c.settled {
		c.Settle(rec.Data != nil)
	}
	if rec.Data == nil {
		c.copy(rec, raw)
		return nil
	}
	c.Stats.Records++
	observed := c.watch.Observe(rec)
	c.measure(rec)
	if c.Guard != nil && !fastpath.MatchesPrevious(c.watch) && c.conceal(rec) {
		c.alike.Forget()
	} else {
		c.copy(rec, raw)
		c.Stats.Copied++
		c.learn(rec, raw, observed)
	}
	if observed == hub.ObservedEnd && !c.Ended {
		c.Ended, c.endedAt = true, c.now
	}
	return nil
}

// copy passes a record on as it is, or what stands between records.
func (c *Copier) copy(rec wire.Record, raw []byte) {
	if c.raw {
		c.Out.Raw(raw)
		c.open = !ends(raw, c.Out.Framing()) && (rec.Data != nil || c.open || !endsLine(raw))
	} else {
		c.Out.Record(rec)
	}
	if c.raw && rec.Data != nil {
		c.Out.Records++ // Raw cannot know
	}
}

// learn remembers a record that was copied, if others may be like it.
func (c *Copier) learn(rec wire.Record, raw []byte, observed hub.Observation) {
	if c.raw && c.settled && !c.open && !c.Ended && observed != hub.ObservedEnd {
		c.alike.Learn(c.watch, rec, raw)
	} else {
		c.alike.Forget()
	}
}

// conceal writes something else in the place of a record that says what the route does not expose. It returns false for
// all others.
func (c *Copier) conceal(rec wire.Record) bool {
	found := c.Guard.look(rec)
	switch {
	case found.end != nil:
		c.terminate()
		c.writeEnd(found.end)
		c.Ended, c.endedAt, c.late = true, c.now, 0
		c.failed = found.end.Status == hub.StatusFailed || found.end.Status == hub.StatusTruncated
	case found.drop != hub.KindNone:
		c.Stats.countOut(found.drop, hub.Dropped)
	case found.data != nil:
		c.terminate()
		rec.Data = found.data
		c.Out.Record(rec)
	default:
		return false
	}
	return true
}

// writeEnd writes the end of a run in the words of the client's dialect.
func (c *Copier) writeEnd(end *hub.Event) {
	enc := c.dialect.NewEncoder(c.options)
	Answer(enc, c.Asked)
	c.Stats.countOut(hub.RunEnd, enc.Encode(c.Out, end))
	enc.Finish(c.Out)
}

// recognise reads the first records, until one is of the dialect, so that the end of a stream of another one is not taken for a
// good end.
func (c *Copier) recognise(rec wire.Record, raw []byte) *hub.Failure {
	c.Stats.Records++ // this one
	events, err := c.dec.Decode(nil, rec)
	c.Recognition.judge(c.dec, rec, events, err)
	f := c.Recognition.keep(raw, c.framing)
	if c.Stats.Records > c.Stats.Unrecognised+c.Stats.neutral {
		c.dec = nil
	}
	c.Stats.Records--
	return f
}

var errPage = errors.New("the answer is a web page")

// IsPage reports whether the first record of a stream is the beginning of an HTML page: the answer of something that
// is no agent, which no client should get.
func IsPage(data []byte) bool {
	data = bytes.ToLower(bytes.TrimSpace(data[:min(len(data), 64)]))
	return bytes.HasPrefix(data, []byte("<!doctype")) || bytes.HasPrefix(data, []byte("<html"))
}

// Settle chooses between copying bytes and framing anew. A first JSON value arrives before it is known whether the
// stream is NDJSON or values back to back; its bytes are right for both, so they need not wait. Until then it is what the
// dialect usually is.
func (c *Copier) Settle(record bool) {
	if d, ok := c.Split.(wire.Detector); ok {
		c.framing = d.Framing()
	}
	f := c.framing
	c.settled = f != wire.Auto
	if !c.settled && record {
		if f = wire.NDJSON; c.dialect.Framing == wire.Concat {
			f = wire.Concat
		}
	}
	if c.Follow && f != wire.Auto && f != wire.WebSocket {
		c.Out.SetFraming(f)
	}
	before, now := c.raw, c.Out.Framing()
	switch {
	case c.settled:
		c.raw = now == f && f != wire.WebSocket
	default:
		c.raw = c.Follow || now == wire.NDJSON || now == wire.Concat
	}
	c.raw = c.raw && !c.fromLog
	if before && !c.raw {
		c.terminate()
	}
}

// ends reports whether raw bytes complete a record in framing f.
func ends(raw []byte, f wire.Framing) bool {
	switch f {
	case wire.SSE, wire.Auto:
		return endsBlank(raw)
	case wire.NDJSON:
		return bytes.IndexByte(raw, '\n') >= 0
	}
	return true
}

// endsBlank reports whether p ends with a blank line, whatever its line ends are.
func endsBlank(p []byte) bool {
	if n := len(p); n >= 4 && p[n-1] == '\n' && (p[n-2] == '\n' || p[n-2] == '\r' && p[n-3] == '\n') { // nearly always
		return true
	}
	rest, ok := cutLineEnd(p)
	if !ok {
		return false
	}
	_, ok = cutLineEnd(rest)
	return ok || len(rest) == 0
}

func endsLine(p []byte) bool {
	_, ok := cutLineEnd(p)
	return ok
}

func cutLineEnd(p []byte) ([]byte, bool) {
	for _, end := range [...]string{"\r\n", "\n", "\r"} {
		if rest, ok := bytes.CutSuffix(p, []byte(end)); ok {
			return rest, true
		}
	}
	return p, false
}

// terminate ends a record or a comment whose own end did not come.
func (c *Copier) terminate() {
	if !c.open {
		return
	}
	c.open = false
	if c.Out.Framing() == wire.NDJSON {
		c.Out.Raw([]byte("\n"))
	} else {
		c.Out.Raw([]byte("\n\n"))
	}
}

func (c *Copier) Tick(now time.Duration) (next time.Duration, over bool) {
	if c.Ended && !c.fromLog {
		next = c.endedAt + c.late
	}
	return next, c.over(now)
}

// over reports whether the run has ended, and the time for its last words has passed.
func (c *Copier) over(now time.Duration) bool {
	return c.Ended && !c.fromLog && now-c.endedAt >= c.late
}

func (c *Copier) Finish(f *hub.Failure, _ time.Duration, mute bool) *hub.Failure {
	if c.failed {
		return hub.Fail(hub.CodeAgent, nil)
	}
	if f == nil && c.Recognition.Unsure {
		f = c.Recognition.failure()
	}
	if c.Ended || f == nil && c.Stats.Records > 0 && c.watch.EndsWithBody() {
		c.terminate()
		return nil
	}
	if f == nil {
		f = hub.Fail(hub.CodeTruncated, nil)
	}
	if mute && c.Out.Records == 0 {
		return f
	}
	if c.toLog {
		c.terminate()
		c.Unsaid = f
		return f
	}
	before := len(c.Out.Buf)
	c.terminate()
	end := hub.FailureEnd(f, &c.scratch)
	c.writeEnd(&end)
	c.framed(before)
	return f
}

// Answer tells an encoder what its records answer, if it wants to know and it is known.
func Answer(enc hub.Encoder, asked *hub.Request) {
	if a, ok := enc.(hub.Answerer); ok && asked != nil {
		a.Answer(asked)
	}
}
