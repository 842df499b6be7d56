package proxy

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// metrics are all metrics of the proxy. Every label has a closed set of values: routes and dialects come from the
// configuration, the others from the vocabularies of package hub.
type metrics struct {
	registry *prometheus.Registry

	// Streams and requests.
	streams        *prometheus.CounterVec
	open           *prometheus.GaugeVec
	rejected       *prometheus.CounterVec
	cancels        *prometheus.CounterVec
	cancelRequests *prometheus.CounterVec
	parameters     *prometheus.CounterVec
	requestLosses  *prometheus.CounterVec
	answerLosses   *prometheus.CounterVec
	answers        *prometheus.CounterVec
	keepalives     *prometheus.CounterVec
	recordings     *prometheus.CounterVec
	tapDropped     *prometheus.CounterVec
	retries        *prometheus.CounterVec
	sessions       *prometheus.CounterVec // at servers that keep them
	deletions      *prometheus.CounterVec // of these
	resumeJoins    *prometheus.CounterVec
	storeEvents    *prometheus.CounterVec
	resumeGrace    *prometheus.CounterVec

	// Connections of clients and operators.
	conns        *prometheus.GaugeVec
	refusedConns *prometheus.CounterVec
	acceptErrors *prometheus.CounterVec

	// TLS, and who may call.
	handshakes *prometheus.CounterVec
	certReads  *prometheus.CounterVec
	certExpiry *prometheus.GaugeVec
	http2      inbound.HTTP2Metrics
	auth       *prometheus.CounterVec
	keyFetches *prometheus.CounterVec
	limits     *prometheus.CounterVec
	shed       *prometheus.CounterVec
	denied     *prometheus.CounterVec
	ejections  *prometheus.CounterVec
	failovers  *prometheus.CounterVec

	// What is in them.
	events     *prometheus.CounterVec
	losses     *prometheus.CounterVec
	repairs    *prometheus.CounterVec
	faults     *prometheus.CounterVec
	violations *prometheus.CounterVec
	copied     *prometheus.CounterVec
	bytes      *prometheus.CounterVec
	tokens     *prometheus.CounterVec
	turns      *prometheus.CounterVec
	unknown    *prometheus.CounterVec

	redactions *prometheus.CounterVec
	spans      *prometheus.CounterVec
	auditLines *prometheus.CounterVec

	// Agents that are programs.
	sessionTurns *prometheus.CounterVec
	processes    *prometheus.CounterVec
	outgrown     *prometheus.CounterVec
	asks         *prometheus.CounterVec
	partial      *prometheus.CounterVec

	// Times. Their buckets are wide: an agent takes from milliseconds to minutes.
	firstEvent *prometheus.HistogramVec
	gap        *prometheus.HistogramVec
	duration   *prometheus.HistogramVec
	firstToken *prometheus.HistogramVec
	tokenGap   *prometheus.HistogramVec

	// The configuration.
	reloads    *prometheus.CounterVec
	reloadOK   prometheus.Gauge
	reloadTime prometheus.Gauge

	logDropped atomic.Pointer[func() int64] // how many lines of log were dropped; nil while they are not counted

	mu      sync.Mutex
	byRoute map[string]*routeMetrics
	byLabel map[string][]partly // those whose series can be gone

	goneSince map[value]time.Time // when what is gone was first found to be; of who reads the metrics
	keepGone  time.Duration       // keepGone, but for tests
}

const namespace = "sabir"

func newMetrics(version string) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), byRoute: map[string]*routeMetrics{}, byLabel: map[string][]partly{}, goneSince: map[value]time.Time{}, keepGone: keepGone}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.streamMetrics()
	m.connMetrics()
	m.authMetrics()
	m.quotaMetrics()
	m.shedMetrics()
	m.addressMetrics()
	m.eventMetrics()
	m.sessionMetrics()
	m.timeMetrics()
	m.reloads = m.counter("config_reloads_total", "Attempts to load a changed configuration, by result (ok, failed).", "result")
	m.reloads.WithLabelValues("ok") // so that both are there before they happen
	m.reloads.WithLabelValues("failed")
	m.reloadOK = m.gauge("config_last_reload_successful", "1 if the configuration in use is the one on disk as it was last read, 0 if that was refused.")
	m.reloadTime = m.gauge("config_last_reload_success_timestamp_seconds", "When the configuration in use was loaded.")
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: "log_lines_dropped_total",
		Help: "Lines of log that were dropped because their reader was too slow, or gone."}, m.droppedLogLines))
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info", Help: "1, with the version as a label."}, []string{"version"})
	m.registry.MustRegister(build)
	build.WithLabelValues(version).Set(1)
	return m
}

