package proxy

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// asyncSource makes a source of something that can only be read by blocking: a compressed body, WebSocket messages,
// a pipe. A goroutine reads one piece ahead.
type asyncSource struct {
	pieces chan []byte
	back   chan []byte // pieces to fill again
	quit   chan struct{}
	woken  chan struct{} // a blocked read is to return
	once   sync.Once
	err    error // why pieces was closed
	shut   func()
	timer  *time.Timer
}

// maxSpare is the largest piece that is filled again; larger ones are left to the collector.
const maxSpare = 64 << 10

// newAsyncSource starts reading. next appends one piece to its argument; its error ends the source. shut makes a
// blocked next return.
func newAsyncSource(next func([]byte) ([]byte, error), shut func()) *asyncSource {
	a := &asyncSource{
		pieces: make(chan []byte), back: make(chan []byte, 1), quit: make(chan struct{}), woken: make(chan struct{}, 1),
		shut: shut, timer: time.NewTimer(maxWait),
	}
	go a.run(next)
	return a
}

func (a *asyncSource) run(next func([]byte) ([]byte, error)) {
	defer close(a.pieces)
	var spare []byte
	for {
		piece, err := next(spare[:0])
		if len(piece) > 0 {
			select {
			case a.pieces <- piece:
			case <-a.quit:
				return
			}
		}
		if err != nil {
			a.err = err
			return
		}
		select {
		case spare = <-a.back:
		default:
			spare = nil
		}
	}
}

// ReadInto implements source. A piece is wholly in b before the next one comes.
func (a *asyncSource) ReadInto(b *rawio.Buffer, until time.Time) error {
	a.timer.Reset(time.Until(until))
	select {
	case piece, ok := <-a.pieces:
		if !ok {
			return a.end()
		}
		b.Fill(piece)
		if cap(piece) <= maxSpare {
			select {
			case a.back <- piece:
			default:
			}
		}
		return nil
	case <-a.timer.C:
	case <-a.quit:
	case <-a.woken:
	}
	return rawio.ErrWake
}

func (a *asyncSource) end() error {
	if errors.Is(a.err, io.EOF) {
		return io.EOF
	}
	return asFailure(a.err)
}

// wake makes a read return, and the source can be read on.
func (a *asyncSource) wake() {
	select {
	case a.woken <- struct{}{}:
	default:
	}
}

// Close implements source.
func (a *asyncSource) Close() {
	a.abandon()
	a.shut()
	for range a.pieces { // until the goroutine is gone
	}
}

// abandon gives the source up without waiting, and makes read return: reading a terminal or a pipe may block for ever.
func (a *asyncSource) abandon() {
	a.once.Do(func() { close(a.quit) })
	a.timer.Stop()
}

// readPieces reads from r in pieces of a convenient size.
func readPieces(r io.Reader) func([]byte) ([]byte, error) {
	return func(p []byte) ([]byte, error) {
		if cap(p) < rawio.MinBuffer {
			p = make([]byte, 0, rawio.FullBuffer/2)
		}
		n, err := r.Read(p[:cap(p)])
		return p[:n], err
	}
}

// decompressed is the source of a body in its plain form. Sabir asks for identity, but not every server listens.
func decompressed(h *upstream.Body) (*asyncSource, error) {
	open := upstream.Codings[h.Encoding]
	if open == nil {
		h.Abort()
		return nil, upstream.Undone(h.Encoding)
	}
	var read func([]byte) ([]byte, error)
	next := func(p []byte) ([]byte, error) {
		if read == nil { // here, because the header of the compressed stream may not be there yet
			r, err := open(h)
			if err != nil {
				return nil, compressionFailure(err)
			}
			read = readPieces(r)
		}
		p, err := read(p)
		return p, compressionFailure(err)
	}
	return newAsyncSource(next, h.Abort), nil
}

// compressionFailure sorts the errors of a compressed body. The end of the body inside the compressed stream is a cut,
// and no good end.
func compressionFailure(err error) error {
	var f *hub.Failure
	switch {
	case err == nil || err == io.EOF || errors.As(err, &f):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return hub.Fail(hub.CodeReset, err)
	}
	return upstream.Miscoded(err)
}
