package proxy

import (
	"bytes"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/redact"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/sessions"
)

// stderrLines is how many lines of stderr are logged in stderrTime.
const (
	stderrLines = 20
	stderrTime  = 10 * time.Second
)

// stderrLog logs what one process writes to stderr. A process serves many conversations, so that what must not leave by any route to its
// upstream is masked.
type stderrLog struct {
	of      *agentObserver
	routes  *[]*route // that lines searches for
	lines   redact.Lines
	pending []byte // the beginning of a line, up to a match that may go on in the next
}

// Stderr implements [sessions.Observer].
func (o *agentObserver) Stderr() sessions.Stderr {
	if !o.logStderr {
		return nil
	}
	return &stderrLog{of: o}
}

// Line implements [sessions.Stderr].
func (l *stderrLog) Line(line []byte, whole bool) {
	l.follow()
	l.write(l.lines.Add(line, whole))
}

// End implements [sessions.Stderr].
func (l *stderrLog) End() {
	l.write(l.lines.End())
	if len(l.pending) > 0 {
		l.write([]byte{'\n'})
	}
}

// follow makes the lines be searched by what the routes of today say.
func (l *stderrLog) follow() {
	routes := l.of.routes.Load()
	if routes == l.routes {
		return
	}
	l.End()
	l.routes, l.lines = routes, redact.Lines{}
	for _, r := range *routes {
		l.lines.Search(r.redact, r.countMasked)
	}
}

// write logs the lines that are whole by now.
func (l *stderrLog) write(text []byte) {
	for line := range bytes.Lines(append(l.pending, text...)) {
		if body, whole := bytes.CutSuffix(line, []byte{'\n'}); whole {
			l.of.stderrLine(body)
			l.pending = nil
		} else {
			l.pending = bytes.Clone(line)
		}
	}
}

// stderrLine logs a line, unless there were many.
func (o *agentObserver) stderrLine(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now := time.Now(); now.Sub(o.since) > stderrTime {
		o.since, o.written = now, 0
	}
	if o.written++; o.written <= stderrLines {
		o.log.Info("agent wrote to stderr", zap.ByteString("line", line))
	}
}

// countMasked counts a match in what is no stream.
func (r *route) countMasked(name string) {
	s := engine.Stats{}
	s.CountRedaction(name)
	r.countRedactions(&s)
}