// ambiguousGauge has the name, in OpenMetrics, of the family of the counter go_memstats_alloc_bytes_total. go_memstats_heap_alloc_bytes says
// the same.
const ambiguousGauge = "go_memstats_alloc_bytes"

// shown gathers the metrics for who reads them: each family has a name of its own, also in OpenMetrics.
func (m *metrics) shown() ([]*dto.MetricFamily, error) {
	families, err := m.registry.Gather()
	return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool { return f.GetName() == ambiguousGauge }), err
}

func (m *metrics) droppedLogLines() float64 {
	if read := m.logDropped.Load(); read != nil {
		return float64((*read)())
	}
	return 0
}

func (m *metrics) streamMetrics() {
	m.streams = m.counter("streams_total", "Streams that ended, by route, dialects and how they ended (a reason such as done, or an error code).", "route", "from", "to", "ending")
	m.open = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "streams_open", Help: "Streams that are open."}, []string{labelRoute})
	m.registry.MustRegister(m.open)
	m.labelled(m.open, []string{labelRoute})
	m.rejected = m.counter("requests_rejected_total", "Requests that were refused before an upstream was asked.", "code")
	for _, code := range rejections { // so that they are there before they happen
		m.rejected.WithLabelValues(code)
	}
	m.cancels = m.counter("upstream_cancels_total", "Upstreams that were closed before their end, by who ended the stream (client, proxy).", "route", "by")
	m.cancelRequests = m.counter("cancel_requests_total", "Requests that cancel runs at upstreams which go on with them when their connection is closed, by what became of them: sent, failed, or unnamed (the agent had not named the run, which goes on there).", "upstream", "result")
	m.parameters = m.counter("query_parameters_dropped_total", "Parameters of clients' queries that stand in the upstream's URL as well.", "route")
	m.requestLosses = m.counter("request_losses_total", "Requests with something that the upstream's dialect has no place for, by what it is.", "route", "to", "field")
	m.answerLosses = m.counter("answer_losses_total", "Answers in one piece with something that the client's dialect has no place for, by what it is.", "route", "to", "field")
	m.answers = m.counter("upstream_responses_total", "Answers of upstreams by HTTP status, whatever became of them; 101 is a WebSocket.", "route", "status")
	m.serverSessionMetrics()
	m.resumeJoins = m.counter("resume_joins_total", "Clients that came to a run which outlives its connections, by how: opens, start, snapshot, position, or the code of what kept them from it.", "route", "dialect", "how")
	m.resumeGrace = m.counter("resume_grace_total", "Runs without a client, by what came of them: one returned, or the time for that expired and the run was ended.", "route", "end")
	m.storeEvents = m.counter("resume_store_events_total", "What happened between replicas that share runs: error of the store, lost (a run that others cannot read any more), fenced (a run of this replica that another has ended), orphan (a run that this replica has ended for one that is gone), turn_lost (a turn that later ones do not know of).", "event")
	m.recordings = m.counter("recordings_total", "Runs that were to be recorded, by what became of the file: written, failed, or dropped because the disk did not keep up.", "result")
	m.tapDropped = m.counter("tap_lines_dropped_total", "Lines about runs that were dropped for lack of room, by where they would have gone: page (inspect) or files (record).", "sink")
	m.keepalives = m.counter("keepalives_total", "Signs of life (keepalives) sent to clients.", "route")
	m.retries = m.counter("upstream_retries_total", "Requests that were sent again on a new connection, because the upstream had closed the kept one.", "upstream")
}

func (m *metrics) connMetrics() {
	m.conns = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: "connections_open", Help: "Connections that are open, by listener (clients, admin)."}, []string{"listener"})
	m.registry.MustRegister(m.conns)
	m.refusedConns = m.counter("connections_refused_total", "Connections that were refused because too many were open.", "listener")
	m.acceptErrors = m.counter("accept_errors_total", "Failures to accept a connection because the system was short of something, such as open files.", "listener")
	m.listener(inbound.ListenerClients) // so that all are there before anything happens
	m.listener(inbound.ListenerAdmin)
}

// listener returns the metrics of a listener.
func (m *metrics) listener(name string) inbound.ListenerMetrics {
	return inbound.ListenerMetrics{
		Name: name, Open: m.conns.WithLabelValues(name), Refused: m.refusedConns.WithLabelValues(name),
		Fail: m.acceptErrors.WithLabelValues(name),
	}
}

