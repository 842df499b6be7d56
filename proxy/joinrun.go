package proxy

import (
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// joinRun holds a request for what came of a run back until the run has ended, if its log says when that is. Whatever else there is to
// say of the run is said by the answer.
func (s *Server) joinRun(ctx *fasthttp.RequestCtx, r *route, sub *subpath) *hub.Failure {
	if sub.op != hub.OpJoinRun || r.logs == nil {
		return nil
	}
	if _, past, f := r.findRun(ctx, sub); f != nil || past.Ended {
		return nil
	}
	run, f := s.sharedRunOf(eventlog.Key{Scope: r.scopeOf(ctx), Kind: byRun, Name: sub.params["run"]})
	if f != nil || run == nil {
		return f
	}
	st := new(canceler)
	if f := s.admit(r, st, tenancy{}); f != nil {
		return f
	}
	defer s.finishStream(st)
	defer s.watchClient(inbound.ConnOf(ctx), func() { st.cancel(hub.Fail(hub.CodeClientGone, nil)) })()
	return awaitEnd(run, r.cfg.Resume.Viewers, st)
}

// awaitEnd reads a run to its end as one of its clients, so that it goes on for as long as somebody waits.
func awaitEnd(run *sharedRun, viewers int, st *canceler) *hub.Failure {
	reader, err := run.Open(viewers)
	if err != nil {
		return joinFailure(err)
	}
	defer reader.Close()
	run.About.enter(run.Log)
	defer run.About.leave(run.Log)
	quit := make(chan struct{})
	st.OnCancel(func() { close(quit) })
	defer st.OnCancel(nil)
	for {
		p, err := reader.Next()
		if err != nil {
			return nil
		}
		if len(p) > 0 {
			continue
		}
		select {
		case <-reader.Wake():
		case <-quit:
			return st.Failure()
		}
	}
}
