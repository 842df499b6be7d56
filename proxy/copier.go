package proxy

import (
	"bytes"
	"errors"
	"time"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// copier passes records of a dialect to clients that speak the same. Nothing is decoded, so nothing can get lost:
// unknown events and members pass as they are. It only watches for the end of the run, so that a stream that was cut
// does not look finished.
//
// While both sides frame alike, bytes are copied, comments and blank lines included; else records are framed anew.
type copier struct {
	split   wire.Splitter
	dialect *hub.Dialect
	options hub.Options
	asked   *hub.Request // nil: unknown
	out     *wire.Out
	stats   *stats

	dec         hub.Decoder // reads records until one is recognised; nil from then on
	recognition recognition

	framing wire.Framing // of the input; Auto while the splitter has not recognised it
	follow  bool         // frame as the upstream does
	settled bool         // framing is known, raw is final
	raw     bool
	open    bool // what was copied last has no end yet: a line without its newline

	watch   hub.Watcher
	alike   fastpath.Matcher // records that need not be split off: only while bytes are copied
	within  bool             // the splitter has seen something since the last record, maybe the beginning of one
	guard   *guard           // finds what the route does not expose; nil where it exposes all
	failed  bool             // the agent's own end was replaced: nothing follows
	ended   bool
	endedAt time.Duration
	late    time.Duration // how long words may come after the end, as in a translated stream
	now     time.Duration
	scratch hub.More
}

// newCopier makes a copier that writes to out. With follow, out takes over the framing of the input, unless its own is
// that of WebSocket.
func newCopier(c PipelineConfig, out *wire.Out, follow bool) *copier {
	t := new(stats)
	return &copier{
		split: wire.NewSplitter(c.Framing, c.MaxRecord), framing: c.Framing, dialect: c.To, options: c.ToOptions,
		watch: fastpath.NewWatcher(c.To, c.FromOptions), late: c.Settle,
		out: out, stats: t, follow: follow && out.Framing() != wire.WebSocket,
		dec: policy.NewDecoder(c.From, c.FromOptions), recognition: recognition{from: c.From.Name, stats: t, copied: true},
	}
}

func (c *copier) feed(buf []byte, eof bool, now time.Duration) (used int, err error) {
	defer func() { c.stats.bytesIn += int64(used) }()
	c.now = now
	for !c.over(now) && len(c.out.Buf) < flushAt {
		if !c.within {
			used += c.passAlike(buf[used:])
		}
		rec, n, err := c.split.Split(buf[used:], eof)
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
				c.settle(false) // the beginning of the next record may have shown it
			}
			break
		}
		if err := c.pass(rec, buf[used:used+n]); err != nil {
			return used, err
		}
		used += n
	}
	return used, nil
}

// passAlike copies the records at the beginning of buf that are like the last one but for a text, and returns their length.
func (c *copier) passAlike(buf []byte) (used int) {
	count := 0
	for used < flushAt {
		n := c.alike.Len(buf[used:])
		if n == 0 {
			break
		}
		used += n
		count++
	}
	if count > 0 {
		c.out.Raw(buf[:used])
		c.out.Records += count
		c.stats.records += int64(count)
		c.stats.copied += int64(count)
	}
	return used
}

// fault counts an error of the splitter; it is a failure if splitting cannot go on.
func (c *copier) fault(err error, at int) *hub.Failure {
	e, fatal := hub.FramingError(err)
	e.Dialect, e.Record, e.Offset = c.dialect.Name, c.stats.records+1, e.Offset+c.stats.bytesIn+int64(at)
	c.stats.fault(e)
	return framingFailure(e, fatal)
}

// pass copies one record, or what stands between records.
func (c *copier) pass(rec wire.Record, raw []byte) error {
	if c.stats.records == 0 && isPage(rec.Data) {
		return hub.Fail(hub.CodeMalformed, errPage)
	}
	if c.dec != nil && rec.Data != nil {
		if f := c.recognise(rec, raw); f != nil {
			return f
		}
	}
	if !c.settled {
		c.settle(rec.Data != nil)
	}
	if rec.Data == nil {
		c.copy(rec, raw)
		return nil
	}
	c.stats.records++
	observed := c.watch.Observe(rec)
	if c.guard != nil && !fastpath.MatchesPrevious(c.watch) && c.conceal(rec) {
		c.alike.Forget()
	} else {
		c.copy(rec, raw)
		c.stats.copied++
		c.learn(rec, raw, observed)
	}
	if observed == hub.ObservedEnd && !c.ended {
		c.ended, c.endedAt = true, c.now
	}
	return nil
}

// copy passes a record on as it is, or what stands between records.
func (c *copier) copy(rec wire.Record, raw []byte) {
	if c.raw {
		c.out.Raw(raw)
		c.open = !ends(raw, c.out.Framing()) && (rec.Data != nil || c.open || !endsLine(raw))
	} else {
		c.out.Record(rec)
	}
	if c.raw && rec.Data != nil {
		c.out.Records++ // Raw cannot know
	}
}

