package proxy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/adapters/redact"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/stages"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/auth"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/runlog"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// table is a configuration made ready to serve. It never changes: a reload swaps in another.
type table struct {
	cfg       *config.Config
	exact     map[string]*route
	prefixes  []*route // longest first
	upstreams map[string]*upstream.Upstream
	redacting map[string][]*route // with redact, by the name of their upstream
	maxBody   int                 // the largest request body of any route
	auth      *auth.Schemes
}

// route is a path of the table.
type route struct {
	cfg          *config.Route
	name         string // its path; that of the whole for a part
	part         part
	global       *config.Config
	up           *upstream.Upstream
	uri          string // of its requests, where clients add nothing
	source       *hub.Dialect
	options      hub.Options // of the source
	framing      wire.Framing
	form         requestForm        // of requests for the upstream
	sessions     *hub.SessionServer // nil: the upstream is asked for runs alone
	targets      []*target          // in the order of the registry; one unless client is auto
	redact       *redact.Rules      // what must not leave; nil: anything may
	first        *target            // without a wish of the client's
	allow        map[string]bool    // request headers to pass on, lower case
	methods      map[string]bool
	principal    []string        // header fields that separate conversations, in their canonical form
	guard        *auth.Guard     // who may call; nil: everybody
	vouched      map[string]bool // header fields that only the guard may set, by fieldKey
	metrics      *routeMetrics
	unrecognised prometheus.Counter // records that are not of the source's dialect
	threads      threads.Store      // of clients that say only what is new
	said         *saidLocks         // of conversations without a name
	runs         runlog.Store       // that clients ask about
	open         *atomic.Int64      // streams open on this path, over all reloads
	logs         *logs              // of runs that outlive their clients; nil: none does
	tape         *logs              // the same, and of runs that are begun by commands; nil: there are none
	hasQuotas    bool               // requests count against accounts
	taps         *routeTaps         // who sees the runs
}

// newTable makes everything of a configuration ready, or nothing. Metrics and counters of a path outlive the table.
func newTable(cfg *config.Config, m *metrics, counters *openCounters, kept *conversations) (*table, error) {
	schemes, err := newSchemes(cfg, m, kept)
	if err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	t := &table{cfg: cfg, maxBody: int(cfg.LargestBody()), exact: map[string]*route{}, redacting: map[string][]*route{}, upstreams: map[string]*upstream.Upstream{}, auth: schemes}
	if err := t.fill(m, counters, kept); err != nil {
		schemes.Close(kept.auth)
		return nil, err
	}
	return t, nil
}

func (t *table) fill(m *metrics, counters *openCounters, kept *conversations) error {
	cfg := t.cfg
	known, err := dialectsOf(cfg)
	if err != nil {
		return err
	}
	for name, u := range cfg.Upstreams {
		up, err := upstream.New(u, cfg, &kept.dials, &kept.fleets)
		if err != nil {
			return fmt.Errorf("upstream %s: %w", name, err)
		}
		t.upstreams[name] = up
	}
	for _, rc := range cfg.Routes {
		r, err := newRoute(cfg, rc, t.upstreams[rc.Upstream], known)
		if err != nil {
			return fmt.Errorf("route %s: %w", rc.Path, err)
		}
		if r.guard, err = t.auth.Guard(rc.Auth); err != nil {
			return fmt.Errorf("route %s: %w", rc.Path, err)
		}
		r.vouched = vouchedFields(cfg, rc)
		r.up.Agents = kept.agents.of(r.up.Cfg, cfg, r.source, r.options)
		r.threads, r.said, r.runs = kept.threads, &kept.said, kept.runs
		r.taps = newRouteTaps(kept, r)
		r.metrics, r.open = m.forRoute(rc.Path), counters.of(rc.Path)
		r.unrecognised = r.metrics.source(r.source.Name)
		if r.redact != nil {
			t.redacting[rc.Upstream] = append(t.redacting[rc.Upstream], r)
		}
		t.add(r)
		for _, part := range r.parts() {
			t.add(part)
		}
	}
	return nil
}

