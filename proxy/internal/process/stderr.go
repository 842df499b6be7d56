package process

import (
	"bufio"
	"bytes"
	"os"
	"time"
	"unicode/utf8"
)

// maxStderr is how much of a line of stderr is given on.
const maxStderr = 1 << 10

// stderr is drained always: an agent must not block on output that is not needed.
type stderr struct {
	file *os.File
	line func([]byte)
	done chan struct{}
}

func drain(f *os.File, line func([]byte)) *stderr {
	if line == nil {
		line = func([]byte) {}
	}
	s := &stderr{file: f, line: line, done: make(chan struct{})}
	go s.run()
	return s
}

func (s *stderr) run() {
	defer close(s.done)
	r := bufio.NewReaderSize(s.file, 2*maxStderr)
	for within := false; ; {
		line, more, err := r.ReadLine()
		if err != nil {
			return
		}
		if !within && len(line) > 0 {
			s.line(printable(line))
		}
		within = more
	}
}

// printable makes a line valid UTF-8 and cuts it.
func printable(line []byte) []byte {
	line = bytes.ToValidUTF8(line, []byte(string(utf8.RuneError)))
	if len(line) <= maxStderr {
		return line
	}
	end := maxStderr
	for !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end]
}

// finish waits until the last line is given on. If somebody else holds the other end, what comes within a second is the end.
func (s *stderr) finish() {
	_ = s.file.SetReadDeadline(time.Now().Add(time.Second))
	<-s.done
	_ = s.file.Close()
}
