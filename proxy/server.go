// Package proxy is the only part of Sabir that touches the network. It answers clients, asks upstreams, and moves
// streams between them through the dialects of package adapters; it alone reads, writes, flushes, counts and logs.
//
// One stream, in the order of the files: package inbound accepts a connection and receives a request on it. handle.go finds the route
// (route.go), and what it is asked for; guard.go and quota.go judge whether the client may. request.go makes the call of it, and
// requesttranslate.go writes its body for the agent. stream.go runs the call: placement.go asks an address of the upstream (package upstream;
// upstream_ws.go by WebSocket, agent.go a program, tworequest.go by two requests), and [pump] moves the answer: it reads, lets an [engine]
// translate, and writes to client.go when the input has run dry, all in one goroutine. streamreport.go counts and logs how it has ended, and
// latecancel.go reads on without it where the agent has yet to name a run that is to be cancelled.
//
// Other files are for clients that come otherwise: websocket.go and multiplex.go by WebSocket, lines.go by lines, pending.go by two
// requests, join.go to a run that others began. threads.go, recall.go and runlog.go remember what they do not send again. metrics.go has
// what is counted, and admin.go what operators see.
package proxy

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/auditlog"
	"github.com/sabir-proxy/sabir/proxy/internal/browser"
	"github.com/sabir-proxy/sabir/proxy/internal/hangup"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/overload"
)

// Server is a running proxy.
type Server struct {
	log              *zap.Logger
	metrics          *metrics
	certs            *inbound.Certificates // nil: clients are served by plain HTTP
	adminCerts       *inbound.Certificates // nil: operators are
	watch            *hangup.Watcher
	http             *fasthttp.Server
	http2            *inbound.HTTP2 // nil: clients speak HTTP/1.1 only
	idleConns        inbound.IdleConns
	pending          pendingStreams // of clients that ask by two requests
	runs             runs           // that clients can end by another request
	table            atomic.Pointer[table]
	reloading        sync.Mutex // held while a configuration takes the place of another
	bodies           inbound.BodyBudget
	perPath          openCounters
	shed             overload.Guard
	load             loadWatch
	pages            []Page // of operators, besides that of runs
	kept             conversations
	audit            *auditlog.Log // nil: there is none
	tracing          *tracing      // nil: there are no traces
	replicas         *replicas     // that share runs; nil: this process is alone
	lineConns        lineConns
	violations       *rate.Limiter // of what the log says of rules
	open             atomic.Int64
	files, hardFiles uint64        // limits of open files; 0: not known
	loopback         bool          // clients are on this machine
	leaving          chan struct{} // closed when the server begins to drain
	replaced         chan struct{} // closed when another process has the listening socket

	cancelRequests sync.WaitGroup // calls that cancel runs at their upstreams
	unnamed        atomic.Int64   // of them wait for the name of their run
	naming         time.Duration  // how long each may: maxNaming, but for tests
	owners         sync.WaitGroup // runs that are read into logs

	mu       sync.Mutex
	streams  map[*canceler]tenancy  // that are open
	running  int                    // of them are runs
	sessions map[*clientConn]*route // clients that stay between streams, and where
	draining bool
	cutting  bool      // clients that can come back at another replica are cut
	idle     sync.Cond // signalled when the last stream and session have ended
}

// New makes a server for a checked configuration. version is shown in the metrics. A server that is not needed after
// all must be given to Serve with a context that is done: it holds files from the start.
func New(cfg *config.Config, log *zap.Logger, version string) (*Server, error) {
	w, err := hangup.New()
	if err != nil {
		return nil, err
	}
	s := &Server{
		log: log, metrics: newMetrics(version), watch: w, naming: maxNaming, leaving: make(chan struct{}), replaced: make(chan struct{}),
		streams: map[*canceler]tenancy{}, sessions: map[*clientConn]*route{}, violations: violationLog(),
	}
	s.kept.prepare(log, s.metrics)
	s.kept.shared.Shorten(engine.Snapshot)
	s.kept.tap(log, s.metrics)
	s.metrics.registry.MustRegister(poolCollector{&s.kept.agents}, threadCollector{&s.kept}, sharedCollector{&s.kept.shared}, &s.kept.quotas, &s.kept.fleets, loadCollector{&s.shed})
	s.idle.L, s.load = &s.mu, s.loadWatch()
	s.http = inbound.NewHTTPServer(log, int(cfg.Limits.Header), s.handle)
	s.http.KeepHijackedConns = true // a stream gives its connection back when it is over
	s.http.ReadTimeout, s.http.WriteTimeout = cfg.Timeouts.Read, cfg.Timeouts.Write
	s.http.ErrorHandler, s.http.ConnState = s.badRequest, s.idleConns.State
	s.files, s.hardFiles = raiseFileLimit()
	if err = s.openParts(cfg, version); err != nil {
		s.closeParts()
		return nil, err
	}
	s.metrics.loaded(time.Now())
	return s, nil
}

