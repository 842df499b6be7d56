package proxy

import (
	"sync"
	"sync/atomic"

	"github.com/sabir-proxy/sabir/proxy/recording"
)

// runTape holds the lines of one run in memory, up to a bound. Whoever writes to it never waits; what has no room is counted.
type runTape struct {
	filter recording.Filter
	max    int64
	shared *memoryBudget // of all tapes of one kind
	lost   counter       // what had no room, over all runs

	mu      sync.Mutex
	lines   [][]byte // whole, each with its line end
	size    int64
	taken   int64 // of shared: the first line and the last have room in any case
	dropped int64
	summary runSummary
}

// counter counts.
type counter interface{ Inc() }

// memoryBudget is memory that tapes share.
type memoryBudget struct {
	limit int64
	used  atomic.Int64
}

// take takes memory, if there is as much.
func (b *memoryBudget) take(n int64) bool {
	if b.used.Add(n) <= b.limit {
		return true
	}
	b.used.Add(-n)
	return false
}

// runSummary is what a list of runs shows of one.
type runSummary struct {
	Key      int64  `json:"key"`
	ID       string `json:"id"`
	Route    string `json:"route"`
	Upstream string `json:"upstream"`
	From     string `json:"from"`
	To       string `json:"to"`
	Began    int64  `json:"began"` // milliseconds since the Unix epoch
	Copied   bool   `json:"copied"`
	Live     bool   `json:"live"`
	Ending   string `json:"ending"`

	Took    float64 `json:"took"` // milliseconds; 0 while it is live
	Last    float64 `json:"last"` // when something came last
	Lines   int     `json:"lines"`
	Records int64   `json:"records"`
	Events  int64   `json:"events"`
	Outs    int64   `json:"outs"`
	Repairs int64   `json:"repairs"`
	Losses  int64   `json:"losses"`
	Faults  int64   `json:"faults"`
	Tools   int64   `json:"tools"`
	Asks    int64   `json:"asks"`
	Dropped int64   `json:"dropped"`
}

// put takes a line. An end always has room.
func (t *runTape) put(l *recording.Line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ends := l.Type == recording.TypeEnd
	if ends {
		l.Dropped = t.dropped
	}
	t.summary.count(l)
	text, err := recording.Append(nil, l)
	n := int64(len(text))
	if err != nil || !ends && (t.size+n > t.max || !t.shared.take(n)) {
		t.dropped++
		t.summary.Dropped = t.dropped
		t.lost.Inc()
		return
	}
	if !ends {
		t.taken += n
	}
	t.add(text)
}

// begin takes the header.
func (t *runTape) begin(h *recording.Header) {
	text, err := recording.Append(nil, h)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.add(text)
	}
}

func (t *runTape) add(text []byte) {
	t.lines, t.size = append(t.lines, text), t.size+int64(len(text))
	t.summary.Lines = len(t.lines)
}

// free gives the memory back that was taken for the lines. A run that goes on takes no more.
func (t *runTape) free() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shared.used.Add(-t.taken)
	t.lines, t.max = nil, t.size // full
}

// from returns the lines behind the first n, and whether the run has ended.
func (t *runTape) from(n int) (lines [][]byte, ended bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lines[min(n, len(t.lines)):], !t.summary.Live
}

// now is the summary as it is.
func (t *runTape) now() runSummary {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.summary
}

// count counts a line.
func (s *runSummary) count(l *recording.Line) {
	s.Last = l.At
	switch l.Type {
	case recording.TypeIn:
		s.Records++
	case recording.TypeEvent:
		s.Events++
		if isLoss(l.Disposition) {
			s.Losses++
		}
	case recording.TypeOut:
		s.Outs++
	case recording.TypeRepair:
		s.Repairs += int64(l.Times)
	case recording.TypeFault:
		s.Faults++
	case recording.TypeEnd:
		s.Live, s.Ending, s.Took = false, l.Ending, l.At
	}
}
