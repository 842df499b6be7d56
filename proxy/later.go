package proxy

import (
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// A client that does not wait for its answer asks for it later, by its id: how far it is, and what it says. Its run is shared, and
// goes on without a reader.

// answersLater reports whether the client of a call can ask for the answer later.
func (c *call) answersLater(asked *hub.Request) bool {
	r := c.route
	connected := c.session != nil || c.lines != nil || c.multiplexed // such a client has its answer on its connection
	return r.logs != nil && c.sub.found && !connected && asked.Store && r.keepsAnswers() && len(asked.Answer) > 0 && c.target.dialect.AppendAnswer != nil
}

// answeredLater reports whether the run of the call is one that clients ask about later: its failures have to stand in what it says.
func (c *call) answeredLater() bool { return c.shared != nil && c.shared.About.later }

// serveShared begins the run of a call that others can come to, which its client reads, or asks for later.
func (s *Server) serveShared(c *call, conn *inbound.Conn) {
	if c.answeredLater() && c.asked.Whole {
		s.answerQueued(c, conn)
		return
	}
	s.serveViewer(&viewer{call: c, run: c.shared, asked: c.shared.About.asked, how: joinOpens}, conn)
}

// answerQueued begins the run of a call, and answers its client at once, with nothing but how the answer is called.
func (s *Server) answerQueued(c *call, conn *inbound.Conn) {
	client := &clientConn{Conn: conn, writeTimeout: c.route.cfg.Timeouts.Write}
	sink := c.httpSink(client)
	sink.unframe(conn)
	about := c.shared.About
	sink.header.Set(runHeader, about.token)
	body := c.target.dialect.AppendAnswer(nil, c.target.options, about.asked, &hub.Run{ID: about.asked.Answer, Queued: true}, new(hub.Losses))
	s.metrics.resumeJoins.WithLabelValues(c.route.name, c.target.dialect.Name, joinOpens).Inc()
	s.owners.Go(func() { s.own(c) })
	var f *hub.Failure
	err := sink.answer(func(resp *fasthttp.Response) {
		resp.Header.SetContentType("application/json")
		resp.Header.Set("Cache-Control", "no-store")
		resp.SetBody(body)
	})
	if err != nil {
		f = asFailure(err)
	}
	s.giveBack(conn, new(canceler), sink, f)
}

// runToJoin is sharedRunOf. The run of an answer that is known to go on reaches the store a little later than that does.
func (s *Server) runToJoin(r *route, key eventlog.Key) (run *sharedRun, f *hub.Failure) {
	for begun := time.Now(); ; time.Sleep(lookAgain) {
		if run, f = s.sharedRunOf(key); run != nil || f != nil || s.replicas == nil || key.Kind != byAnswer || time.Since(begun) >= lookMost {
			return run, f
		}
		if v, _ := r.threads.Find(threads.Key{Scope: key.Scope, Kind: threads.Answer, Name: key.Name}); !v.Busy {
			return run, f
		}
	}
}

// replyCancelled answers a client that cancels an answer which has ended: with the answer. It reports whether there is one.
func (s *Server) replyCancelled(ctx *fasthttp.RequestCtx, r *route, t *target, key runKey) bool {
	v, err := r.threads.Find(threads.Key{Scope: key.scope, Kind: threads.Answer, Name: key.answer})
	if err != nil || !v.Run.Ended || !v.Asked.Later {
		return false
	}
	replyAgain(ctx, t, &v)
	return true
}