// add puts a route in its place.
func (t *table) add(r *route) {
	prefix, ok := strings.CutSuffix(r.cfg.Path, "/*")
	if !ok {
		t.exact[r.cfg.Path] = r
		return
	}
	at := 0
	for at < len(t.prefixes) && len(t.prefixes[at].cfg.Path) >= len(prefix)+2 {
		at++
	}
	t.prefixes = append(t.prefixes[:at], append([]*route{r}, t.prefixes[at:]...)...)
}

// find returns the route for a path and what the path has beyond it, as the client has escaped it.
func (t *table) find(path urls.Path) (r *route, rest string) {
	if r := t.exact[path.Plain]; r != nil {
		return r, ""
	}
	for _, r := range t.prefixes {
		base := strings.TrimSuffix(r.cfg.Path, "/*")
		if rest, ok := strings.CutPrefix(path.Plain, base); ok && (rest == "" || rest[0] == '/') {
			return r, path.Beyond(strings.Count(base, "/"))
		}
	}
	return nil, ""
}

// begin begins what upstreams do beside runs.
func (t *table) begin() {
	for _, u := range t.upstreams {
		u.Begin()
	}
}

// retire closes the idle connections of all upstreams, and what next, which may be nil, does not need; streams that run go on.
func (t *table) retire(next *table) {
	var schemes *auth.Schemes
	if next != nil {
		schemes = next.auth
	}
	t.auth.Close(schemes)
	for _, u := range t.upstreams {
		u.Retire()
	}
}

func newRoute(cfg *config.Config, rc *config.Route, up *upstream.Upstream, known []*hub.Dialect) (*route, error) {
	source, err := lookup(known, up.Cfg.Dialect)
	if err != nil {
		return nil, err
	}
	r := &route{cfg: rc, name: rc.Path, global: cfg, up: up, source: source, allow: fields.Set(rc.Headers.Allow...), methods: fields.Set(rc.Methods...)}
	r.uri = upstreamURI(&up.Cfg.URL.URL, "", "")
	for _, field := range cfg.Threads.Principal {
		r.principal = append(r.principal, string(fasthttp.AppendNormalizedHeaderKey(nil, field)))
	}
	if r.options, err = parseOptions(source, up.Cfg.Options, cfg); err != nil {
		return nil, err
	}
	if r.framing, err = wire.ParseFraming(up.Cfg.Framing); err != nil {
		return nil, err
	}
	if r.framing == wire.Auto && up.WebSocket() {
		r.framing = wire.WebSocket // nothing to recognise: a message is a record
	}
	if err := r.findRequestForm(known); err != nil {
		return nil, err
	}
	if r.redact, err = newRedaction(&rc.Redact); err != nil {
		return nil, fmt.Errorf("redact: %w", err)
	}
	r.sessions = sessionServerOf(up.Cfg, source)
	if source.NewDecoder == nil {
		return nil, fmt.Errorf("upstream %s: the dialect %s cannot be read", up.Cfg.Name, source.Name)
	}
	if err := r.findTargets(known); err != nil {
		return nil, err
	}
	r.hasQuotas = hasQuotas(cfg, rc)
	return r, r.findLogs()
}

// dialects is the registry; tests have some dialects more.
var dialects = adapters.All

// dialectsOf are the registry and the dialects that the configuration declares.
func dialectsOf(cfg *config.Config) ([]*hub.Dialect, error) {
	var c adapters.Catalog
	for _, name := range slices.Sorted(maps.Keys(cfg.Declared)) {
		if problems := c.Declare(name, cfg.Declared[name]); len(problems) > 0 {
			return nil, fmt.Errorf("dialect %s: %s", name, problems[0])
		}
	}
	own := c.All()[len(adapters.All()):]
	return slices.Concat(dialects(), own), nil
}

func lookup(known []*hub.Dialect, name string) (*hub.Dialect, error) {
	for _, d := range known {
		if d.Name == name {
			return d, nil
		}
	}
	return adapters.Lookup(name)
}

// findTargets makes the dialects that the route can answer in.
func (r *route) findTargets(known []*hub.Dialect) error {
	def := r.cfg.Client
	if def == config.Auto {
		def = r.cfg.Default
	}
	for _, d := range known {
		if d.NewEncoder == nil || r.cfg.Client != config.Auto && r.cfg.Client != d.Name {
			continue
		}
		t, err := newTarget(d, r.global, r.cfg)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, t)
		if d.Name == def {
			r.first = t
		}
	}
	if r.first == nil {
		return fmt.Errorf("there is no dialect %q to answer in", def)
	}
	return nil
}

