package eventlog

import (
	"bytes"
	"errors"
	"slices"
)

// ErrPlace says that a snapshot of a log cannot end where one is asked for.
var ErrPlace = errors.New("no snapshot of the run ends there")

// leastShortened is how many bytes a run has said of which a reader that comes late gets a snapshot.
const leastShortened = 16 << 10

// shortens reports whether snapshots are made of the log.
func (l *Log) shortens() bool { return l.runs.shorten != nil && !l.opaque }

// OpenLate begins to read a log with a snapshot of what the run has said so far. Where that would not be half as long, the reader gets
// what was said. [Reader.Snapshot] tells.
func (l *Log) OpenLate(most int) (*Reader, error) {
	l.mu.Lock()
	end := l.lineEnd()
	if !l.shortens() || end-l.gone+int64(len(l.short)) < leastShortened {
		defer l.mu.Unlock()
		return l.open(most)
	}
	r, pieces, err := l.openAt(most, end)
	l.mu.Unlock()
	if err != nil {
		return nil, err
	}
	lines := bytes.Join(pieces, nil)
	if r.short = l.shortFor(lines); len(r.short) <= len(lines)/2 {
		return r, nil
	}
	r.Close()
	return l.Open(most)
}

// OpenAt begins to read a log as an earlier reader did that [Reader.Snapshot] has said so of; 0 is one that got what was said.
func (l *Log) OpenAt(most int, of int64) (*Reader, error) {
	l.mu.Lock()
	r, pieces, err := l.openAt(most, of)
	l.mu.Unlock()
	if err == nil && of > 0 {
		r.short = l.shortFor(bytes.Join(pieces, nil))
	}
	return r, err
}

// Snapshot is how many bytes of the run the snapshot stands for that a reader gets in their place, 0 for none.
func (r *Reader) Snapshot() int64 { return r.of }

// shortFor makes the snapshot for a reader.
func (l *Log) shortFor(lines []byte) []byte {
	l.shortening.Lock()
	defer l.shortening.Unlock()
	return slices.Clip(l.runs.shorten(lines))
}

// openAt places a reader behind so many bytes of the run, and returns those before, in pieces that begin with the snapshot of those that
// are gone.
func (l *Log) openAt(most int, of int64) (r *Reader, pieces [][]byte, err error) {
	if of < l.gone {
		return nil, nil, ErrCut
	}
	if r, err = l.open(most); err != nil {
		return nil, nil, err
	}
	pieces, left := append(pieces, l.short), of-l.gone
	for _, c := range l.chunks {
		n := int(min(left, int64(len(c))))
		pieces, left = append(pieces, c[:n:n]), left-int64(n)
		if r.at = n; left == 0 {
			break
		}
		r.chunk++
	}
	if r.short, r.of = nil, of; left > 0 || !endsLine(pieces) || of > 0 && !l.shortens() {
		delete(l.readers, r)
		return nil, nil, ErrPlace
	}
	return r, pieces, nil
}

// endsLine reports whether what stands in pieces ends with a line, or is nothing.
func endsLine(pieces [][]byte) bool {
	for _, p := range slices.Backward(pieces) {
		if n := len(p); n > 0 {
			return p[n-1] == '\n'
		}
	}
	return true
}

// lineEnd is how many bytes the run has said up to the end of its last whole line.
func (l *Log) lineEnd() int64 {
	end := l.gone
	for _, c := range l.chunks {
		end += int64(len(c))
	}
	for _, c := range slices.Backward(l.chunks) {
		if i := bytes.LastIndexByte(c, '\n'); i >= 0 {
			return end - int64(len(c)-i-1)
		}
		end -= int64(len(c))
	}
	return end
}

// shorten puts a snapshot in the place of the older half of the log, and reports whether that frees an eighth of it. The caller is the
// only one that adds to the log, or takes from it.
func (l *Log) shorten() bool {
	if l.cut || !l.shortens() {
		return false
	}
	n, size := l.olderHalf()
	lines := slices.Concat(l.short, bytes.Join(unwrap(l.chunks[:n]), nil))
	end := bytes.LastIndexByte(lines, '\n') + 1
	var short []byte
	l.unlocked(func() { short = slices.Clone(l.runs.shorten(lines[:end])) })
	rest := slices.Clip(bytes.Clone(lines[end:]))
	freed := cap(l.short) + size - cap(short) - cap(rest)
	if end == 0 || freed < l.held/8 {
		return false
	}
	l.gone += int64(len(lines) - len(l.short) - len(rest))
	l.pass(n, len(rest))
	l.chunks = append([]chunk{rest}, l.chunks[n:]...)
	l.memory.add(cap(short) + cap(rest) - cap(l.short) - size)
	l.held, l.short, l.first = l.held-freed, short, l.first+n-1
	l.runs.shortened.Add(1)
	if l.OnShort != nil {
		l.OnShort(short, l.gone)
	}
	return true
}

// unlocked lets readers go on for as long as f takes.
func (l *Log) unlocked(f func()) {
	l.mu.Unlock()
	defer l.mu.Lock()
	f()
}

// olderHalf is how many chunks hold the older half of the log, and how large they are.
func (l *Log) olderHalf() (n, size int) {
	for n < len(l.chunks) && (n == 0 || size < l.held/2) {
		size += cap(l.chunks[n])
		n++
	}
	return n, size
}

func unwrap(chunks []chunk) (all [][]byte) {
	for _, c := range chunks {
		all = append(all, c)
	}
	return all
}

// pass moves readers that have read the first n chunks, but for the rest of a line, and cuts those that have not.
func (l *Log) pass(n, rest int) {
	last := l.first + n - 1
	whole := len(l.chunks[n-1])
	for r := range l.readers {
		switch {
		case r.chunk > last || r.err != nil:
		case r.chunk == last && r.at >= whole-rest:
			r.at -= whole - rest
		default:
			r.err = ErrSlow
		}
	}
}

// cutShort notes that the log loses its beginning.
func (l *Log) cutShort() {
	if !l.cut {
		l.runs.cuts.Add(1)
	}
	l.dropShort()
}

// dropShort lets go of the snapshot. No reader can begin any more.
func (l *Log) dropShort() {
	l.memory.add(-cap(l.short))
	l.held -= cap(l.short)
	l.short, l.cut = nil, true
}

// Restore makes a log that is empty begin with the snapshot of so many bytes, which another log had. Who reads it already is cut, and has
// to come again.
func (l *Log) Restore(short []byte, of int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone = of
	for r := range l.readers {
		r.err = ErrSlow
	}
	if len(short) > l.limit || !l.memory.has(len(short), l.evict) {
		l.cutShort()
		return
	}
	l.short = slices.Clone(short)
	l.memory.add(cap(l.short))
	l.held += cap(l.short)
}
