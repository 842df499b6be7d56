// Package logsink writes a log to an output that may be slow, stuck or gone, without ever making the writer of a line wait.
//
// zap's own BufferedWriteSyncer saves system calls, but a write that fills its buffer waits for the output; zerolog's diode
// does not wait, but has no bound in bytes, and its Close waits for ever.
package logsink

import (
	"bytes"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// maxWaiting bounds what waits for the output, in bytes. What is being written may be as much again.
const maxWaiting = 1 << 20

// Writer takes lines, and writes them in a goroutine of its own. Lines for which there is no room, or that the output
// does not take, are dropped and counted; when the output takes lines again, one of them says how many were lost.
type Writer struct {
	out     io.Writer
	notice  func(dropped int64) []byte
	dropped atomic.Int64
	done    chan struct{} // closed when everything is written after Close

	mu      sync.Mutex
	arrived sync.Cond
	waiting []byte
	lines   int64 // in waiting
	closed  bool
}

// New makes a writer. notice makes the line that says how many were dropped; nil for none.
func New(out io.Writer, notice func(dropped int64) []byte) *Writer {
	w := &Writer{out: out, notice: notice, done: make(chan struct{})}
	w.arrived.L = &w.mu
	go w.run()
	return w
}

// Write takes one line of log, which may have line ends inside. It never fails.
func (w *Writer) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.waiting)+len(line) > maxWaiting {
		w.dropped.Add(1)
		return len(line), nil
	}
	w.waiting = append(w.waiting, line...)
	w.lines++
	w.arrived.Signal()
	return len(line), nil
}

// Dropped is how many lines were lost so far.
func (w *Writer) Dropped() int64 { return w.dropped.Load() }

// Close waits until everything is written, but not longer than limit.
func (w *Writer) Close(limit time.Duration) {
	w.mu.Lock()
	w.closed = true
	w.arrived.Signal()
	w.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
	}
}

func (w *Writer) run() {
	defer close(w.done)
	var said int64 // how many of the dropped lines were reported
	var spare []byte
	for {
		text, lines := w.next(spare)
		if text == nil {
			return
		}
		n, err := w.out.Write(text)
		if err != nil {
			w.dropped.Add(max(lines-int64(bytes.Count(text[:n], []byte("\n"))), 0))
		} else if lost := w.Dropped(); lost > said && w.tell(lost-said) {
			said = lost
		}
		spare = text[:0]
	}
}

// next waits for lines and returns them; nil when the writer is closed and everything was taken. spare becomes the
// memory for the lines that come meanwhile.
func (w *Writer) next(spare []byte) (text []byte, lines int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) == 0 {
		if w.closed {
			return nil, 0
		}
		w.arrived.Wait()
	}
	text, lines = w.waiting, w.lines
	w.waiting, w.lines = spare, 0
	return text, lines
}

// tell writes that lines were dropped, and reports whether that worked.
func (w *Writer) tell(dropped int64) bool {
	if w.notice == nil {
		return true
	}
	_, err := w.out.Write(w.notice(dropped))
	return err == nil
}
