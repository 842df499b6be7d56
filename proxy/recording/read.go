package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Run is a recording.
type Run struct {
	File string
	Header
	Lines []Line // the last is the end
}

// maxLine bounds a line of a file, in bytes.
const maxLine = 64 << 20

// ReadFile reads a recording.
func ReadFile(path string) (*Run, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Read(path, file)
}

// Read reads a recording. Its errors say in which line of the file something is wrong.
func Read(name string, r io.Reader) (*Run, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	run := &Run{File: name}
	at := 0
	for lines.Scan() {
		at++
		if err := run.add(at, lines.Bytes()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, at, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, at+1, err)
	}
	if err := run.whole(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, at, err)
	}
	return run, nil
}

var errEmpty = errors.New("the file is empty, and no recording")

func (r *Run) add(at int, text []byte) error {
	if at == 1 {
		return r.header(text)
	}
	if n := len(r.Lines); n > 0 && r.Lines[n-1].Type == TypeEnd {
		return errors.New("a line after the end of the run")
	}
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("not a line of a recording: %w", err)
	}
	if n := len(r.Lines); n > 0 && l.At < r.Lines[n-1].At {
		return fmt.Errorf("t is %g, earlier than in the line before, %g", l.At, r.Lines[n-1].At)
	}
	if err := l.check(); err != nil {
		return err
	}
	r.Lines = append(r.Lines, l)
	return nil
}

func (r *Run) header(text []byte) error {
	if err := json.Unmarshal(text, &r.Header); err != nil || !bytes.Contains(text, []byte(`"recording"`)) {
		return errors.New("not a recording: the first line must be the header, with the member recording; a stream without one is read by sabir translate")
	}
	switch {
	case r.Version != Version:
		return fmt.Errorf("version %d of the format; this program reads version %d", r.Version, Version)
	case r.From == "" || r.To == "":
		return errors.New("the header lacks from or to, the dialects of the two sides")
	case r.Form != Content && r.Form != Shapes:
		return fmt.Errorf("the header has the form %q; want content or shapes", r.Form)
	}
	return nil
}

var types = []string{TypeRequest, TypeIn, TypeEvent, TypeOut, TypeRepair, TypeFault, TypeViolation, TypeKeepalive, TypeSent, TypeEnd}

func (l *Line) check() error {
	if !slices.Contains(types, l.Type) {
		return fmt.Errorf("the type %q is not known", l.Type)
	}
	if l.At < 0 {
		return fmt.Errorf("t is %g; times begin at 0", l.At)
	}
	if l.Type == TypeEvent && len(l.Event) == 0 {
		return errors.New("an event line without the member event")
	}
	if _, err := l.Payload(); err != nil {
		return fmt.Errorf("base64: %w", err)
	}
	return nil
}

// whole reports what a file lacks that was read to its end.
func (r *Run) whole() error {
	switch n := len(r.Lines); {
	case r.Version == 0:
		return errEmpty
	case n == 0 || r.Lines[n-1].Type != TypeEnd:
		return errors.New("the file was cut: it has no line of type end")
	}
	return nil
}

// Replayable reports why a recording cannot be replayed, nil if it can.
func (r *Run) Replayable() error {
	end := r.Lines[len(r.Lines)-1]
	switch {
	case r.Form == Shapes:
		return fmt.Errorf("%s: has shapes in place of content, so that there is nothing to replay; record with content", r.File)
	case end.Dropped > 0:
		return fmt.Errorf("%s: %d lines of the run had no room; record it again with a larger max_bytes", r.File, end.Dropped)
	}
	some := false
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Type != TypeIn {
			continue
		}
		if some = true; len(l.Shape) > 0 {
			return fmt.Errorf("%s: record %d has no content, as it was redacted or too large", r.File, l.N)
		}
	}
	if !some {
		return fmt.Errorf("%s: the agent has sent no record", r.File)
	}
	return nil
}
