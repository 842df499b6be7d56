package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/threadids"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// A conversation that its client deletes is deleted at the agent's server, too: the sessions in which Sabir has asked for its runs. Their ids are
// Sabir's; what a client has named for an agent of its own dialect passes, and so does its deletion.

// openedSession is a session of a conversation, as its server is asked to delete it.
type openedSession struct {
	Branch []byte `json:",omitempty"` // none: the first session of the conversation
	Model  []byte `json:",omitempty"`
	User   []byte `json:",omitempty"`
}

// maxOpened is how many sessions of a conversation are remembered to be deleted with it. Of more, the oldest stay.
const maxOpened = 64

func (o *openedSession) is(other *openedSession) bool {
	return bytes.Equal(o.Branch, other.Branch) && bytes.Equal(o.Model, other.Model) && bytes.Equal(o.User, other.User)
}

// deletesSessions reports whether the server of a route can be asked to delete the sessions that Sabir names.
func (r *route) deletesSessions() bool {
	return r.hasSessions() && r.sessions.HasBase() && r.sessions.Delete != nil
}

// opened adds the session in which a request is asked for to those that are to be deleted, and reports whether it is new there.
func (b *branching) opened(asked *hub.Request) bool {
	o := openedSession{Branch: bytes.Clone(asked.Branch), Model: bytes.Clone(asked.Model), User: bytes.Clone(asked.Settings.User)}
	if slices.ContainsFunc(b.all.Opened, func(known openedSession) bool { return known.is(&o) }) {
		return false
	}
	b.all.Opened = append(b.all.Opened, o)
	if over := len(b.all.Opened) - maxOpened; over > 0 {
		b.all.Opened, b.all.Dropped = b.all.Opened[over:], b.all.Dropped+over
	}
	return true
}

// forgetSessions deletes the sessions of a conversation at the agent's server, and then what is remembered of them. It returns those that stay.
func (s *Server) forgetSessions(c *call, key threads.Key) (left []openedSession, err error) {
	key.Kind = threads.Branch
	var all saidThere
	view, err := c.route.threads.Look(key)
	switch {
	case err == nil:
		err = json.Unmarshal(view.Meta, &all)
	case errors.Is(err, threads.ErrUnknown):
		err = nil
	}
	if err != nil {
		return nil, err
	}
	c.asked = &hub.Request{Thread: jsonBody(key.Name)} // by which the instance is chosen
	left = s.deleteSessions(c, &all, key.Name)
	return left, c.route.threads.Forget(key)
}

// beginElsewhere lets a conversation that is begun once more, by the name of one that was deleted, have a session of its own where that of the other
// may be there still. With it, the deletion of what stays is tried again.
func (c *call) beginElsewhere(key threads.Key, left []openedSession) error {
	key.Kind = threads.Branch
	data, err := json.Marshal(&saidThere{Sessions: []saidIn{{Branch: threadids.Branch(c.unique)}}, Opened: left})
	if err != nil {
		return err
	}
	return c.route.threads.Create(key, threads.Seed{Meta: data})
}

// maxDeletions bounds the time in which the sessions of a conversation are deleted, and deletionsAtOnce how many at once.
const (
	maxDeletions    = 5 * time.Second
	deletionsAtOnce = 8
)

// Results of requests that delete sessions, as the metrics have them.
const (
	deletionDone   = "deleted"
	deletionFailed = "failed"
)

// deleteSessions deletes the sessions of a conversation, and returns those that it did not.
func (s *Server) deleteSessions(c *call, all *saidThere, thread string) (left []openedSession) {
	if !c.route.deletesSessions() {
		return nil
	}
	opened := all.toDelete(c.route.cfg.Requests.Model)
	var why error
	for i, err := range c.deleteAll(opened, thread) {
		result := deletionDone
		if err != nil {
			result, why = deletionFailed, err
			left = append(left, opened[i])
		}
		s.metrics.deletions.WithLabelValues(c.route.up.Cfg.Name, result).Inc()
	}
	s.logUndeleted(c, len(left)+all.Dropped, why)
	return left
}

// toDelete are the sessions of a conversation. Of one that is not remembered, or not in that form, those are tried whose names are known.
func (all *saidThere) toDelete(model string) []openedSession {
	if len(all.Opened) > 0 {
		return all.Opened
	}
	opened := []openedSession{{Model: []byte(model)}}
	for i := range all.Sessions {
		if branch := all.Sessions[i].Branch; len(branch) > 0 {
			opened = append(opened, openedSession{Branch: branch, Model: []byte(model)})
		}
	}
	return opened
}

// logUndeleted says that sessions stay whose client believes that they are deleted.
func (s *Server) logUndeleted(c *call, left int, why error) {
	if left == 0 {
		return
	}
	hint := "the agent server has to answer DELETE of its sessions, with the header fields that runs have; delete these there"
	if why == nil {
		hint = "the oldest sessions of a conversation that has had very many are not remembered; delete them at the agent server"
	}
	s.log.Warn("sessions of a conversation that its client has deleted stay at the agent server", zap.String("route", c.route.cfg.Path),
		zap.String("upstream", c.route.up.Cfg.Name), zap.String("request_id", c.id), zap.Int("sessions", left), zap.String("hint", hint), zap.Error(why))
}

// deleteAll asks the agent's server to delete sessions, and returns what came of each.
func (c *call) deleteAll(opened []openedSession, thread string) (failed []error) {
	failed = make([]error, len(opened))
	until, places := time.Now().Add(maxDeletions), make(chan struct{}, deletionsAtOnce)
	var all sync.WaitGroup
	for i := range opened {
		req, err := c.sessionRequest(c.route.sessions.Delete(c.sessionToDelete(&opened[i], thread)))
		if err != nil {
			fasthttp.ReleaseRequest(req)
			failed[i] = err
			continue
		}
		places <- struct{}{}
		all.Go(func() {
			failed[i] = c.askAnyInstance(req, c.route.sessions.Unknown, until)
			fasthttp.ReleaseRequest(req)
			<-places
		})
	}
	all.Wait()
	return failed
}

// sessionToDelete is what a dialect has to know of a session to name it.
func (c *call) sessionToDelete(o *openedSession, thread string) *hub.Request {
	up := c.route.up.Cfg
	return &hub.Request{
		Session: c.sessionOf(jsonBody(thread), o.Branch), Model: o.Model, Settings: hub.Settings{User: o.User},
		Upstream: c.route.form.options, UpstreamQuery: up.URL.URL.RawQuery,
	}
}

// askAnyInstance makes a request to the instance where the call would have its run, or to another one where nothing could be sent.
func (c *call) askAnyInstance(req *fasthttp.Request, over []int, until time.Time) error {
	up, tried := c.route.up, []*upstream.Instance(nil)
	for {
		at := up.Choose(c.placeKey(), tried)
		err := askAt(at, req, over, until)
		var unsent upstream.NotSent
		if tried = append(tried, at); !errors.As(err, &unsent) || len(tried) == len(up.Instances) {
			return err
		}
	}
}

// serverSessionMetrics are those of sessions at upstreams.
func (m *metrics) serverSessionMetrics() {
	m.sessions = m.counter("agent_sessions_created_total", "Sessions that were opened at upstreams which keep conversations.", "route")
	m.deletions = m.counter("agent_session_deletions_total", "Sessions of conversations that clients have deleted, by what became of them at the upstream: deleted (or gone before), or failed (they stay there).", "upstream", "result")
}
