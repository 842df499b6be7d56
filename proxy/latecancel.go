package proxy

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Some agents go on with a run when its connection is closed, and name it in their answer alone. Where a stream ends before that, its answer is
// read on, without the stream, until it has named the run. The connection is closed once the run is cancelled.

// maxNaming bounds that in time, timeouts.first_byte of the upstream if that is less; it is a part of maxCancelRequest. maxNamingBytes bounds it in
// bytes, and maxUnnamed how many streams that have ended may wait so.
const (
	maxNaming      = 3 * time.Second
	maxNamingBytes = 256 << 10
	maxUnnamed     = 1000
)

// lateAnswer is an answer whose stream has ended before the run had a name.
type lateAnswer struct {
	asked *upstream.Unanswered // nil: the header is there
	src   source               // nil: it is not
	buf   rawio.Buffer
}

// newLateAnswer is one of which something has been read, and a read of which may have been woken.
func newLateAnswer(src source, read rawio.Buffer) *lateAnswer {
	if body, ok := src.(interface{ Resume() }); ok {
		body.Resume()
	}
	return &lateAnswer{src: src, buf: read}
}

// A finder finds out in an answer whose stream has ended what ends its run; nil for nothing, as none goes on.
type finder func(l *lateAnswer, until time.Time) (*hub.SessionCall, error)

// errUnnamed is why a run is not cancelled that goes on.
var errUnnamed = errors.New("its agent has not named the run")

// close gives the answer up.
func (l *lateAnswer) close() {
	switch {
	case l == nil:
	case l.src != nil:
		l.src.Close()
		l.buf.Release()
	case l.asked != nil:
		l.asked.Abort()
	}
}

// header waits for the header of the answer, which is nil where the run was refused, or the header had come before.
func (l *lateAnswer) header(until time.Time) (*upstream.Body, error) {
	asked := l.asked
	if l.asked = nil; asked == nil {
		return nil, nil
	}
	body, err := asked.Await(until)
	if err != nil {
		return nil, err
	}
	if !isSuccess(body.Status) {
		body.Refuse()
		return nil, nil
	}
	l.src = body
	if body.Compressed() {
		plain, err := decompressed(body)
		if err != nil {
			l.src = nil // it is closed
			return nil, err
		}
		l.src = plain
	}
	return body, nil
}

// inHeader is the [finder] of what stands in the header.
func inHeader(call func(header func(string) string) hub.SessionCall) finder {
	return func(l *lateAnswer, until time.Time) (*hub.SessionCall, error) {
		body, err := l.header(until)
		if err != nil || body == nil {
			return nil, err
		}
		what := call(func(name string) string { return string(body.Header.Peek(name)) })
		if len(what.Path) == 0 {
			return nil, errUnnamed
		}
		return &what, nil
	}
}

// inAnswer is the [finder] of what the whole answer says.
func inAnswer(call func(answer []byte) (hub.SessionCall, error)) finder {
	return func(l *lateAnswer, until time.Time) (*hub.SessionCall, error) {
		if _, err := l.header(until); err != nil || l.src == nil {
			return nil, err
		}
		if err := readWhole(l.src, &l.buf, maxBegun, until); err != nil {
			return nil, err
		}
		what, err := call(l.buf.Unread())
		return &what, err
	}
}

// inStream is the [finder] of the name that a stream gives its run.
func inStream(c engine.Config, named func(run []byte) hub.SessionCall) finder {
	return func(l *lateAnswer, until time.Time) (*hub.SessionCall, error) {
		if _, err := l.header(until); err != nil || l.src == nil {
			return nil, err
		}
		run := engine.NewRunName(c)
		if err := l.search(run, until); err != nil || run.Over || len(run.Name) == 0 {
			return nil, err
		}
		what := named(run.Name)
		return &what, nil
	}
}

