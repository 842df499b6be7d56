package proxy

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/runstore"
)

// On a route with resume, a run belongs to the server and not to the connection of its client. Its upstream is read into a log, in the
// dialect native, and every client reads the log: the one that began the run, one that comes back, and one that comes late. Each
// reads it from the beginning, with an encoder of its own, which leaves out the records that the client has.
//
// Where the client that begins the run speaks as the upstream does, the log has the records of the upstream as they are, see keptrecords.go.

// sharedRuns are the runs that clients can come to.
type sharedRuns = eventlog.Runs[*shared]

type sharedRun = eventlog.Run[*shared]

// Kinds of names of a run.
const (
	byToken  = "token"
	byThread = "thread"
	byRun    = "run"
	byAnswer = "answer"
	byRepeat = "repeat"
)

// shared is what is known of a run beside its log.
type shared struct {
	token    string // names the run to its clients
	records  string // the dialect of the records in its log; "" for events
	body     string // the hash of the request's, where it may be repeated
	asked    *hub.Request
	canceler *canceler
	metrics  *routeMetrics
	grace    time.Duration
	turn     *lineTurn     // of the editor that began it; nil: no editor did, or at another replica
	said     []hub.Message // by the user of the editor
	over     chan struct{} // closed when it has ended; nil: no turn waits for that
	later    bool          // clients ask for its answer later: it goes on whether anybody reads it or not
	remote   *runstore.Run // what other replicas read; nil: none do
	owner    string        // the replica that reads the agent; "" for this one

	mu      sync.Mutex
	viewers int
	leaving *time.Timer // ends the run; nil while there are viewers
}

// logs is what a route with resume needs beside.
type logs struct {
	target  *target            // the log
	viewers map[string]*target // by the dialect of the client
	sharer  *sharer            // nil: there are no links to runs
}

// newLogs makes it ready.
func newLogs(r *route) (*logs, error) {
	sharer, err := newSharer(r)
	if err != nil {
		return nil, err
	}
	options := native.Dialect.Defaults()
	options.Nesting = r.global.Limits.Nesting
	l := &logs{target: &target{dialect: &native.Dialect, options: options}, viewers: map[string]*target{}, sharer: sharer}
	for _, t := range r.targets {
		l.viewers[t.dialect.Name] = &target{dialect: t.dialect, options: t.options, framing: t.framing}
	}
	return l, nil
}

// share takes the run of a call in and makes others able to come to it, if that can be. One that is refused is not known to anybody: it would
// stand before the run of its thread that goes on.
func (s *Server) share(c *call) *hub.Failure {
	if !c.canOutlive() {
		return nil
	}
	r := c.route
	asked := *c.asked
	asked.Detach()
	about := &shared{
		token: newToken(), asked: &asked, canceler: new(canceler), metrics: r.metrics, grace: r.grace(), later: asked.Later && r.translates(c.target),
	}
	if r.copies(c.target, c.asked) && c.gathered == nil {
		about.records = r.source.Name
	}
	if c.lines != nil {
		about.turn, about.said, about.over = c.lines, c.newMessages(), make(chan struct{})
	}
	if c.claim != nil {
		about.token, about.body = c.claim.token, c.claim.body
	}
	if f := s.admitRun(c, about.canceler); f != nil {
		return f
	}
	c.shared = s.kept.shared.Begin(about, int(r.cfg.Resume.Bytes), about.records != "", c.names(about.token)...)
	if s.replicas != nil {
		s.replicas.announce(c)
	}
	return nil
}

// canOutlive reports whether the run of a call can be one that others come to: what it asks for is understood, and its answer is a stream.
func (c *call) canOutlive() bool {
	r, asked := c.route, c.asked
	switch {
	case r.logs == nil && c.sub.op != hub.OpCommand, asked == nil || asked.Prepare, c.pending != nil || c.session != nil:
		return false
	case r.translates(c.target) && !r.copies(c.target, asked):
		return !r.answersWhole(c.target, asked) || asked.Later
	}
	return r.logs != nil && c.asksForStream()
}

