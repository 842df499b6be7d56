package auditlog

import (
	"bytes"
	"io"
	"os"
)

// Stdout is the path of standard output.
const Stdout = "stdout"

// file is where lines are written.
type file struct {
	f       *os.File
	regular bool
	size    int64
	chained bool
	chain   chain
}

// longestLine is how much of the end of a file is read for its last line.
const longestLine = 1 << 20

// open opens a file to append to it. With chained, it goes on with the chain that is in it.
func open(path string, chained bool) (*file, error) {
	if path == Stdout {
		return &file{f: os.Stdout, chained: chained}, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	out := &file{f: f, chained: chained}
	if err := out.goOn(); err != nil {
		f.Close()
		return nil, err
	}
	return out, nil
}

// goOn finds the end of the file. A line that a crash has cut is ended.
func (o *file) goOn() error {
	info, err := o.f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	o.regular, o.size = true, info.Size()
	tail := make([]byte, min(o.size, longestLine))
	if _, err := o.f.ReadAt(tail, o.size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	if len(tail) > 0 && tail[len(tail)-1] != '\n' {
		if _, err := o.f.WriteString("\n"); err != nil {
			return err
		}
		o.size++
	}
	lines := bytes.Split(bytes.TrimSpace(tail), []byte("\n"))
	for i := len(lines) - 1; o.chained && i >= 0; i-- {
		if l, ok := parse(lines[i]); ok {
			o.follow(l)
			break
		}
	}
	return nil
}

// follow goes on behind a line of another process. An end of the file that is older than what this process has written is none: lines
// were removed, and the gap must show.
func (o *file) follow(l linked) {
	if l.Seq > o.chain.seq {
		o.chain = chain{seq: l.Seq, last: l.Hash}
	}
}

// write writes a line whole, or nothing of it. Another process may write to the same file: that before this one, after a hot restart, or
// one that serves beside it.
func (o *file) write(line []byte) error {
	if !o.regular {
		return o.put(line)
	}
	if err := lock(o.f); err != nil {
		return err
	}
	defer unlock(o.f)
	if info, err := o.f.Stat(); err != nil || info.Size() != o.size {
		if err := o.goOn(); err != nil {
			return err
		}
	}
	return o.put(line)
}

// put appends a line.
func (o *file) put(line []byte) error {
	next := o.chain
	if o.chained {
		line = next.link(line)
	}
	line = append(line, '\n')
	n, err := o.f.Write(line)
	if err != nil {
		if n > 0 && o.regular {
			_ = o.f.Truncate(o.size)
		}
		return err
	}
	o.size += int64(n)
	o.chain = next
	return nil
}

func (o *file) close() {
	if o.f != os.Stdout {
		o.f.Close()
	}
}
