package proxy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// requestWriter writes the body that an upstream takes.
type requestWriter func(dst []byte, req *hub.Request, l *hub.Losses) ([]byte, error)

// requestForm is how the upstream of a route takes requests.
type requestForm struct {
	dialect *hub.Dialect
	options hub.Options
	write   requestWriter // nil: bodies pass as they came
}

// findRequestForm finds out how the upstream takes requests: by a template of its own, or as a dialect has them.
func (r *route) findRequestForm(known []*hub.Dialect) (err error) {
	up := r.up.Cfg
	r.form = requestForm{dialect: r.source, options: r.options}
	if up.RequestDialect != "" {
		if r.form.dialect, err = lookup(known, up.RequestDialect); err != nil {
			return err
		}
		r.form.options = r.form.dialect.Defaults()
	}
	r.form.write = r.form.dialect.RequestWriter()
	if up.Request != "" {
		if r.form.write, err = adapters.RequestTemplate(up.Request); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	return nil
}

// requestsPass reports whether both sides speak the same dialect, and write requests alike in it.
func (r *route) requestsPass(t *target) bool {
	return r.source == t.dialect && (t.dialect.RequestsPass == nil || t.dialect.RequestsPass(r.options, t.options))
}

// translates reports whether bodies of requests are written anew for the upstream.
func (r *route) translates(t *target) bool {
	if r.cfg.Requests.Mode != config.Translate || t.dialect.Messages == nil {
		return false
	}
	if r.up.Agents != nil {
		return true
	}
	alike := r.requestsPass(t) && r.form.dialect == t.dialect && r.up.Cfg.Request == ""
	return r.form.write != nil && (!alike || r.redact != nil)
}

// wantsHistory reports whether the upstream takes the whole conversation, and keeps nothing of it. A template shows by what it
// holds.
func (r *route) wantsHistory() bool {
	if r.up.Cfg.Request != "" {
		return adapters.WantsHistory(r.up.Cfg.Request)
	}
	return r.form.dialect.Stateless
}

// translate writes the body in the dialect of the upstream. err is why it could not be read in that of the client.
func (c *call) translate(asked *hub.Request, plain []byte, err error) *hub.Failure {
	if plain == nil {
		return unknownCoding()
	}
	if err != nil {
		return unreadable(c.target.dialect, err)
	}
	if asked.Other {
		return hub.Fail(hub.CodeNoEndpoint, nil)
	}
	if c.isGathered(asked) {
		return nil // the agent is not asked
	}
	c.enterSession(asked)
	if c.lacksHistory(asked) {
		return c.partial(asked)
	}
	if c.route.up.Agents != nil {
		return nil // its driver says it to the process
	}
	if len(asked.Model) == 0 {
		asked.Model = []byte(c.route.cfg.Requests.Model)
	}
	if f := c.checkAsks(asked); f != nil {
		return f
	}
	asked.AskWhole, asked.Upstream, asked.UpstreamQuery = c.route.up.Cfg.Whole, c.route.form.options, c.route.up.Cfg.URL.URL.RawQuery
	if f := c.address(asked); f != nil {
		return f
	}
	if c.namesCalls() {
		cutCalls(asked)
	}
	return c.write(asked)
}

// lacksHistory reports whether what was said before a request is unknown, or will be before the next one.
func (c *call) lacksHistory(asked *hub.Request) bool {
	if asked.Keep || asked.Partial && len(asked.Previous) > 0 {
		return !c.route.agentRemembers()
	}
	return asked.Partial && c.route.wantsHistory() && len(asked.Session) == 0
}

// partial is what a client learns whose request says only what is new. One that says nothing at all is mostly of another dialect.
func (c *call) partial(asked *hub.Request) *hub.Failure {
	goesOn := len(asked.Previous) > 0 || asked.Keep || asked.Trigger != hub.TriggerNone
	if len(asked.Messages) == 0 && len(asked.Answers) == 0 && !goesOn {
		return unreadable(c.target.dialect, hub.NewError(hub.ReasonMissing, "", -1, "want what is said"))
	}
	return hub.Fail(hub.CodePartial, nil)
}

// write writes the body of the call, as the dialect of the upstream has it.
func (c *call) write(asked *hub.Request) *hub.Failure {
	c.losses = hub.Losses{}
	body, err := c.route.form.write(nil, asked, &c.losses)
	if err != nil {
		return unreadable(c.route.form.dialect, err)
	}
	c.losses.AddIf("answers", len(c.left) > 0)
	if c.isUnnamed(asked) {
		conversation.LostBefore(asked, &c.losses)
	}
	if lost := asked.Chosen(&c.losses); len(lost) > 0 && c.route.cfg.Requests.Strict {
		return c.route.lossy(lost)
	}
	c.translated = true
	c.request.SetBodyRaw(body)
	c.describe()
	return nil
}

// lossy is what a client learns whose request would lose something.
func (r *route) lossy(names []string) *hub.Failure {
	all := strings.Join(names, ", ")
	f := hub.Fail(hub.CodeLossy, errors.New(r.form.dialect.Name+" has no place for "+all))
	f.Note = r.form.dialect.Name + " has no place for: " + all + "."
	return f
}

// describe sets the header fields that go with a body that was written anew.
func (c *call) describe() {
	h := &c.request.Header
	h.Del(fasthttp.HeaderContentEncoding)
	h.SetContentType("application/json")
	form := &c.route.form
	if form.dialect.RequestHeader == nil {
		return
	}
	for _, field := range form.dialect.RequestHeader(form.options) {
		if len(h.Peek(field.Name)) == 0 || field.Name == fasthttp.HeaderContentType && c.route.up.Cfg.Request == "" {
			h.Set(field.Name, field.Value)
		}
	}
}

// unreadable is what a client learns of a request that cannot be read, or not be written for its agent. The texts of the codecs
// hold nothing of the request but the place of the fault.
func unreadable(d *hub.Dialect, err error) *hub.Failure {
	f := hub.Fail(hub.CodeUnreadable, err)
	var e *hub.Error
	if errors.As(err, &e) {
		place := *e
		place.Dialect = d.Name
		f.Note = place.Error() + "."
	}
	return f
}

// noteRequest counts what a request is about, and what the upstream's dialect had no place for.
func (s *Server) noteRequest(c *call) {
	if c.turn.news != "" {
		c.route.metrics.turn(c.target.dialect.Name, c.turn.news)
	}
	s.noteLosses(c.route, c.losses.Names)
	if c.gathered != nil {
		s.metrics.partial.WithLabelValues(c.route.name).Inc()
	}
}

func (s *Server) noteLosses(r *route, losses []string) {
	for _, field := range losses {
		s.metrics.requestLosses.WithLabelValues(r.name, r.form.dialect.Name, field).Inc()
	}
}