// names are those under which clients find the run of a call.
func (c *call) names(token string) []eventlog.Key {
	key := func(kind, name string) eventlog.Key { return eventlog.Key{Scope: c.scope, Kind: kind, Name: name} }
	names := []eventlog.Key{
		key(byToken, token), key(byThread, plainText(c.asked.Thread)), key(byRun, plainText(c.asked.Run)), key(byAnswer, plainText(c.asked.Answer)),
	}
	if c.claim != nil {
		names = append(names, c.claim.key)
	}
	return names
}

// newToken is 128 bits by chance: some clients name a run by nothing else.
func newToken() string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	return hex.EncodeToString(random[:])
}

// own moves the answer to a call into the log of its run, whether anybody reads it or not.
func (s *Server) own(c *call) {
	run := c.shared
	sink := &logSink{log: run.Log, remote: run.About.remote}
	if c.route.cfg.Resume.Write == config.WriteAhead && s.replicas != nil {
		sink.ahead = s.replicas.lease
	}
	_ = s.run(c, run.About.canceler, sink) // counted and logged there
	c.release()
	var failed error
	if sink.failed != nil {
		failed = sink.failed
	}
	if run.About.remote != nil {
		s.replicas.ended(run, sink.failed)
	}
	s.kept.shared.End(run, failed, c.route.keepsEnded())
	run.About.finish()
}

// finish tells who waits for the end of the run that it is there.
func (a *shared) finish() {
	if a.over != nil {
		close(a.over)
	}
}

// giveUp ends the run of a call before it has begun. The editor whose turn it was learns of that by the failure.
func (s *Server) giveUp(c *call, f *hub.Failure) {
	defer s.finishStream(c.shared.About.canceler)
	c.endThread()
	c.release()
	if c.shared.About.remote != nil {
		s.replicas.ended(c.shared, f)
	}
	s.kept.shared.End(c.shared, f, 0)
}

// enter counts a client that reads the run.
func (a *shared) enter(log *eventlog.Log) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.viewers++; a.leaving != nil && a.leaving.Stop() {
		a.countGrace(log, "returned")
	}
	a.leaving = nil
}

// leave ends the run if no client returns.
func (a *shared) leave(log *eventlog.Log) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.viewers--; a.viewers > 0 || log.Ended() || a.owner != "" || a.later {
		return
	}
	a.leaving = time.AfterFunc(a.grace, func() {
		a.countGrace(log, "expired")
		a.canceler.cancel(hub.Fail(hub.CodeRunUnread, nil))
	})
}

// watched reports whether clients read the run here.
func (a *shared) watched() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.viewers > 0
}

// stay lets a run go on that has clients at another replica.
func (a *shared) stay() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.leaving != nil && a.leaving.Stop() {
		a.leaving.Reset(a.grace)
	}
}

// countGrace counts what came of a run without a client, unless it has ended in the meantime by itself.
func (a *shared) countGrace(log *eventlog.Log, end string) {
	if !log.Ended() {
		a.metrics.all.resumeGrace.WithLabelValues(a.metrics.route, end).Inc()
	}
}

// logSink is the log of a run.
type logSink struct {
	log    *eventlog.Log
	remote *runstore.Run // the same for other replicas; nil: none
	ahead  time.Duration // how long clients wait for it; 0: not at all
	began  bool
	copied *engine.Copier // that writes the records of a copied stream; nil: they are events
	failed *hub.Failure   // before the first record, or where nothing else says so
}

// begin implements sink.
func (s *logSink) begin(*wire.Out) {}

// write implements sink.
func (s *logSink) write(out *wire.Out) error {
	s.began = true
	s.say(out.Buf)
	return nil
}

// end implements sink.
func (s *logSink) end(out *wire.Out, f *hub.Failure) error {
	if s.began || f == nil || out.Records > 0 {
		s.say(out.Buf)
		f = nil // it is said
		if s.copied != nil {
			f = s.copied.Unsaid
		}
	}
	s.failed = f
	if s.remote != nil {
		endRemote(s.remote, f) // here, else a client that has read the last record cancels it as one that goes on, at another replica
	}
	if f == nil {
		s.log.End(nil)
	} else {
		s.log.End(f)
	}
	return nil
}

