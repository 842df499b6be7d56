package proxy

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Where both sides speak the same dialect, the agent describes itself. The URLs in that description would lead its clients past the proxy.

// maxCard bounds a description: it is held as a whole.
const maxCard = 1 << 20

// describes finds out whether a request that passes asks what the agent is, not what it says: the answer is no stream, and tells nothing of a
// conversation.
func (c *call) describes(ctx *fasthttp.RequestCtx) {
	r, t := c.route, c.target
	if c.sub.found || !r.requestsPass(t) {
		return
	}
	switch operationOf(t.dialect, &ctx.Request, c.sub.rest) {
	case hub.OpDescribe, hub.OpExtended:
		if c.described = true; t.dialect.RewriteCard != nil {
			c.describedAt = r.urlOf(ctx)
		}
	case hub.OpModels, hub.OpModel:
		c.described = true
	}
}

// engine returns an engine for the answer, framed for the client as f. One that describes the agent passes, also where streams are translated.
func (c *call) engine(f wire.Framing) (engine.Engine, *wire.Out, *engine.Stats) {
	if c.described {
		return c.route.copier(c.target, f)
	}
	return c.route.engine(c.target, f, c.asked)
}

// operationOf is what a request asks for by its path, or by its body where that says it.
func operationOf(d *hub.Dialect, req *fasthttp.Request, rest string) hub.Operation {
	op := hub.OpRun
	if e, _ := d.FindEndpoint(string(req.Header.Method()), rest); e != nil {
		op = e.Operation
	}
	if op == hub.OpRun && d.Envelope != nil && len(req.Body()) > 0 {
		op, _, _, _ = d.Envelope(req.Body())
	}
	return op
}

// mayBeCard reports whether an answer may be a description that names URLs of the agent: clients read it as one, however it is labelled.
func (x *stream) mayBeCard(body *upstream.Body, sink *httpSink) bool {
	return x.call.describedAt != "" && !sink.head && body.Status == fasthttp.StatusOK && !slices.Contains(streamTypes, upstream.MediaType(body.Header))
}

// passCard passes a description on with the URL of the route in place of the agent's.
func (x *stream) passCard(body *upstream.Body, sink *httpSink) (source, error) {
	header := body.Header
	body.Header = nil
	for _, name := range []string{fasthttp.HeaderContentEncoding, fasthttp.HeaderETag, "Digest", "Content-Digest", "Repr-Digest", "Content-Md5"} {
		header.Del(name) // they are of the answer as it was
	}
	header.SetContentLength(-1)
	x.pass(body, header, sink)
	eng := &cardPasser{passer: passer{out: x.pump.out, stats: x.stats}, rewrite: func(dst, card []byte) ([]byte, bool) {
		return x.call.target.dialect.RewriteCard(dst, card, x.call.route.replaceURL(x.call.describedAt))
	}}
	x.engine, x.pump.eng = eng, eng
	if body.Compressed() {
		return decompressed(body)
	}
	return body, nil
}

// replaceURL returns what turns a URL of the agent's into the one below base that leads there: whatever the agent calls its host, what its
// path has beyond that of the upstream stands behind base as well.
func (r *route) replaceURL(base string) func(string) string {
	own := strings.TrimSuffix(r.up.Cfg.URL.EscapedPath(), "/")
	return func(was string) string {
		u, err := url.Parse(was)
		if err != nil || !strings.HasSuffix(r.cfg.Path, "/*") {
			return base
		}
		rest, below := strings.CutPrefix(u.EscapedPath(), own)
		if !below || rest != "" && rest[0] != '/' {
			return base
		}
		if u.RawQuery != "" {
			rest += "?" + u.RawQuery
		}
		return strings.TrimSuffix(base, "/") + rest
	}
}

// cardPasser is the engine of a description: it keeps it until it is complete.
type cardPasser struct {
	passer
	card    []byte
	rewrite func(dst, card []byte) ([]byte, bool)
}

// Feed implements engine.Engine.
func (p *cardPasser) Feed(buf []byte, _ bool, _ time.Duration) (used int, err error) {
	if len(p.card)+len(buf) > maxCard {
		return 0, hub.Fail(hub.CodeTooLong, errors.New("the description of the agent is longer than 1 MiB"))
	}
	p.card = append(p.card, buf...)
	p.stats.BytesIn += int64(len(buf))
	return len(buf), nil
}

// Finish writes the description. What is cut stays cut.
func (p *cardPasser) Finish(f *hub.Failure, _ time.Duration, _ bool) *hub.Failure {
	if f != nil {
		return f
	}
	if card, ok := p.rewrite(nil, p.card); ok {
		p.card = card
	}
	p.out.Raw(p.card)
	p.out.Records = 1
	return nil
}
