package proxy

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Where both sides speak the same dialect, not every answer is a stream: the same paths serve lists of models, single JSON
// answers, pages and files. What is no stream passes as it is.

// likeness says whether an answer is a stream.
type likeness uint8

const (
	likeUnclear likeness = iota // its type does not tell: its first record does
	likeStream
	likeOther
)

// streamTypes are media types that only streams have.
var streamTypes = []string{
	"text/event-stream", "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines",
	"application/jsonlines", "application/json-seq", "application/stream+json", "application/vscode-jsonrpc",
}

// vagueTypes are media types that servers put on anything.
var vagueTypes = []string{upstream.NoMediaType, "text/plain", "application/octet-stream"}

// likeness tells by its header what an answer is.
func (x *stream) likeness(body *upstream.Body, head bool) likeness {
	media := upstream.MediaType(body.Header)
	d := x.call.target.dialect
	vague := slices.Contains(vagueTypes, media)
	switch {
	case head || body.Status != fasthttp.StatusOK && body.Status != fasthttp.StatusCreated && body.Status != fasthttp.StatusAccepted:
		return likeOther
	case slices.Contains(streamTypes, media) || slices.Contains(d.Accept, media):
		return likeStream
	case body.Done:
		return likeOther // there is nothing that could be cut
	case vague && body.Compressed():
		return likeStream
	case vague:
		return likeUnclear
	case isJSON(media) && !body.Compressed() && (x.labelOf(body) == labelJSON || !x.call.route.cfg.Errors.Expose):
		return likeUnclear
	}
	return likeOther
}

// label is what the content type of an answer says that is looked at.
type label uint8

const (
	labelVague  label = iota
	labelJSON         // JSON, which may be a stream all the same
	labelSingle       // JSON, and one value: looked at only because it may be an error that must not be exposed
)

