package proxy

import (
	"crypto/sha1" // of UUIDs of version 5
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Agent servers that keep conversations have a session for each of them. Its id follows from the route, who asks and the client's
// thread, so that nothing has to be remembered, and all replicas agree.

// sessionServerOf is how the upstream of a route keeps sessions; nil if it is asked for runs alone.
func sessionServerOf(up *config.Upstream, d *hub.Dialect) *hub.SessionServer {
	if d.Sessions == nil || up.URL.WebSocket() || up.Start != nil || up.Request != "" || up.RequestDialect != "" {
		return nil
	}
	if !d.Sessions.IsBase(up.URL.Path) {
		return nil
	}
	return d.Sessions
}

// agentSession is where a call has its run.
type agentSession struct {
	server *hub.SessionServer
	asked  hub.Request // what is asked, as long as it may have to be asked once more
	state  string      // for the log: created or known; "" as long as it is unknown
	opened bool        // by a request of its own, or found open so

	unnamed *unnamedTurn // of a conversation that is known by what is said in it; nil: it has a name, or is for this run alone
}

// enterSession finds out where the run of a request belongs, if the upstream keeps sessions.
func (c *call) enterSession(asked *hub.Request) {
	server := c.route.sessions
	if server == nil {
		return
	}
	s := &agentSession{server: server}
	switch {
	case server.Forgets:
	case len(asked.Thread) > 0:
		branch, begins := c.enterBranch(asked)
		if asked.Session = c.sessionOf(asked.Thread, branch); branch != nil {
			asked.Branch, asked.Unique = branch, threadids.InBranch(asked.Unique, branch) // by which encoders name messages
		}
		asked.NewSession = begins || isFirst(asked) || c.forks
	case server.Stateless:
	default:
		c.enterUnnamed(asked, s)
	}
	c.agentSession = s
}

// sessionOf is the session of a client's conversation. A server that takes any name for one gets the client's own, and knows by what it is sent
// who asks, unless that is known to Sabir: the server may learn nothing of it, and clients that name their conversations alike must not meet there.
// A branch of a conversation has a session of its own.
func (c *call) sessionOf(thread, branch []byte) []byte {
	switch {
	case branch != nil:
		return sessionID(c.scope, plainText(thread), string(branch))
	case !c.route.sessions.HasBase() && !c.isNamed():
		return thread
	}
	return sessionID(c.scope, plainText(thread))
}

// isFirst reports whether nothing was said before a request, as far as it shows: its session is likely to be new. What is answered was asked
// there, though the agent may have said nothing else, and what is said anew was said there.
func isFirst(asked *hub.Request) bool {
	if asked.Partial || len(asked.Answers) > 0 || asked.Trigger != hub.TriggerNone {
		return false
	}
	before, _ := conversation.SplitInput(asked.Messages)
	return !slices.ContainsFunc(before, func(m hub.Message) bool { return m.Role != hub.RoleSystem })
}

// sessionID is a UUID of version 5 (RFC 9562), made of names. Any form of it does for servers that take any id.
func sessionID(names ...string) []byte {
	h := sha1.New()
	for _, name := range names {
		fmt.Fprintf(h, "%d:%s", len(name), name) // so that no two lists of names are one
	}
	id := h.Sum(nil)[:16]
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	x := hex.EncodeToString(id)
	return []byte(strings.Join([]string{x[:8], x[8:12], x[12:16], x[16:20], x[20:]}, "-"))
}

// goesOnIn tells who reads the answer what was asked, as that may go on with a run.
func (c *call) goesOnIn(answer *engine.Pipeline) {
	switch {
	case c.agentSession != nil:
		answer.Continue(&c.agentSession.asked)
	case c.route.up.Agents != nil && c.asked != nil:
		answer.Continue(c.asked)
	}
}

// noteRun notes what has to be known of a run at its server, as the agent has said it.
func (x *stream) noteRun(ev *hub.Event) {
	if x.listens != nil {
		x.listens.note(ev)
	}
	if s := x.call.agentSession; s != nil {
		s.unnamed.noteWords(ev)
	}
	if x.cancelRequest.note(ev) {
		x.canceler.readOn(nil)
	}
}

// address makes the call ask for the run of a request where its session is.
func (c *call) address(asked *hub.Request) *hub.Failure {
	s := c.agentSession
	if s == nil {
		return nil
	}
	s.asked = *asked
	s.asked.Header = nil
	if !s.server.HasBase() {
		return nil
	}
	at := s.server.Run(asked)
	if answers := s.answers(); len(answers) > 0 {
		at = answers[0].Path
	}
	path, err := joinPath(at)
	if err != nil {
		return unreadable(c.target.dialect, err)
	}
	c.setURL(path, c.query)
	return nil
}

// answers are the requests for what is asked, if it answers questions of a run that goes on.
func (s *agentSession) answers() []hub.SessionCall {
	if s.server.Answers == nil {
		return nil
	}
	return s.server.Answers(&s.asked)
}

// joinPath is a path of which clients may have named parts.
func joinPath(parts []string) (string, error) {
	var path strings.Builder
	for _, part := range parts {
		if !isName(part) {
			return "", errors.New("a name that is part of the agent's URL is empty, too long, or leads elsewhere")
		}
		path.WriteString("/" + url.PathEscape(part))
	}
	return path.String(), nil
}

// sessionRequest is a request to the server that keeps the session of a call.
func (c *call) sessionRequest(what hub.SessionCall) (*fasthttp.Request, error) {
	req := c.bare(what.Method)
	return req, c.aim(req, what)
}

// aim makes a request with the header of one to the server of a session ask for something.
func (c *call) aim(req *fasthttp.Request, what hub.SessionCall) error {
	path, err := joinPath(what.Path)
	if err != nil {
		return err
	}
	base := c.route.up.Cfg.URL.URL
	base.Path, base.RawPath = strings.TrimSuffix(base.Path, what.Beside), strings.TrimSuffix(base.RawPath, what.Beside)
	req.Header.SetRequestURI(upstreamURI(&base, path, what.Query))
	if what.Body != nil {
		req.Header.SetContentType("application/json")
		req.SetBodyRaw(what.Body)
	}
	return nil
}

// openInSession asks for the run of a call in its session, which is opened before where it is new. A session that was taken for known
// may be gone: the server has started anew, or Sabir was put in front of it in the middle of a conversation. Then it is opened, and
// the run asked for once more, with all that was said before.
func (x *stream) openInSession(sink sink, until time.Time) (*upstream.Body, error) {
	if x.call.agentSession.server.Listen != nil {
		return x.openAndListen(sink, until)
	}
	if how := x.call.cancelUnnamed(); how != nil {
		x.asksUnnamed(how)
	}
	body, err := x.askInSession(sink, until)
	if err != nil {
		x.unasked(err)
		return nil, err
	}
	if x.cancelRequest == nil || x.cancelRequest.named == nil {
		x.canceler.readOn(nil)
		x.cancelRequest = x.call.cancelInSession(x.cancelRequest, body.Header)
	}
	return body, nil
}

// askInSession asks for the run, and returns the answer to that.
func (x *stream) askInSession(sink sink, until time.Time) (*upstream.Body, error) {
	c, s := x.call, x.call.agentSession
	if s.asked.NewSession {
		if err := x.openSession(sink, until); err != nil {
			return nil, err
		}
	}
	body, r, err := x.ask(c.route.up, c.request, sink, until)
	if r != nil && !s.asked.NewSession && len(s.asked.Session) > 0 && slices.Contains(s.server.Unknown, r.Status) {
		if f := x.beginAnew(); f != nil {
			return nil, f
		}
		if err := x.openSession(sink, until); err != nil {
			return nil, err
		}
		body, r, err = x.ask(c.route.up, c.request, sink, until)
	}
	switch {
	case err != nil:
		x.noteUnanswered(err)
		x.noteOpened()
		return nil, err
	case r != nil:
		x.noteOpened()
		x.begunNone()
		return nil, x.refusedInSession(r, sink)
	}
	x.noteSession()
	s.unnamed.accept()
	x.noteBranch()
	return body, nil
}

// beginAnew writes the request for a session that is not there. What could be written for one that is there, and cannot be now, is an
// answer: the question is gone with its session.
func (x *stream) beginAnew() *hub.Failure {
	c, s := x.call, x.call.agentSession
	before := c.losses
	s.asked.NewSession = true
	f := c.write(&s.asked)
	lost := c.losses.Names
	c.losses = before
	if f != nil {
		if f.Code == hub.CodeUnreadable {
			return hub.Fail(hub.CodeAskUnknown, f.Cause)
		}
		return f
	}
	x.noteLosses(lost)
	return nil
}

// noteLosses adds to what the upstream's dialect had no place for.
func (x *stream) noteLosses(lost []string) {
	c := x.call
	for _, field := range lost {
		if !slices.Contains(c.losses.Names, field) {
			c.losses.Names = append(c.losses.Names, field)
			x.server.metrics.requestLosses.WithLabelValues(c.route.name, c.route.source.Name, field).Inc()
		}
	}
}

// openSession opens the session of the call, if runs do not do so themselves.
func (x *stream) openSession(sink sink, until time.Time) error {
	c, s := x.call, x.call.agentSession
	if s.server.Open == nil {
		return nil
	}
	var losses hub.Losses
	req, err := c.sessionRequest(s.server.Open(&s.asked, &losses))
	if err != nil {
		return unreadable(c.target.dialect, err)
	}
	defer fasthttp.ReleaseRequest(req)
	x.noteLosses(losses.Names)
	body, r, err := x.ask(c.route.up, req, sink, until)
	switch {
	case err != nil:
		return err
	case r == nil:
		body.Close()
	case slices.Contains(s.server.Exists, r.Status):
		s.state = sessionKnown
	default:
		return x.refused(c.route.up, r, sink)
	}
	s.opened = true
	return nil
}

// States of a session, as the log has them.
const (
	sessionCreated = "created"
	sessionKnown   = "known"
)

// noteSession notes whether the session of a run that was accepted is a new one.
func (x *stream) noteSession() {
	s := x.call.agentSession
	if len(s.asked.Session) == 0 || s.state != "" {
		return
	}
	if s.state = sessionKnown; s.asked.NewSession {
		s.state = sessionCreated
		x.server.metrics.sessions.WithLabelValues(x.call.route.name).Inc()
	}
}

// refusedInSession is what it means that a run was refused.
func (x *stream) refusedInSession(r *upstream.Refusal, sink sink) *hub.Failure {
	f := x.refused(x.call.route.up, r, sink)
	s := x.call.agentSession
	if slices.Contains(s.server.Busy, r.Status) {
		return hub.Fail(hub.CodeSessionBusy, f.Cause)
	}
	if s.server.Lost != nil && s.server.Lost([]byte(r.Body)) {
		return hub.Fail(hub.CodeAskUnknown, f.Cause)
	}
	return f
}

// cancelUnnamed prepares what cancels a run that its agent has yet to name, nil for nothing.
func (c *call) cancelUnnamed() *cancelRequest {
	s := c.agentSession
	how := &cancelRequest{outlives: s.outlives(c.route)}
	switch {
	case s.server.CancelNamed != nil:
		how.named = s.server.CancelNamed(&s.asked)
		how.find = func(l *lateAnswer, until time.Time) (*hub.SessionCall, error) {
			return inStream(c.route.pipelineConfig(c.target), how.named)(l, until)
		}
	case s.server.Cancel != nil && len(s.asked.Session) > 0:
		asked := s.asked // without which the session is left
		how.find = inHeader(func(header func(string) string) hub.SessionCall { return s.server.Cancel(&asked, header) })
		how.over = slices.Concat(s.server.Unknown, s.server.Busy) // closing the connection was enough
	default:
		return nil
	}
	how.request = c.bare(fasthttp.MethodPost)
	return how
}

// outlives reports whether the run of a session goes on when its client leaves.
func (s *agentSession) outlives(r *route) bool {
	return s.server.Outlives != nil && s.server.Outlives(r.options)
}

// cancelInSession says what cancels the run, which the header of its answer may name; nil for nothing.
func (c *call) cancelInSession(how *cancelRequest, answer *fasthttp.ResponseHeader) *cancelRequest {
	s := c.agentSession
	if how == nil {
		return nil
	}
	what := s.server.Cancel(&s.asked, func(name string) string { return string(answer.Peek(name)) })
	if len(what.Path) == 0 || how.address(c, &what) != nil {
		how.release()
		return nil
	}
	how.find = nil
	return how
}