// search reads until the stream has named its run, or has ended.
func (l *lateAnswer) search(run *engine.RunName, until time.Time) error {
	read := 0
	for eof := false; ; {
		used, err := run.Feed(l.buf.Unread(), eof)
		if l.buf.Used(used); err != nil || eof || run.Over || len(run.Name) > 0 {
			return err
		}
		if read += used; read+len(l.buf.Unread()) > maxNamingBytes {
			return fmt.Errorf("%w in %d KiB", errUnnamed, maxNamingBytes>>10)
		}
		switch err := l.src.ReadInto(&l.buf, until); err {
		case nil:
		case io.EOF:
			eof = true
		case rawio.ErrWake:
			return errUnnamed
		default:
			return err
		}
	}
}

// readWhole reads the whole of src, of so many bytes at most and until then. Where a read is woken before, it can go on.
func readWhole(src source, b *rawio.Buffer, limit int, until time.Time) error {
	for {
		err := src.ReadInto(b, until)
		switch {
		case len(b.Unread()) > limit:
			return hub.Fail(hub.CodeMalformed, errors.New("the answer is too large"))
		case err == io.EOF:
			return nil
		case err == rawio.ErrWake:
			return hub.Fail(hub.CodeTimeout, nil)
		case err != nil:
			return err
		}
	}
}

// plain is the source of a body in its plain form, compressed or not, which can be read on without the stream.
func (x *stream) plain(body *upstream.Body) (source, error) {
	if body.Compressed() {
		return x.decompressed(body)
	}
	return body, nil
}

// decompressed is the source of a compressed body in its plain form, which can be read on without the stream.
func (x *stream) decompressed(body *upstream.Body) (source, error) {
	x.canceler.OnWake(func() {}) // a read of the body that fails once would end what is read of it for good
	body.Resume()
	src, err := decompressed(body)
	if err != nil {
		return nil, err
	}
	x.canceler.OnWake(src.wake)
	return src, nil
}

// asksUnnamed prepares for the end of the stream before its agent has named the run that is asked for next.
func (x *stream) asksUnnamed(how *cancelRequest) {
	x.cancelRequest = how
	x.canceler.readOn(how.isWanted)
}

// unasked notes what the failure to ask for such a run leaves: an answer that is wanted still, or no run.
func (x *stream) unasked(err error) {
	var left *upstream.Unanswered
	var unsent upstream.NotSent
	switch {
	case errors.As(err, &left):
		x.late = &lateAnswer{asked: left}
	case errors.As(err, &unsent):
		x.begunNone()
	}
}

// begunNone notes that no run was begun that has yet to be named.
func (x *stream) begunNone() {
	if !x.cancelRequest.isNamed() {
		x.cancelRequest.release()
		x.cancelRequest = nil
	}
}

// leaveUnnamed takes the answer from the pump if it is to be read on.
func (x *stream) leaveUnnamed(f *hub.Failure) {
	p := &x.pump
	if !x.opened || x.left || p.atEnd || f == nil || x.cancelRequest.isNamed() || !x.cancelRequest.isWanted(f) {
		return
	}
	x.canceler.OnCancel(nil)
	x.late, x.left = newLateAnswer(p.src, p.buf), true
	p.buf = rawio.Buffer{}
}

// find finds out what ends the run of a late answer, which is nil if there is none.
func (s *Server) find(bye *cancelRequest, l *lateAnswer, until time.Time) (*hub.SessionCall, error) {
	if l == nil {
		return nil, errUnnamed
	}
	if s.unnamed.Add(1); s.unnamed.Load() > maxUnnamed {
		s.unnamed.Add(-1)
		return nil, fmt.Errorf("%w, and %d others are waited for", errUnnamed, maxUnnamed)
	}
	defer s.unnamed.Add(-1)
	what, err := bye.find(l, until)
	if err != nil && !errors.Is(err, errUnnamed) {
		err = fmt.Errorf("%w: %w", errUnnamed, err)
	}
	return what, err
}