func (m *metrics) eventMetrics() {
	m.events = m.counter("events_total", "Canonical events, decoded (in) and encoded (out).", "route", "direction", "kind")
	m.losses = m.counter("event_losses_total", "Events that the client's dialect could not carry natively, by what became of them.", "route", "kind", "fate")
	m.repairs = m.counter("repairs_total", "What the sequencer repaired, by rule.", "route", "repair")
	m.violations = m.counter("violations_total", "Where streams break the rules of their dialects, on routes with conformance, by whose they are (agent, client).", "side", "dialect", "rule")
	m.faults = m.counter("record_errors_total", "Records that could not be decoded, wholly or in part.", "route", "reason")
	m.unknown = m.counter("records_unrecognised_total", "Records that are not of the upstream's dialect, as the configuration names it.", "route", "from")
	m.copied = m.counter("records_copied_total", "Records passed on as they are, where both sides speak the same dialect.", "route")
	m.tokens = m.counter("tokens_total", "Tokens, as agents report them at the end of a run, by type (input includes cached, output includes reasoning). Copied streams are read for a limit of tokens only. model is that of the request where the configuration names it, else other.", "route", "model", "type")
	m.redactions = m.counter("redactions_total", "Matches of what must not leave, by the name of the pattern and what became of them (mask, block).", "route", "name", "action")
	m.spans = m.counter("trace_spans_total", "Spans of runs, by what became of them (ok, failed, dropped).", "result")
	m.auditLines = m.counter("audit_lines_total", "Lines of the audit, by what became of them (ok, failed, dropped).", "result")
	m.turns = m.counter("turns_total", "Requests whose conversation was read, by what is new in it (message, results, answers, regenerate, other).", "route", "client", "new")
	m.bytes = m.counter("bytes_total", "Bytes of stream bodies, read from upstreams (in) and written to clients (out).", "route", "direction")
}

func (m *metrics) sessionMetrics() {
	m.sessionTurns = m.counter("session_turns_total", "Turns of agents that are programs, by what their session knew: new, known, resumed in a new process, or given what was said elsewhere.", "upstream", "session")
	m.processes = m.counter("processes_started_total", "Processes of agents that were started.", "upstream")
	m.outgrown = m.counter("processes_outgrown_total", "Processes of agents that were killed because they held more memory than process.memory.", "upstream")
	m.asks = m.counter("asks_total", "Questions of agents that are programs, by what became of them: asked, answered, allowed and denied for clients that cannot answer, expired, dropped. Of servers that wait, those that were allowed and denied; of those that take answers by names, also forgotten.", "upstream", "outcome")
	m.partial = m.counter("partial_answers_total", "Requests that answered some of the questions with which a run had ended, and were asked again for the rest.", "route")
}

func (m *metrics) timeMetrics() {
	m.firstEvent = m.histogram("first_event_seconds", "From the request to the first record for the client.", prometheus.ExponentialBuckets(0.005, 2, 14), "route")
	m.gap = m.histogram("event_gap_seconds", "Time between two pieces of a stream that arrive from the upstream.", prometheus.ExponentialBuckets(0.001, 4, 9), "route")
	m.firstToken = m.histogram("first_token_seconds", "From the request to the first piece of a text or of arguments. Copied streams are not read.", prometheus.ExponentialBuckets(0.005, 2, 14), "route", "model")
	m.tokenGap = m.histogram("token_gap_seconds", "Between two tokens of a run, on average, where its agent says how many they were.", prometheus.ExponentialBuckets(0.0005, 2, 14), "route", "model")
	m.duration = m.histogram("stream_duration_seconds", "How long streams took, from the request to the end.", prometheus.ExponentialBuckets(0.05, 3, 10), "route")
}

// fromZero shows values of a label before anything of them was counted: a counter that begins above zero has no increase, so that no alert sees
// the first one.
func fromZero(c *prometheus.CounterVec, values ...string) {
	for _, value := range values {
		c.WithLabelValues(value)
	}
}

func (m *metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	m.labelled(c, labels)
	return c
}

func (m *metrics) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	m.registry.MustRegister(g)
	return g
}

func (m *metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	m.labelled(h, labels)
	return h
}

// routeMetrics are the children of one route, looked up once: looking up labels costs more than counting.
type routeMetrics struct {
	all   *metrics
	route string

	open                       prometheus.Gauge
	in, out                    [hub.NumKinds]prometheus.Counter
	losses                     [hub.NumKinds][hub.NumDispositions]atomic.Pointer[prometheus.Counter]
	repairs                    [sequencer.NumRepairs]prometheus.Counter
	copied, keepalives         prometheus.Counter
	parameters                 prometheus.Counter
	bytesIn, bytesOut          prometheus.Counter
	firstEvent, gap, durations prometheus.Observer
	cancels                    map[string]prometheus.Counter // by who: client, proxy

	answers              children[int, prometheus.Counter] // by status
	endings              children[ending, prometheus.Counter]
	turns                children[news, prometheus.Counter]
	firstToken, tokenGap children[string, prometheus.Histogram] // by model
}

