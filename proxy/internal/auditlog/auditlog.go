// Package auditlog writes lines of JSON to a file, from one goroutine, so that no stream waits for a disk. Lines can be chained by their
// hashes.
//
// auditlog.go is the queue, file.go the file, chain.go the chain and its verification.
package auditlog

import (
	"bytes"
	"strconv"
	"sync"
	"sync/atomic"
)

// Config says where lines go.
type Config struct {
	Path  string // "stdout", or a file, which is appended to
	Chain bool
	Queue int // lines that may wait

	Count  func(result string, lines int) // ok, failed or dropped
	Report func(err error)                // once until writing works again
}

// Log takes lines. It is safe for concurrent use.
type Log struct {
	cfg    Config
	lines  chan []byte
	reopen chan string
	done   sync.WaitGroup
	lost   atomic.Int64 // since the last line that says so

	mu     sync.RWMutex
	closed bool

	out     *file
	failing bool
}

// Open makes a log, whose file must be there or can be made.
func Open(cfg Config) (*Log, error) {
	out, err := open(cfg.Path, cfg.Chain)
	if err != nil {
		return nil, err
	}
	l := &Log{cfg: cfg, lines: make(chan []byte, cfg.Queue), reopen: make(chan string, 1), out: out}
	l.done.Go(l.run)
	return l, nil
}

// Write takes a line, which is one JSON object, and keeps it. Where too many wait, the line is dropped, and the next one says so.
func (l *Log) Write(line []byte) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.closed {
		select {
		case l.lines <- line:
			return
		default:
		}
	}
	l.lost.Add(1)
	l.cfg.Count("dropped", 1)
}

// Reopen opens the file again, or another, after it was moved away.
func (l *Log) Reopen(path string) {
	select {
	case l.reopen <- path:
	default: // it is about to
	}
}

// Close writes what waits.
func (l *Log) Close() {
	l.mu.Lock()
	already := l.closed
	if l.closed = true; !already {
		close(l.lines)
	}
	l.mu.Unlock()
	l.done.Wait()
}

func (l *Log) run() {
	defer func() { l.out.close() }()
	for {
		select {
		case path := <-l.reopen:
			l.openAgain(path)
		case line, more := <-l.lines:
			if !more {
				return
			}
			l.write(line)
		}
	}
}

// openAgain leaves the old file in use where the new one cannot be opened.
func (l *Log) openAgain(path string) {
	out, err := open(path, l.cfg.Chain)
	if err != nil {
		l.cfg.Report(err)
		return
	}
	if l.cfg.Chain && out.chain.seq == 0 {
		out.chain = l.out.chain // a new file goes on with the chain of the old one
	}
	l.out.close()
	l.out = out
}

// write writes one line. One that cannot be written is lost, and the next one says so.
func (l *Log) write(line []byte) {
	lost := l.lost.Swap(0)
	if lost > 0 {
		line = append(bytes.TrimSuffix(line, []byte("}")), `,"lost":`...)
		line = append(strconv.AppendInt(line, lost, 10), '}')
	}
	err := l.out.write(line)
	if err == nil {
		l.failing = false
		l.cfg.Count("ok", 1)
		return
	}
	l.lost.Add(lost + 1)
	l.cfg.Count("failed", 1)
	if !l.failing {
		l.failing = true
		l.cfg.Report(err)
	}
}