// openParts opens what holds files and connections. After an error, some of it is open.
func (s *Server) openParts(cfg *config.Config, version string) (err error) {
	if s.replicas, err = openReplicas(&cfg.Store.Redis, &s.kept, s.log, s.metrics, s.runs.cancelNamed); err != nil {
		return err
	}
	if err = s.openCertificates(cfg); err != nil {
		return err
	}
	if err = s.setTable(cfg); err != nil {
		return err
	}
	if s.tracing, err = newTracing(cfg.Tracing, version, s.log, s.metrics); err != nil {
		return err
	}
	s.audit, err = newAudit(cfg.Audit, s.log, s.metrics)
	return err
}

// closeParts closes what openParts has opened, of a server that does not come to serve.
func (s *Server) closeParts() {
	s.tracing.close()
	s.replicas.close()
	s.watch.Close()
}

// Reload makes new streams follow cfg; running ones keep what they began with. The addresses, and the limits of
// requests as a whole, are those of the start. On error everything stays as it was.
func (s *Server) Reload(cfg *config.Config) error {
	if err := s.setTable(cfg); err != nil {
		return err
	}
	if s.audit != nil && cfg.Audit != nil {
		s.audit.Reopen(cfg.Audit.Path)
	}
	s.metrics.reloaded(true, time.Now())
	return nil
}

func (s *Server) setTable(cfg *config.Config) error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	dial := s.kept.dials.Follow(&cfg.Dial)
	t, err := newTable(cfg, s.metrics, &s.perPath, &s.kept)
	if err != nil {
		s.kept.dials.Follow(dial)
		return err
	}
	if err := s.followCertificates(cfg); err != nil {
		s.kept.dials.Follow(dial)
		t.auth.Close(s.kept.auth)
		return err
	}
	s.kept.limit(&cfg.Threads)
	s.kept.shared.Limit(int64(cfg.Store.Bytes))
	s.kept.inspect.follow(cfg)
	s.shed.Follow(overload.Settings(cfg.Limits.Shed))
	s.kept.agents.follow(t)
	if old := s.table.Swap(t); old != nil {
		old.retire(t)
	}
	s.kept.fleets.Follow(cfg)
	t.begin()
	s.kept.auth = t.auth
	return nil
}

// CountDroppedLogLines makes the metrics show how many lines of log were dropped so far; read returns it, and never less
// than before.
func (s *Server) CountDroppedLogLines(read func() int64) { s.metrics.logDropped.Store(&read) }

// ReloadFailed records that a changed configuration was refused and the old one stays.
func (s *Server) ReloadFailed() { s.metrics.reloaded(false, time.Now()) }

// Serve answers clients on ln until ctx is done. Then it takes no new streams, gives the running ones the time that
// the configuration grants, ends them, and returns. While it drains, [Server.Ready] is false and /readyz says 503, so
// end [Server.ServeAdmin] only after Serve has returned. Serve can be called once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	closed := make(chan struct{})
	defer close(closed)
	failed := make(chan error, 1)
	s.loopback = browser.IsLoopback(ln.Addr())
	started := s.table.Load().cfg
	clients := &inbound.Listener{
		Listener: ln, Header: int(started.Limits.Header), Read: started.Timeouts.Read, Closed: closed, Log: s.log,
		Metrics: s.metrics.listener(inbound.ListenerClients), Certs: s.certs,
		Limit: func() int { return connectionLimit(s.table.Load().cfg.Limits, s.files) },
	}
	s.http2 = inbound.NewHTTP2(started, ln, s.log, s.metrics.http2, s.serveStream)
	clients.HTTP2 = s.http2
	s.logLimits(clients.Limit())
	s.load.begin()
	defer s.load.end()
	go func() { failed <- s.http.Serve(clients) }()
	var err error
	select {
	case err = <-failed:
		s.refuse()
		s.drain(0)
	case <-s.replaced:
		s.handOver(ctx, ln)
	case <-ctx.Done():
		grace := s.table.Load().cfg.Timeouts.Drain
		s.refuse()
		s.cutViewers()
		s.log.Info("draining", zap.Int64("streams", s.open.Load()), zap.Duration("grace", grace))
		s.drain(grace)
	}
	err = errors.Join(err, shutdown(s.http, &s.idleConns, ln))
	s.http2.End()
	s.end()
	return err
}

