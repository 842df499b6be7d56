package proxy

import (
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/recording"
)

// routeTaps are those who want to see the runs of a route.
type routeTaps struct {
	inspect *inspector
	files   *recordingFiles
	cfg     *config.Record // nil: runs are not recorded
	filter  recording.Filter
	turn    atomic.Int64 // of the runs that could be recorded
}

// tap makes those ready who see runs of all routes.
func (k *conversations) tap(log *zap.Logger, m *metrics) {
	k.inspect = newInspector(m.tapDropped.WithLabelValues("page"))
	k.files = newRecordingFiles(log, m.tapDropped.WithLabelValues("files"), func(result string) { m.recordings.WithLabelValues(result).Inc() })
}

func newRouteTaps(kept *conversations, r *route) *routeTaps {
	rc := r.cfg
	t := &routeTaps{inspect: kept.inspect, files: kept.files}
	if rc.Record.Dir != "" {
		t.cfg = &rc.Record
		t.filter = recording.Filter{Form: recording.Form(rc.Record.Form), Redact: rc.Record.Redact, Max: maxTapped, Hide: r.redact != nil}
	}
	return t
}

// wanted reports whether somebody may want to see the next run.
func (t *routeTaps) wanted() bool { return t.cfg != nil || t.inspect.wanted() }

// begin returns the tapes that a run is written to, and what is to be called at its end.
func (t *routeTaps) begin(c *call) (tapes []*runTape, done func()) {
	if t.inspect.wanted() {
		tapes = append(tapes, t.inspect.tape(c))
	}
	if t.cfg == nil || (t.turn.Add(1)-1)%int64(t.cfg.Every) != 0 {
		return tapes, func() {}
	}
	tape := t.files.tape(t)
	return append(tapes, tape), func() { t.files.keep(t.cfg, c.id, tape) }
}

// inspector holds the runs that the page of operators shows.
type inspector struct {
	dropped counter

	form     atomic.Pointer[recording.Form] // nil: the page is off
	always   atomic.Bool                    // also while no page is open
	watching atomic.Int64                   // pages

	mu     sync.Mutex
	next   int64
	runs   []*runTape // oldest first
	memory memoryBudget
}

// Bounds of what the page shows.
const (
	maxInspected   = 200       // runs
	maxInspectedMB = 64 << 20  // bytes of all runs
	maxRunShown    = 4 << 20   // bytes of one run
	maxPages       = 8         // that are open at the same time, each with two streams
	liveRunsAtMost = 10 * 1000 // more cannot be listed
)

func newInspector(dropped counter) *inspector {
	return &inspector{dropped: dropped, memory: memoryBudget{limit: maxInspectedMB}}
}

// follow takes over what the configuration says.
func (i *inspector) follow(cfg *config.Config) {
	if cfg.Inspect == config.Off {
		i.form.Store(nil)
		return
	}
	form := recording.Form(cfg.Inspect)
	i.form.Store(&form)
}

// wanted reports whether the page shows the next run. A table that no server serves has no page.
func (i *inspector) wanted() bool {
	return i != nil && i.form.Load() != nil && (i.watching.Load() > 0 || i.always.Load())
}

// tape begins a run.
func (i *inspector) tape(c *call) *runTape {
	form := recording.Content
	if f := i.form.Load(); f != nil {
		form = *f
	}
	t := &runTape{filter: recording.Filter{Form: form, Max: maxTapped, Hide: c.route.redact != nil}, max: maxRunShown, shared: &i.memory, lost: i.dropped}
	t.summary = runSummary{
		ID: c.id, Route: c.route.cfg.Path, Upstream: c.route.up.Cfg.Name, From: c.source(), To: c.target.dialect.Name,
		Began: time.Now().UnixMilli(), Live: true, Copied: c.route.copies(c.target, c.asked),
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.next++
	t.summary.Key = i.next
	i.runs = append(i.runs, t)
	i.forget()
	return t
}

// forget lets go of the oldest runs that have ended, while there are too many, or half the memory is taken by them.
func (i *inspector) forget() {
	for n := 0; n < len(i.runs) && (len(i.runs) > maxInspected || i.memory.used.Load() > i.memory.limit/2); {
		if i.runs[n].now().Live && len(i.runs) < liveRunsAtMost {
			n++
			continue
		}
		i.runs[n].free()
		i.runs = append(i.runs[:n], i.runs[n+1:]...)
	}
}

// find returns a run, nil if it is not there any more.
func (i *inspector) find(key int64) *runTape {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, t := range i.runs {
		if t.summary.Key == key { // it never changes
			return t
		}
	}
	return nil
}

// list returns all runs.
func (i *inspector) list() []*runTape {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]*runTape(nil), i.runs...)
}

// InspectAlways shows on the page of operators also the runs that begin while no page is open.
func (s *Server) InspectAlways() { s.kept.inspect.always.Store(true) }
