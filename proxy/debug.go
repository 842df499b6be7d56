package proxy

import (
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// logRequest says, at level debug, what becomes of a request: the dialect that was chosen and why, where it goes, and which of
// its header fields stay behind. It names fields and never shows values.
func (s *Server) logRequest(c *call, req *fasthttp.Request) {
	if entry := s.log.Check(zap.DebugLevel, "request accepted"); entry != nil {
		entry.Write(zap.String("route", c.route.cfg.Path), zap.String("request_id", c.id), zap.String("peer", c.peer),
			zap.String("to", c.target.dialect.Name), zap.String("chosen_by", c.route.chosenBy(&req.Header)),
			zap.String("upstream", c.route.up.Cfg.Name), zap.String("method", string(c.request.Header.Method())),
			zap.Bool("body_understood", c.asked != nil), zap.Bool("body_translated", c.translated), zap.Strings("request_losses", c.losses.Names),
			zap.Strings("headers_dropped", headersDropped(&req.Header, &c.request.Header)))
	}
}

// chosenBy is what the dialect of an answer was chosen by, as [route.choose] does it.
func (r *route) chosenBy(h *fasthttp.RequestHeader) string {
	switch {
	case r.cfg.Client != config.Auto:
		return "route"
	case len(h.Peek(dialectHeader)) > 0:
		return "header"
	case r.accepted(h) != nil:
		return "accept"
	}
	return "default"
}

// headersDropped lists the fields of a client's header that its upstream does not get, in small letters.
func headersDropped(from, to *fasthttp.RequestHeader) (names []string) {
	for name := range from.All() {
		lower := strings.ToLower(string(name))
		if !slices.Contains(names, lower) && len(to.PeekBytes(name)) == 0 {
			names = append(names, lower)
		}
	}
	slices.Sort(names)
	return names
}

// logAnswer says, at level debug, how the upstream answers.
func (x *stream) logAnswer(body *upstream.Body) {
	if entry := x.server.log.Check(zap.DebugLevel, "upstream answered"); entry != nil {
		entry.Write(zap.String("upstream", x.call.route.up.Cfg.Name),
			zap.String("request_id", x.call.id), zap.Int("status", body.Status), zap.String("encoding", upstream.Shown(body.Encoding)))
	}
}

// logRecognised says, at level debug, what the stream was found to be.
func (x *stream) logRecognised() {
	if entry := x.server.log.Check(zap.DebugLevel, "stream recognised"); entry != nil {
		entry.Write(zap.String("request_id", x.call.id), zap.Stringer("framing", x.framing()),
			zap.String("read_as", x.call.route.source.Name), zap.Int64("records", x.stats.Records), zap.Int64("copied", x.stats.Copied))
	}
}

// framing is how the upstream's records follow each other; Auto if that is unknown.
func (x *stream) framing() wire.Framing {
	var split wire.Splitter
	switch eng := x.engine.(type) {
	case *engine.Pipeline:
		split = eng.Split
	case *engine.Copier:
		split = eng.Split
	}
	if d, ok := split.(wire.Detector); ok {
		return d.Framing()
	}
	return x.call.route.framing
}