// logLimits logs how many clients there may be, and why not more.
func (s *Server) logLimits(connections int) {
	s.log.Info("limits", zap.Int("connections", connections), zap.Uint64("open_files", s.files), zap.Uint64("open_files_hard", s.hardFiles))
	l := s.table.Load().cfg.Limits
	if l.Connections > connections {
		s.log.Warn("limits.connections is more than the limit of open files allows; raise that", zap.Int("limits.connections", l.Connections),
			zap.Int("connections", connections), zap.Uint64("open_files", s.files))
	}
}

// refuse makes new streams fail; the server still answers, so that balancers see why.
func (s *Server) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = true
	close(s.leaving)
}

// drain waits for running streams, ends those that take longer than grace, and returns when all have ended.
func (s *Server) drain(grace time.Duration) { s.drainUntil(context.Background(), grace, 0) }

// drainUntil is drain with another time from when ctx is done.
func (s *Server) drainUntil(ctx context.Context, grace, then time.Duration) {
	timer := time.AfterFunc(grace, s.endAll)
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() { timer.Reset(min(grace, then)) })()
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.streams)+len(s.sessions) > 0 {
		s.idle.Wait()
	}
}

func (s *Server) endAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := hub.Fail(hub.CodeShutdown, nil)
	for st := range s.streams {
		st.cancel(f)
	}
	for c := range s.sessions {
		c.limitWrite(f)
	}
}

// Streams is how many streams are open.
func (s *Server) Streams() int64 { return s.open.Load() }

// Ready reports whether new streams are accepted: from New until Serve begins to drain.
func (s *Server) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.draining
}

// tenancy is what a stream counts against while it is open.
type tenancy struct {
	route  *route
	claims claims
	client string // empty where it is no run
	freed  bool   // it does not count any more
}

// admit takes a stream in, or says why not. The canceler is called when the server ends it.
func (s *Server) admit(r *route, st *canceler, held tenancy) *hub.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.full(r); f != nil {
		return f
	}
	if held.client != "" {
		f := s.withoutFile(r)
		if f == nil {
			f = r.overloaded(s.shed.Begin(held.client))
		}
		if f != nil {
			return f
		}
		s.running++
	}
	held.route = r
	s.streams[st] = held
	s.open.Add(1)
	r.open.Add(1)
	r.metrics.open.Inc()
	return nil
}

// full says why there is no place for another stream; nil if there is.
func (s *Server) full(r *route) *hub.Failure {
	limit, own := int64(r.global.Limits.Streams), int64(r.cfg.Limits.Streams)
	switch {
	case s.draining:
		return hub.Fail(hub.CodeShutdown, nil)
	case limit > 0 && s.open.Load() >= limit:
		return r.metrics.limited(hub.CodeLimit, scopeAll)
	case own > 0 && r.open.Load() >= own:
		return r.metrics.limited(hub.CodeLimit, scopeRoute)
	}
	return nil
}

// freePlace lets another stream take the place of one that ends. The client may ask for its next run as soon as it reads the end, so
// it is called before that; the server still waits for the stream.
func (s *Server) freePlace(st *canceler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, open := s.streams[st]
	if !open || held.freed { // several runs of a client may be one stream
		return
	}
	s.kept.quotas.end(held.claims)
	if held.client != "" {
		s.running--
		s.shed.End(held.client)
	}
	s.open.Add(-1)
	held.route.open.Add(-1)
	held.route.metrics.open.Dec()
	s.streams[st] = tenancy{route: held.route, freed: true}
}

func (s *Server) finishStream(st *canceler) {
	s.freePlace(st)
	st.end()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, st)
	s.noticeIdle()
}

// enter takes in a client that stays between streams; it counts as a stream only while one runs, but there are no more such clients than
// streams may be.
func (s *Server) enter(r *route, c *clientConn) *hub.Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := r.global.Limits.Streams
	switch {
	case s.draining:
		return hub.Fail(hub.CodeShutdown, nil)
	case limit > 0 && len(s.sessions) >= limit:
		return hub.Fail(hub.CodeLimit, nil)
	}
	s.sessions[c] = r
	return nil
}

func (s *Server) leave(c *clientConn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, c)
	s.noticeIdle()
}

func (s *Server) noticeIdle() {
	if len(s.streams)+len(s.sessions) == 0 {
		s.idle.Broadcast()
	}
}
