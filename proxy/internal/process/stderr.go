package process

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"time"
	"unicode/utf8"
)

// maxStderr is how much of a line of stderr is given on.
const maxStderr = 1 << 10

// Stderr gets what a process writes to stderr.
type Stderr interface {
	// Line gets a line without its end, whole or cut. It is valid during the call.
	Line(line []byte, whole bool)
	// End says that nothing will follow.
	End()
}

// stderr is drained always: an agent must not block on output that is not needed.
type stderr struct {
	file *os.File
	to   Stderr // nil: what is written is dropped
	done chan struct{}
}

func drain(f *os.File, to Stderr) *stderr {
	s := &stderr{file: f, to: to, done: make(chan struct{})}
	go s.run()
	return s
}

func (s *stderr) run() {
	defer close(s.done)
	if s.to != nil {
		defer s.to.End()
	}
	r := bufio.NewReaderSize(s.file, 2*maxStderr)
	last := false
	for within := false; ; {
		line, more, err := r.ReadLine()
		if errors.Is(err, os.ErrDeadlineExceeded) && !last { // where processors are busy, what came in time may be unread
			last = true
			_ = s.file.SetReadDeadline(time.Now().Add(drainTime))
			continue
		}
		if err != nil {
			return
		}
		if !within && len(line) > 0 && s.to != nil {
			line, whole := printable(line)
			s.to.Line(line, whole && !more)
		}
		within = more
	}
}

// drainTime is enough to read what a pipe holds.
const drainTime = 100 * time.Millisecond

// printable makes a line valid UTF-8 and cuts it.
func printable(line []byte) (shown []byte, whole bool) {
	line = bytes.ToValidUTF8(line, []byte(string(utf8.RuneError)))
	if len(line) <= maxStderr {
		return line, true
	}
	end := maxStderr
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end], false
}

// finish waits until the last line is given on. If somebody else holds the other end, what comes within a second is the end.
func (s *stderr) finish() {
	_ = s.file.SetReadDeadline(time.Now().Add(time.Second))
	<-s.done
	_ = s.file.Close()
}