// source makes the counter of records which the dialect of a route's upstream does not know. A reload may change the dialect.
func (r *routeMetrics) source(dialect string) prometheus.Counter {
	return r.all.unknown.WithLabelValues(r.route, dialect)
}

// forRoute returns the metrics of a route. They outlive reloads, see goneseries.go.
func (m *metrics) forRoute(path string) *routeMetrics {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.byRoute[path]; r != nil {
		return r
	}
	r := &routeMetrics{
		all: m, route: path,
		open:       m.open.WithLabelValues(path),
		copied:     m.copied.WithLabelValues(path),
		keepalives: m.keepalives.WithLabelValues(path),
		parameters: m.parameters.WithLabelValues(path),
		bytesIn:    m.bytes.WithLabelValues(path, "in"),
		bytesOut:   m.bytes.WithLabelValues(path, "out"),
		firstEvent: m.firstEvent.WithLabelValues(path),
		gap:        m.gap.WithLabelValues(path),
		durations:  m.duration.WithLabelValues(path),
		cancels: map[string]prometheus.Counter{
			"client": m.cancels.WithLabelValues(path, "client"), "proxy": m.cancels.WithLabelValues(path, "proxy"),
		},
	}
	for _, k := range hub.Kinds() {
		r.in[k] = m.events.WithLabelValues(path, "in", k.String())
		r.out[k] = m.events.WithLabelValues(path, "out", k.String())
	}
	for _, rep := range sequencer.Repairs() {
		r.repairs[rep] = m.repairs.WithLabelValues(path, rep.String())
	}
	m.byRoute[path] = r
	return r
}

// add moves what was counted since the last call into the metrics. before is what they know of the totals.
func (r *routeMetrics) add(now *engine.Stats, before *engine.Progress, unrecognised prometheus.Counter) {
	for k := range now.Events.Kinds() {
		if n := now.Events.In[k]; n > 0 {
			r.in[k].Add(float64(n))
		}
		r.addOut(k, &now.Events.Out[k])
	}
	now.Settle()
	if now.Repairs != before.Repairs {
		for i := range now.Repairs {
			if d := now.Repairs[i] - before.Repairs[i]; d > 0 {
				r.repairs[i].Add(float64(d))
			}
		}
	}
	advance(r.copied, now.Copied, before.Copied)
	advance(unrecognised, now.Unrecognised, before.Unrecognised)
	advance(r.bytesIn, now.BytesIn, before.BytesIn)
	advance(r.bytesOut, now.BytesOut, before.BytesOut)
	for reason, n := range now.Faults {
		if d := n - before.Faults[reason]; d > 0 {
			r.all.faults.WithLabelValues(r.route, string(reason)).Add(float64(d))
		}
	}
	before.CatchUp(now)
}

func advance(c prometheus.Counter, now, before int64) {
	if now > before {
		c.Add(float64(now - before))
	}
}

// addOut counts the events of kind k that were encoded, and those that lost something on the way.
func (r *routeMetrics) addOut(k int, dispositions *[hub.NumDispositions]uint32) {
	for f, n := range dispositions {
		if n == 0 {
			continue
		}
		r.out[k].Add(float64(n))
		if hub.Disposition(f) >= hub.Extension {
			r.loss(k, f).Add(float64(n))
		}
	}
}

// lost counts what a client of a shared run has lost, whose events are counted where the run is read.
func (r *routeMetrics) lost(s *engine.Stats, wrote int64) {
	for k := range s.Events.Kinds() {
		for f, n := range s.Events.Out[k] {
			if n > 0 && hub.Disposition(f) >= hub.Extension {
				r.loss(k, f).Add(float64(n))
			}
		}
	}
	r.bytesOut.Add(float64(wrote))
}

// loss is made on first use: few of the many combinations ever happen. Two streams may make one at the same time;
// they get the same child.
func (r *routeMetrics) loss(k, f int) prometheus.Counter {
	if c := r.losses[k][f].Load(); c != nil {
		return *c
	}
	c := r.all.losses.WithLabelValues(r.route, hub.Kind(k).String(), hub.Disposition(f).String())
	r.losses[k][f].Store(&c)
	return c
}

// reject counts a request that never became a stream.
func (m *metrics) reject(code string) { m.rejected.WithLabelValues(code).Inc() }

// loaded records when the configuration in use was loaded.
func (m *metrics) loaded(at time.Time) {
	m.reloadOK.Set(1)
	m.reloadTime.Set(float64(at.Unix()))
}

// reloaded records an attempt to load a changed configuration.
func (m *metrics) reloaded(ok bool, at time.Time) {
	if !ok {
		m.reloads.WithLabelValues("failed").Inc()
		m.reloadOK.Set(0)
		return
	}
	m.reloads.WithLabelValues("ok").Inc()
	m.loaded(at)
}
