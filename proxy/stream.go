package proxy

import (
	"context"
	"io"
	"net"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// stream is one run: a call, the upstream's answer to it, and the client that reads.
type stream struct {
	server *Server
	call   *call
	stop   *stopper
	pump   pump
	tally  *tally
	before tally // as far as the metrics know
	engine engine
	lastIn time.Duration
	first  bool // the first record has left
	begun  time.Time
}

// serveHTTP runs one stream on a client's connection and gives the connection back, or closes it.
func (s *Server) serveHTTP(c *call, st *stopper, conn net.Conn, early []byte) {
	client := &clientConn{Conn: conn, patience: c.route.cfg.Timeouts.Write}
	sink := &httpSink{conn: client, dialect: c.target.dialect, chunked: c.http11, close: c.close || !c.http11}
	sink.header.Set(requestIDHeader, c.id)
	sink.header.Set(dialectHeader, c.target.dialect.Name)
	if c.origin != "" {
		c.route.exposeTo(&sink.header, c.origin)
	}
	forget := s.watch.watch(conn, func() { st.stop(hub.Fail(hub.CodeClientGone, nil)) })
	f := s.run(c, st, sink)
	forget()
	c.release()
	if f != nil && clientFault(f.Code) || sink.close || !s.Ready() {
		conn.Close()
		return
	}
	if conn.SetDeadline(time.Time{}) != nil {
		conn.Close()
		return
	}
	if len(early) > 0 {
		conn = &earlyConn{Conn: conn, early: early}
	}
	_ = s.http.ServeConn(conn) // its errors are the client's, and logged by fasthttp
}

// run moves one stream from its upstream to sink, and counts and logs it. It returns how the stream ended.
func (s *Server) run(c *call, st *stopper, sink sink) *hub.Failure {
	defer s.dismiss(c.route, st)
	x := &stream{server: s, call: c, stop: st, begun: time.Now()}
	framing := c.target.clientFraming(c.webSocket)
	x.engine, x.pump.out, x.tally = c.route.engine(c.target, framing)
	defer c.target.release(x.engine)
	if p, ok := x.engine.(*pipeline); ok {
		p.edit = x.edit
	}
	x.prepare(sink)
	f := x.open()
	if f == nil {
		f = x.pump.run()
		st.onStop(nil)
		x.pump.src.close()
	} else {
		f = x.failEarly(sink, f)
	}
	x.flushed(x.pump.now())
	x.report(f)
	return f
}

func (x *stream) prepare(sink sink) {
	r := x.call.route
	p := &x.pump
	p.sink, p.eng, p.start, p.stop = sink, x.engine, x.begun, x.stop
	p.flushed = x.flushed
	p.arrived = x.arrived
	p.limits = pumpLimits{idle: r.up.cfg.Timeouts.Idle, keepalive: r.cfg.Timeouts.Keepalive, total: r.cfg.Timeouts.Stream}
	p.beat = func(out *wire.Out) {
		r.metrics.keepalives.Inc()
		if beat := x.call.target.dialect.KeepAlive; beat != nil {
			beat(out, x.call.target.options)
			return
		}
		out.KeepAlive(int(r.cfg.KeepalivePadding))
	}
}

// open asks the upstream and leaves its answer as the pump's source.
func (x *stream) open() *hub.Failure {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	x.stop.onStop(cancel)
	var err error
	if x.call.route.up.webSocket() {
		x.pump.src, err = x.call.openWebSocket(ctx, x.stop)
	} else {
		x.pump.src, err = x.openHTTP(ctx)
	}
	if stopped := x.stop.failure(); stopped != nil {
		if err == nil {
			x.pump.src.close()
		}
		return stopped
	}
	if err != nil {
		return asFailure(err)
	}
	return nil
}

func (x *stream) openHTTP(ctx context.Context) (source, error) {
	body, err := x.call.route.up.open(ctx, x.call.request, x.stop)
	if err != nil {
		return nil, err
	}
	if body.status < 200 || body.status > 299 {
		return nil, statusFailure(body.status, readDetail(body))
	}
	if body.encoding != "" && body.encoding != "identity" {
		return decompressed(body)
	}
	return body, nil
}

// maxDetail is how much of an upstream's error body is kept for the log.
const maxDetail = 2 << 10

func readDetail(b *httpBody) string {
	p, _ := io.ReadAll(io.LimitReader(b, maxDetail))
	b.abort()
	return strings.ToValidUTF8(string(p), "\uFFFD")
}

// failEarly ends a stream whose upstream gave no answer to translate. Nothing has been written, so the client gets a
// status; on a WebSocket it gets the dialect's own error.
func (x *stream) failEarly(sink sink, f *hub.Failure) *hub.Failure {
	if clientFault(f.Code) {
		return f
	}
	if x.call.webSocket {
		sink.begin(x.pump.out)
		x.engine.finish(f, 0)
		if err := sink.write(x.pump.out); err != nil {
			return asFailure(err)
		}
	}
	if err := sink.end(f); err != nil {
		return asFailure(err)
	}
	return f
}

// edit changes strict events on their way to the encoder.
func (x *stream) edit(ev *hub.Event) {
	x.call.identify(ev)
	if !x.call.route.cfg.Errors.Expose {
		redact(ev)
	}
}

// flushed brings the metrics up to date.
func (x *stream) flushed(time.Duration) {
	m := x.call.route.metrics
	if !x.first && x.pump.firstOut > 0 {
		x.first = true
		m.firstEvent.Observe(x.pump.firstOut.Seconds())
	}
	x.tally.bytesOut = x.pump.wrote
	m.add(x.tally, &x.before)
	m.bytesOut.Add(float64(x.tally.bytesOut - x.before.bytesOut))
	faults := x.before.faults
	x.before = *x.tally
	x.before.faults = copyFaults(faults, x.tally.faults)
}

func copyFaults(dst, src map[hub.Reason]int64) map[hub.Reason]int64 {
	if len(src) == 0 {
		return nil
	}
	if dst == nil {
		dst = map[hub.Reason]int64{}
	}
	for k, v := range src {
		dst[k] = v
	}
	return dst
}

func (x *stream) arrived(now time.Duration) {
	if x.lastIn > 0 {
		x.call.route.metrics.gap.Observe((now - x.lastIn).Seconds())
	}
	x.lastIn = now
}

// report counts how the stream ended and writes its one line of log.
func (x *stream) report(f *hub.Failure) {
	r, took := x.call.route, time.Since(x.begun)
	ending := hub.StatusDone.String()
	if p, ok := x.engine.(*pipeline); ok && p.end != hub.StatusNone {
		ending = p.end.String()
	}
	if f != nil {
		ending = string(f.Code)
		x.countCancel(f)
	}
	r.metrics.ended(r.source.Name, x.call.target.dialect.Name, ending, took)
	level := zap.InfoLevel
	if f != nil && !clientFault(f.Code) {
		level = zap.WarnLevel
	}
	if entry := x.server.log.Check(level, "stream ended"); entry != nil {
		entry.Write(x.fields(f, ending, took)...)
	}
}

func (x *stream) countCancel(f *hub.Failure) {
	switch f.Code {
	case hub.CodeClientGone, hub.CodeClientSlow:
		x.server.metrics.cancels.WithLabelValues(x.call.route.cfg.Path, "client").Inc()
	case hub.CodeShutdown, hub.CodeDuration, hub.CodeIdle, hub.CodeMalformed:
		x.server.metrics.cancels.WithLabelValues(x.call.route.cfg.Path, "proxy").Inc()
	}
}

func (x *stream) fields(f *hub.Failure, ending string, took time.Duration) []zap.Field {
	c, t := x.call, x.tally
	fields := []zap.Field{
		zap.String("route", c.route.cfg.Path), zap.String("upstream", c.route.up.cfg.Name),
		zap.String("from", c.route.source.Name), zap.String("to", c.target.dialect.Name),
		zap.String("ending", ending), zap.String("request_id", c.id), zap.String("peer", c.peer),
		zap.Int64("records", t.records), zap.Int64("events_in", t.eventsIn()), zap.Int64("events_out", t.eventsOut()),
		zap.Uint64("repairs", t.repairs.Total()), zap.Int64("dropped", t.fate(hub.Dropped)),
		zap.Int64("bytes_in", t.bytesIn), zap.Int64("bytes_out", x.pump.wrote),
		zap.Duration("first_event", x.pump.firstOut), zap.Duration("total", took),
	}
	if f != nil && f.Cause != nil {
		fields = append(fields, zap.NamedError("cause", f.Cause))
	}
	if n := t.errors(); n > 0 {
		fields = append(fields, zap.Int64("record_errors", n), zap.NamedError("first_error", t.first))
	}
	return fields
}
