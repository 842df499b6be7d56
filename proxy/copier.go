package proxy

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// copier passes records of a dialect to clients that speak the same. Nothing is decoded, so nothing can get lost:
// unknown events and members pass as they are. It only watches for the end of the run, so that a stream that was cut
// does not look finished.
type copier struct {
	split   wire.Splitter
	dialect *hub.Dialect
	enc     hub.Encoder // writes the failure of a cut stream
	out     *wire.Out
	tally   *tally
	follow  bool // frame as the upstream does
	raw     bool // both sides frame alike: bytes are copied, comments and all
	ready   bool
	began   bool // a record said that an end will come
	ended   bool
	scratch hub.More
}

func (c *copier) feed(buf []byte, eof bool, _ time.Duration) (used int, err error) {
	for !c.ended && len(c.out.Buf) < flushAt {
		rec, n, err := c.split.Split(buf[used:], eof)
		if err != nil {
			e := framingError(err)
			e.Dialect, e.Record, e.Offset = c.dialect.Name, c.tally.records+1, e.Offset+c.tally.bytesIn+int64(used)
			c.tally.fault(e)
			return used, c.failure(e)
		}
		if n == 0 {
			break
		}
		if !c.ready {
			c.settle()
		}
		c.record(rec, buf[used:used+n])
		used += n
	}
	c.tally.bytesIn += int64(used)
	return used, nil
}

func (c *copier) failure(e *hub.Error) *hub.Failure {
	if e.Reason == hub.ReasonCut {
		return hub.Fail(hub.CodeTruncated, e)
	}
	return hub.Fail(hub.CodeMalformed, e)
}

// settle decides the framing once the first bytes have shown that of the upstream.
func (c *copier) settle() {
	in := wire.Auto
	if d, ok := c.split.(wire.Detector); ok {
		in = d.Framing()
	}
	if in == wire.Auto {
		return
	}
	c.ready = true
	if c.follow && c.out.Framing() != wire.WebSocket {
		c.out.SetFraming(in)
	}
	c.raw = c.out.Framing() == in && in != wire.WebSocket
}

func (c *copier) record(rec wire.Record, raw []byte) {
	if c.raw {
		c.out.Raw(raw)
	} else {
		c.out.Record(rec)
	}
	if rec.Data == nil {
		return
	}
	if c.raw {
		c.out.Records++ // Raw cannot know
	}
	c.tally.records++
	c.tally.copied++
	switch c.dialect.Observe(rec) {
	case hub.ObservedStart:
		c.began = true
	case hub.ObservedEnd:
		c.ended = true
	}
}

func (c *copier) tick(time.Duration) (next time.Duration, over bool) { return 0, c.ended }

func (c *copier) finish(f *hub.Failure, _ time.Duration) *hub.Failure {
	if c.ended || f == nil && c.dialect.EndsWithBody && !c.began && c.tally.records > 0 {
		return nil
	}
	if f == nil {
		f = hub.Fail(hub.CodeTruncated, nil)
	}
	end := hub.FailureEnd(f, &c.scratch)
	c.tally.out[hub.RunEnd][c.enc.Encode(c.out, &end)]++
	c.enc.Finish(c.out)
	return f
}