func (x *stream) labelOf(body *upstream.Body) label {
	switch {
	case !isJSON(upstream.MediaType(body.Header)):
		return labelVague
	case body.Header.ContentLength() < 0 && jsonStreams(x.call.target.dialect):
		return labelJSON
	}
	return labelSingle
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// jsonStreams reports whether a dialect travels as JSON values without anything around them, which some servers label as
// JSON.
func jsonStreams(d *hub.Dialect) bool {
	return slices.Contains(d.Framings, wire.NDJSON) || slices.Contains(d.Framings, wire.Concat)
}

// mayPass reports whether answers that are no streams can pass as they are: the client reads HTTP, asks by one request, and
// speaks the dialect of the upstream.
func (x *stream) mayPass(sink sink) bool {
	_, copies := x.engine.(*engine.Copier)
	_, http := sink.(*httpSink)
	return copies && http && x.call.pending == nil && x.call.route.up.Cfg.Start == nil
}

// passesStatus reports whether an answer that is no success passes as it is: errors do where the route exposes them, but not
// those about credentials of the configuration. Redirects never do: they may lead inside.
func (x *stream) passesStatus(up *upstream.Upstream, status int, sink sink) bool {
	switch {
	case !x.mayPass(sink):
		return false
	case status == fasthttp.StatusNotModified:
		return true
	case (status == 401 || status == 403) && up.HasCredentials:
		return false
	}
	return status >= 400 && x.call.route.cfg.Errors.Expose
}

// passOrCopy finds out what an answer is, and returns it as the source of the engine that it needs.
func (x *stream) passOrCopy(body *upstream.Body, sink *httpSink) (source, error) {
	if x.isPage(body) {
		x.unlike = described(body)
		body.Abort()
		return nil, hub.Fail(hub.CodeMalformed, errors.New("a page in place of a run"))
	}
	if x.mayBeCard(body, sink) {
		return x.passCard(body, sink)
	}
	header := body.Header
	var src source = body
	like := x.likeness(body, sink.head)
	if like == likeUnclear {
		seen, found, err := x.look(body, x.labelOf(body))
		if err != nil {
			body.Abort()
			return nil, err
		}
		like, src = found, &seenBody{body, seen}
	}
	body.Header = nil // streams are long
	if like == likeOther {
		x.pass(body, header, sink)
		return src, nil
	}
	if body.Compressed() {
		return decompressed(body)
	}
	if isJSON(upstream.MediaType(header)) {
		sink.media = string(header.ContentType())
	}
	return src, nil
}

// isPage reports whether a run was answered with a page, as servers do that want a login first. No agent does, and its client would show nothing.
func (x *stream) isPage(body *upstream.Body) bool {
	return x.call.says && body.Status == fasthttp.StatusOK && upstream.MediaType(body.Header) == "text/html"
}

// pass replaces the engine by one that changes nothing.
func (x *stream) pass(body *upstream.Body, header *fasthttp.ResponseHeader, sink *httpSink) {
	x.passed = upstream.MediaType(header)
	x.status = body.Status
	x.first = true // what the metric measures is the first record of streams
	eng := &passer{out: x.pump.out, stats: x.stats}
	x.engine, x.pump.eng, x.pump.mayBeError = eng, eng, nil
	x.pump.limits.keepalive = 0
	sink.pass(body, header)
}

// How much of an answer is looked at, and how it is read: a record that is longer is no first record of a stream.
const maxLook = 64 << 10

// look reads an answer, which may be labelled as JSON, until its first record says what it is. While nothing comes, the client must get signs of life as
// from any stream, so an answer that stays silent for so long counts as one.
func (x *stream) look(body *upstream.Body, l label) (seen []byte, found likeness, err error) {
	limits := x.pump.limits
	wait := limits.idle
	if limits.keepalive > 0 {
		wait = min(wait, limits.keepalive)
	}
	until := time.Now().Add(wait)
	for len(seen) < maxLook {
		var b rawio.Buffer
		err := body.ReadInto(&b, until)
		seen = append(seen, b.Unread()...)
		b.Release()
		switch {
		case err == rawio.ErrWake && l == labelSingle:
			return seen, likeOther, nil
		case err == rawio.ErrWake:
			return seen, likeStream, nil
		case err != nil && !body.Done:
			return nil, likeUnclear, err
		}
		if found := x.recognise(seen, body.Done, l); found != likeUnclear {
			return seen, found, nil
		}
	}
	return seen, likeOther, nil
}

// recognise tells by its beginning what an answer is. likeUnclear means that more is needed, and never comes at its end.
func (x *stream) recognise(data []byte, eof bool, l label) likeness {
	r := x.call.route
	split := wire.NewSplitter(r.framing, maxLook)
	for {
		rec, n, err := split.Split(data, eof)
		switch d, ok := split.(wire.Detector); {
		case err != nil:
			return likeOther
		case ok && slices.Contains(markedFramings, d.Framing()), slices.Contains(markedFramings, r.framing) && n > 0:
			return likeStream
		case n == 0 && eof:
			return likeOther
		case n == 0:
			return likeUnclear
		case rec.Data != nil:
			return x.judge(rec, l)
		}
		data = data[n:]
	}
}

// markedFramings are those that nothing else looks like.
var markedFramings = []wire.Framing{wire.SSE, wire.LengthPrefix, wire.ContentLength, wire.AmazonEventStream}

// judge tells by the first record what an answer is. One that ends the run as well is an answer of its own; nothing can be
// missing behind it. What is labelled as JSON must say something that belongs into a stream. A web page that is not labelled
// as one is left to the copier, which keeps it from the client.
func (x *stream) judge(rec wire.Record, l label) likeness {
	r := x.call.route
	if engine.IsPage(rec.Data) {
		return likeStream
	}
	dec := r.source.NewDecoder(r.options)
	events, err := dec.Decode(nil, rec)
	end := slices.IndexFunc(events, func(ev hub.Event) bool { return ev.Kind == hub.RunEnd })
	verdict := recognize.Judge(dec, rec, events, err)
	switch {
	case end >= 0 && events[end].Status == hub.StatusFailed && !r.cfg.Errors.Expose:
		return likeStream // for the copier, which conceals what the error says
	case end >= 0, l == labelSingle, verdict == recognize.Unrecognised, fastpath.NewWatcher(r.source, r.options).Observe(rec) == hub.ObservedEnd:
		return likeOther
	case l == labelJSON && (verdict != recognize.Recognised || len(events) == 0):
		return likeOther
	}
	return likeStream
}

// seenBody is a body whose beginning was read already.
type seenBody struct {
	*upstream.Body
	seen []byte
}

// ReadInto implements source.
func (s *seenBody) ReadInto(b *rawio.Buffer, until time.Time) error {
	if len(s.seen) == 0 {
		return s.Body.ReadInto(b, until)
	}
	for rest := s.seen; len(rest) > 0; {
		n := copy(b.Room(), rest)
		b.Filled(n)
		rest = rest[n:]
	}
	s.seen = nil
	return nil
}

// passer is the engine of an answer that is no stream: it changes nothing.
type passer struct {
	out   *wire.Out
	stats *engine.Stats
}

func (p *passer) Feed(buf []byte, _ bool, _ time.Duration) (used int, err error) {
	used = min(len(buf), max(engine.FlushAt-len(p.out.Buf), 0))
	p.out.Raw(buf[:used])
	if used > 0 {
		p.out.Records = 1 // so that it leaves at once
	}
	p.stats.BytesIn += int64(used)
	return used, nil
}

// Tick has nothing to do, ever.
func (p *passer) Tick(time.Duration) (next time.Duration, over bool) { return }

// Finish adds nothing: what is cut stays cut.
func (p *passer) Finish(f *hub.Failure, _ time.Duration, _ bool) *hub.Failure { return f }

// keptBack are fields of an answer that do not pass: those that Sabir says itself, and those that speak of the server's own
// address. Fields of one connection do not pass either.
var keptBack = fields.Set(
	"server", "date", "alt-svc", "via", "x-accel-buffering", "x-accel-redirect", "x-accel-expires", "x-powered-by", "content-length",
	"x-request-id", "x-sabir-error", "x-sabir-dialect", "access-control-allow-origin", "access-control-allow-credentials",
	"access-control-expose-headers", "access-control-allow-methods", "access-control-allow-headers", "access-control-max-age",
)

// pass makes the answer that of the upstream: its status, its header, and as much of a body as it says. A field whose name is none stays
// behind: clients refuse the whole answer for it.
func (s *httpSink) pass(body *upstream.Body, from *fasthttp.ResponseHeader) {
	h := new(fasthttp.ResponseHeader)
	h.SetNoDefaultContentType(true)
	for key, value := range from.All() {
		name := strings.ToLower(string(key))
		if http1.IsToken(key) && !fields.HopByHop[name] && !body.OfConn[name] && !keptBack[name] && !(isLocation(name) && strings.Contains(string(value), "//")) {
			h.AddBytesKV(key, value)
		}
	}
	for key, value := range s.header.All() {
		if name := string(key); name != fasthttp.HeaderContentType {
			h.AddBytesKV(key, value)
		}
	}
	h.SetStatusCode(body.Status)
	s.bodiless = s.head || body.Status == fasthttp.StatusNoContent || body.Status == fasthttp.StatusNotModified
	length := from.ContentLength()
	if s.bodiless || length >= 0 {
		s.chunked = false
	}
	switch {
	case s.bodiless && length < 0: // no length is said: what GET would be answered with may have any
	case length >= 0:
		h.SetContentLength(length)
	case s.chunked:
		h.SetContentLength(-1)
	default: // older clients have a connection for one answer, and HTTP/2 a stream
		s.lasts = true
	}
	if s.close {
		h.SetConnectionClose()
	}
	s.passed = h
}

// isLocation reports whether a field holds an address, which passes only if it names no server.
func isLocation(name string) bool {
	return name == "location" || name == "content-location" || name == "refresh"
}