// target returns what answers in a dialect; nil if the route has it not.
func (r *route) target(name string) *target {
	for _, t := range r.targets {
		if t.dialect.Name == name {
			return t
		}
	}
	return nil
}

// copies reports whether the answer to a request is copied instead of translated.
func (r *route) copies(t *target, asked *hub.Request) bool {
	return r.source == t.dialect && r.redact == nil && r.up.Agents == nil && engine.Alike(t.dialect, r.options, t.options, asked)
}

// mapsIDs reports whether ids are made unique over the turns of a thread for clients of a dialect.
func (r *route) mapsIDs(to *hub.Dialect) bool {
	switch r.cfg.Shape.IDs {
	case "thread":
		return true
	case "agent":
		return false
	}
	return !to.AgentIDs
}

// engine returns an engine for the answer to a request, framed for the client as f, and what counts for it.
func (r *route) engine(t *target, f wire.Framing, asked *hub.Request) (engine.Engine, *wire.Out, *engine.Stats) {
	if r.copies(t, asked) {
		return r.copier(t, f)
	}
	p := r.pipeline(t, r.answersWhole(t, asked))
	p.Out.SetFraming(f)
	return p, p.Out, p.Stats
}

// copier returns an engine that copies the answer.
func (r *route) copier(t *target, f wire.Framing) (engine.Engine, *wire.Out, *engine.Stats) {
	c := engine.NewCopier(r.pipelineConfig(t), wire.NewOut(f), t.framing == wire.Auto)
	r.measure(c)
	return c, c.Out, c.Stats
}

// answersWhole reports whether a request is answered in one piece.
func (r *route) answersWhole(t *target, asked *hub.Request) bool {
	return asked != nil && asked.Whole && t.dialect.AppendAnswer != nil && !r.copies(t, asked)
}

// pipeline returns a pipeline that is used again, or a new one. It knows of no stream.
func (r *route) pipeline(t *target, whole bool) *engine.Pipeline {
	pool := &t.engines
	if whole {
		pool = &t.wholes
	}
	if p, ok := pool.Get().(*engine.Pipeline); ok {
		return p
	}
	c := r.pipelineConfig(t)
	c.Whole = whole
	return engine.NewPipeline(c)
}

func (r *route) pipelineConfig(t *target) engine.Config {
	settle := r.source.EndGrace
	if r.up.Cfg.Settle != nil {
		settle = *r.up.Cfg.Settle
	}
	hold := r.global.Hold
	return engine.Config{
		From: r.source, FromOptions: r.options, Framing: r.framing, MaxRecord: int(r.global.Limits.Record), MaxKept: int(r.global.Limits.KeptText),
		To: t.dialect, ToOptions: t.options,
		Bounds: sequencer.Bounds{Events: hold.Events, Bytes: int(hold.Bytes), Age: hold.Age}, EndGrace: settle,
		Policy: settings(&r.cfg.Shape), Redact: r.redact,
	}
}

// settings are the policies of a route, whose names the configuration has checked.
func settings(s *config.Shape) policy.Settings {
	subAgents, _ := hub.ParseSubAgentMode(s.SubAgents)
	out := policy.Settings{
		Classes: map[hub.Class]hub.Policy{}, Extension: s.Extension, SubAgents: subAgents, Linear: s.Linear,
		Correct: s.Corrections == "repeat", Coalesce: s.Coalesce,
		Filter: stages.FilterConfig{Tools: s.Filter.Tools, Data: s.Filter.Data},
	}
	for name, word := range s.Policy.Classes() {
		class, _ := hub.ParseClass(name)
		if p, _ := hub.ParsePolicy(word); p != hub.PolicyDefault {
			out.Classes[class] = p
		}
	}
	for _, name := range s.Filter.Classes {
		class, _ := hub.ParseClass(name)
		out.Filter.Classes = append(out.Filter.Classes, class)
	}
	return out
}
