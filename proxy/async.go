package proxy

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// asyncSource makes a source of something that can only be read by blocking: a compressed body, WebSocket messages,
// a pipe. A goroutine reads one piece ahead.
type asyncSource struct {
	pieces chan []byte
	back   chan []byte // pieces to fill again
	quit   chan struct{}
	err    error // why pieces was closed
	rest   []byte
	shut   func()
	timer  *time.Timer
}

// newAsyncSource starts reading. next appends one piece to its argument; its error ends the source. shut makes a
// blocked next return.
func newAsyncSource(next func([]byte) ([]byte, error), shut func()) *asyncSource {
	a := &asyncSource{
		pieces: make(chan []byte), back: make(chan []byte, 1), quit: make(chan struct{}),
		shut: shut, timer: time.NewTimer(time.Hour),
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

// read implements source.
func (a *asyncSource) read(b *buffer, until time.Time) error {
	a.timer.Reset(time.Until(until))
	select {
	case piece, ok := <-a.pieces:
		if !ok {
			return a.end()
		}
		for rest := piece; len(rest) > 0; {
			n := copy(b.room(), rest)
			b.filled(n)
			rest = rest[n:]
		}
		select {
		case a.back <- piece:
		default:
		}
		return nil
	case <-a.timer.C:
		return errWake
	}
}

func (a *asyncSource) end() error {
	if errors.Is(a.err, io.EOF) {
		return io.EOF
	}
	return asFailure(a.err)
}

// close implements source.
func (a *asyncSource) close() {
	a.abandon()
	a.shut()
	for range a.pieces { // until the goroutine is gone
	}
}

// abandon gives the source up without waiting: reading a terminal or a pipe may block for ever.
func (a *asyncSource) abandon() {
	close(a.quit)
	a.timer.Stop()
}

// readPieces reads from r in pieces of a convenient size.
func readPieces(r io.Reader) func([]byte) ([]byte, error) {
	return func(p []byte) ([]byte, error) {
		if cap(p) < minBuffer {
			p = make([]byte, 0, fullBuffer/2)
		}
		n, err := r.Read(p[:cap(p)])
		return p[:n], err
	}
}

// decompressed is the source of a body in its plain form. Sabir asks for identity, but not every server listens.
func decompressed(h *httpBody) (source, error) {
	open, ok := map[string]func(io.Reader) (io.Reader, error){
		"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"x-gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"deflate": func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
	}[h.encoding]
	if !ok {
		h.abort()
		return nil, hub.Fail(hub.CodeMalformed, errors.New("the answer has content encoding "+h.encoding+", though identity was asked for"))
	}
	var plain io.Reader
	next := func(p []byte) ([]byte, error) {
		if plain == nil { // the header of the compressed stream may not be there yet
			r, err := open(h)
			if err != nil {
				return nil, compressionFailure(err)
			}
			plain = r
		}
		p, err := readPieces(plain)(p)
		return p, compressionFailure(err)
	}
	return newAsyncSource(next, h.abort), nil
}

func compressionFailure(err error) error {
	var f *hub.Failure
	if err == nil || errors.As(err, &f) || errors.Is(err, io.EOF) {
		return err
	}
	return hub.Fail(hub.CodeReset, err)
}
