package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// ErrLongLine ends the stream of an agent whose line is longer than Spec.MaxLine.
var ErrLongLine = errors.New("a line of the agent is longer than allowed")

// ErrHeader ends the stream of an agent whose messages do not begin with their length, as Spec.Headers wants it.
var ErrHeader = errors.New("a message of the agent does not begin with its length")

const (
	minRead = 4 << 10
	maxRead = 64 << 10 // as much as a pipe holds
)

// maxSlurp is what is kept at the end of what the pipe still holds: as much as a pipe may hold without privilege.
const maxSlurp = 1 << 20

// lines is stdout of an agent.
type lines struct {
	file *os.File
	max  int
	msgs *messages     // nil: src has lines
	done chan struct{} // closed when src holds all that is to come

	limits   sync.Mutex // never held for long
	until    time.Time  // when a read returns; zero: when there is something to read
	finishes bool       // finish has taken over

	mu   sync.Mutex // held while something is read
	src  io.Reader
	rest []byte // the beginning of a line
	err  error
}

func newLines(f *os.File, limit int) *lines {
	return &lines{file: f, src: f, max: limit, done: make(chan struct{})}
}

func (l *lines) next(dst []byte) ([]byte, error) {
	l.limit(time.Time{})
	piece, err := l.piece(dst)
	for errors.Is(err, os.ErrDeadlineExceeded) {
		<-l.done // finish has taken over
		piece, err = l.piece(piece)
	}
	return piece, err
}

// nextUntil is next for a reader that waits until a time at most. Once finish has taken over, the error is os.ErrClosed, and next has the rest.
func (l *lines) nextUntil(dst []byte, until time.Time) ([]byte, error) {
	l.limit(until)
	piece, err := l.piece(dst)
	if errors.Is(err, os.ErrDeadlineExceeded) && !l.limit(time.Time{}) {
		err = os.ErrClosed
	}
	return piece, err
}

// wake makes nextUntil return: the one that waits, or else the next one.
func (l *lines) wake() { l.limit(time.Unix(1, 0)) }

// limit says when a read is to return, unless finish has taken over. An earlier time stands, until there is to be none.
func (l *lines) limit(until time.Time) (ok bool) {
	l.limits.Lock()
	defer l.limits.Unlock()
	stands := until.Equal(l.until) || !until.IsZero() && !l.until.IsZero() && l.until.Before(until)
	if !l.finishes && !stands {
		l.until = until
		_ = l.file.SetReadDeadline(until)
	}
	return !l.finishes
}

// piece reads until there is a whole line.
func (l *lines) piece(dst []byte) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return dst, l.err
	}
	line := len(dst) // where the line begins whose end is looked for
	dst = append(dst, l.rest...)
	l.rest = nil
	for {
		old := len(dst)
		var err error
		dst, err = l.read(dst)
		end, long := l.wholeLines(dst, line, old)
		switch {
		case long && end == line:
			return dst[:line], l.fail(ErrLongLine)
		case end > line:
			l.rest = bytes.Clone(dst[end:])
			return dst[:end], nil
		case err == io.EOF && len(dst) > line:
			return append(dst, '\n'), nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			l.rest = bytes.Clone(dst[line:])
			return dst[:line], err
		case err != nil:
			return dst[:line], l.fail(err)
		}
	}
}

// read appends what is there. A line that grows gets memory by what has arrived of it. A read that leaves no room says that more was
// waiting: the next may take more at once.
func (l *lines) read(dst []byte) ([]byte, error) {
	if l.msgs != nil {
		return l.msgs.read(dst, l.src)
	}
	if cap(dst)-len(dst) < minRead {
		dst = slices.Grow(dst, max(minRead, min(cap(dst), maxRead/2)))
	}
	room := dst[len(dst):min(cap(dst), len(dst)+maxRead)]
	n, err := l.src.Read(room)
	if n > 0 && err != nil {
		err = nil // it comes again
	}
	if dst = dst[:len(dst)+n]; n == len(room) && cap(dst) < maxRead {
		dst = slices.Grow(dst, min(3*cap(dst), maxRead))
	}
	return dst, err
}

// wholeLines returns where the last whole line ends before one that is too long. dst[line:old] has no line end.
func (l *lines) wholeLines(dst []byte, line, old int) (end int, long bool) {
	if len(dst)-line <= l.max {
		if i := bytes.LastIndexByte(dst[old:], '\n'); i >= 0 {
			line = old + i + 1
		}
		return line, false
	}
	for {
		i := bytes.IndexByte(dst[old:], '\n')
		if i < 0 {
			return line, len(dst)-line > l.max
		}
		if old+i-line > l.max {
			return line, true
		}
		line = old + i + 1
		old = line
	}
}

// fail ends the stream. The rest is not read: an agent that goes on writing gets an error instead of waiting for ever.
func (l *lines) fail(err error) error {
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	l.err = err
	_ = l.file.Close()
	return err
}

// finish gives up the pipe when all that wrote to it has ended, and keeps what is in it. If somebody else holds the other
// end, what comes within a second is the end.
func (l *lines) finish() {
	l.limits.Lock()
	l.finishes = true
	_ = l.file.SetReadDeadline(time.Now()) // a piece that is being read returns
	l.limits.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	defer close(l.done)
	if l.err != nil {
		return
	}
	_ = l.file.SetReadDeadline(time.Now().Add(time.Second))
	var held bytes.Buffer
	_, _ = io.Copy(&held, io.LimitReader(l.file, maxSlurp))
	_ = l.file.Close()
	l.src = &held
}