// learn remembers a record that was copied, if others may be like it.
func (c *copier) learn(rec wire.Record, raw []byte, observed hub.Observation) {
	if c.raw && c.settled && !c.open && !c.ended && observed != hub.ObservedEnd {
		c.alike.Learn(c.watch, rec, raw)
	} else {
		c.alike.Forget()
	}
}

// conceal writes something else in the place of a record that says what the route does not expose. It returns false for
// all others.
func (c *copier) conceal(rec wire.Record) bool {
	found := c.guard.look(rec)
	switch {
	case found.end != nil:
		c.terminate()
		c.writeEnd(found.end)
		c.ended, c.endedAt, c.late = true, c.now, 0
		c.failed = found.end.Status == hub.StatusFailed || found.end.Status == hub.StatusTruncated
	case found.drop != hub.KindNone:
		c.stats.countOut(found.drop, hub.Dropped)
	case found.data != nil:
		c.terminate()
		rec.Data = found.data
		c.out.Record(rec)
	default:
		return false
	}
	return true
}

// writeEnd writes the end of a run in the words of the client's dialect.
func (c *copier) writeEnd(end *hub.Event) {
	enc := c.dialect.NewEncoder(c.options)
	answer(enc, c.asked)
	c.stats.countOut(hub.RunEnd, enc.Encode(c.out, end))
	enc.Finish(c.out)
}

// recognise reads the first records, until one is of the dialect, so that the end of a stream of another one is not taken for a
// good end.
func (c *copier) recognise(rec wire.Record, raw []byte) *hub.Failure {
	c.stats.records++ // this one
	events, err := c.dec.Decode(nil, rec)
	c.recognition.judge(c.dec, rec, events, err)
	f := c.recognition.keep(raw, c.framing)
	if c.stats.records > c.stats.unrecognised+c.stats.neutral {
		c.dec = nil
	}
	c.stats.records--
	return f
}

var errPage = errors.New("the answer is a web page")

// isPage reports whether the first record of a stream is the beginning of an HTML page: the answer of something that
// is no agent, which no client should get.
func isPage(data []byte) bool {
	data = bytes.ToLower(bytes.TrimSpace(data[:min(len(data), 64)]))
	return bytes.HasPrefix(data, []byte("<!doctype")) || bytes.HasPrefix(data, []byte("<html"))
}

// settle chooses between copying bytes and framing anew. A first JSON value arrives before it is known whether the
// stream is NDJSON or values back to back; its bytes are right for both, so they need not wait. Until then it is what the
// dialect usually is.
func (c *copier) settle(record bool) {
	if d, ok := c.split.(wire.Detector); ok {
		c.framing = d.Framing()
	}
	f := c.framing
	c.settled = f != wire.Auto
	if !c.settled && record {
		if f = wire.NDJSON; c.dialect.Framing == wire.Concat {
			f = wire.Concat
		}
	}
	if c.follow && f != wire.Auto && f != wire.WebSocket {
		c.out.SetFraming(f)
	}
	before, now := c.raw, c.out.Framing()
	switch {
	case c.settled:
		c.raw = now == f && f != wire.WebSocket
	default:
		c.raw = c.follow || now == wire.NDJSON || now == wire.Concat
	}
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
	if n := len(p); n >= 2 && p[n-1] == '\n' && p[n-2] == '\n' { // nearly always
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
func (c *copier) terminate() {
	if !c.open {
		return
	}
	c.open = false
	if c.out.Framing() == wire.NDJSON {
		c.out.Raw([]byte("\n"))
	} else {
		c.out.Raw([]byte("\n\n"))
	}
}

func (c *copier) tick(now time.Duration) (next time.Duration, over bool) {
	if c.ended {
		next = c.endedAt + c.late
	}
	return next, c.over(now)
}

// over reports whether the run has ended, and the time for its last words has passed.
func (c *copier) over(now time.Duration) bool { return c.ended && now-c.endedAt >= c.late }

func (c *copier) finish(f *hub.Failure, _ time.Duration, mute bool) *hub.Failure {
	if c.failed {
		return hub.Fail(hub.CodeAgent, nil)
	}
	if f == nil && c.recognition.unsure {
		f = c.recognition.failure()
	}
	if c.ended || f == nil && c.stats.records > 0 && c.watch.EndsWithBody() {
		c.terminate()
		return nil
	}
	if f == nil {
		f = hub.Fail(hub.CodeTruncated, nil)
	}
	if mute && c.out.Records == 0 {
		return f
	}
	c.terminate()
	end := hub.FailureEnd(f, &c.scratch)
	c.writeEnd(&end)
	return f
}