func (s *logSink) say(p []byte) {
	if s.remote != nil && s.ahead > 0 {
		s.remote.AppendAhead(p, s.ahead)
		s.log.Append(p)
		return
	}
	s.log.Append(p)
	if s.remote != nil {
		s.remote.Append(p)
	}
}

// takeLogEngine takes the engine that writes the log, and returns where it goes back to.
func (x *stream) takeLogEngine(log *logSink) *target {
	c, r := x.call, x.call.route
	if c.shared.About.records != "" {
		log.copied = r.recordsCopier(c.target)
		x.engine, x.pump.out, x.stats = log.copied, log.copied.Out, log.copied.Stats
		return c.target
	}
	p := r.logEngine()
	x.engine, x.pump.out, x.stats = p, p.Out, p.Stats
	return r.tape.target
}

// logEngine returns an engine that translates the answer for the log: nothing that a client's dialect or the route would change is
// changed there.
func (r *route) logEngine() *engine.Pipeline {
	p, ok := r.tape.target.engines.Get().(*engine.Pipeline)
	if !ok {
		c := r.pipelineConfig(r.tape.target)
		c.Policy = policy.Settings{}
		p = engine.NewPipeline(c)
	}
	p.Reset()
	p.Out.SetFraming(wire.NDJSON)
	return p
}

// eventsEngine returns an engine that translates a log of events for a client.
func (r *route) eventsEngine(t *target, f wire.Framing) *engine.Pipeline {
	p, ok := t.engines.Get().(*engine.Pipeline)
	if !ok {
		c := r.pipelineConfig(t)
		c.From, c.FromOptions, c.Framing, c.EndGrace = r.tape.target.dialect, r.tape.target.options, wire.NDJSON, 0
		c.MaxRecord = int(r.cfg.Resume.Bytes) // it has none that is larger
		c.Redact = nil                        // the log holds what may leave
		p = engine.NewPipeline(c)
	}
	p.Reset()
	p.Out.SetFraming(f)
	return p
}

// sharedCollector shows what is held when metrics are read.
type sharedCollector struct{ runs *sharedRuns }

var (
	resumeRunsDesc  = prometheus.NewDesc("sabir_resume_runs", "Runs that clients can come back to, by whether they go on (live) or have ended (finished).", []string{"state"}, nil)
	resumeBytesDesc = prometheus.NewDesc("sabir_resume_log_bytes", "Bytes of memory that the records of these runs take.", nil, nil)
	resumeFullDesc  = prometheus.NewDesc("sabir_resume_full_total", "How often a run had said more than is kept of it: a snapshot took the place of a part of it (shortened), or its beginning is gone (cut).", []string{"did"}, nil)
)

// Describe implements [prometheus.Collector].
func (c sharedCollector) Describe(to chan<- *prometheus.Desc) {
	to <- resumeRunsDesc
	to <- resumeBytesDesc
	to <- resumeFullDesc
}

// Collect implements [prometheus.Collector].
func (c sharedCollector) Collect(to chan<- prometheus.Metric) {
	live, finished, bytes := c.runs.Count()
	to <- prometheus.MustNewConstMetric(resumeRunsDesc, prometheus.GaugeValue, float64(live), "live")
	to <- prometheus.MustNewConstMetric(resumeRunsDesc, prometheus.GaugeValue, float64(finished), "finished")
	to <- prometheus.MustNewConstMetric(resumeBytesDesc, prometheus.GaugeValue, float64(bytes))
	shortened, cut := c.runs.Full()
	to <- prometheus.MustNewConstMetric(resumeFullDesc, prometheus.CounterValue, float64(shortened), "shortened")
	to <- prometheus.MustNewConstMetric(resumeFullDesc, prometheus.CounterValue, float64(cut), "cut")
}
