package inbound

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fasthttp"
)

// A compressed body says how large it becomes, and how far back it looks: a few bytes can ask for hundreds of MiB. Its plain form takes memory
// as it comes, of the same budget as the body itself.

var (
	errCoding = errors.New("the content coding is not known")
	errBehind = errors.New("the body has bytes behind the end of what is compressed")
)

// codings undo content codings into a BodyReader.
var codings = map[string]func(b *BodyReader, body []byte) error{
	"gzip":    undo(fasthttp.WriteGunzip),
	"x-gzip":  undo(fasthttp.WriteGunzip),
	"deflate": (*BodyReader).inflate,
	"br":      undo(fasthttp.WriteUnbrotli),
	"zstd":    (*BodyReader).unzstd,
}

func undo(write func(w io.Writer, p []byte) (int, error)) func(*BodyReader, []byte) error {
	return func(b *BodyReader, body []byte) error {
		_, err := write(b, body)
		return err
	}
}

// inflate reads no further than to the end of what is compressed: what stands behind it belongs to nothing.
func (b *BodyReader) inflate(body []byte) error {
	from := bytes.NewReader(body)
	r, err := zlib.NewReader(from)
	if err != nil {
		return err
	}
	if err = b.All(r); err == nil && from.Len() > 0 {
		err = errBehind
	}
	return err
}

// Plain returns the body of the current request without its content coding, as far as it is no larger than limit. Its memory belongs to the
// lease of the body.
func (c *Conn) Plain(coding string, body []byte, limit, budget int64) ([]byte, error) {
	do := codings[strings.ToLower(coding)]
	if do == nil {
		return nil, errCoding
	}
	b := &BodyReader{Limit: limit, Budget: budget, Lease: Lease{Budget: c.Lease.Budget}}
	if err := do(b, body); err != nil {
		b.Lease.End()
		return nil, err
	}
	c.Lease.bytes += b.Lease.bytes
	return b.Body, nil
}

// Write implements io.Writer: p is the next part of the body.
func (b *BodyReader) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if int64(len(b.Body)) == b.Limit {
			return n, ErrBodyLimit
		}
		if err := b.grow(b.Limit); err != nil {
			return n, err
		}
		at := len(b.Body)
		b.Body = b.Body[:min(at+len(p)-n, cap(b.Body))]
		n += copy(b.Body[at:], p[n:])
	}
	return n, nil
}

// unzipper undoes zstd in place: what comes later in a body finds what it repeats in what was written, and not in a window of the size that the
// body asks for.
var unzipper, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true)) // the options are valid

// unzstd begins anew where the body turns out to be larger, with twice the room.
func (b *BodyReader) unzstd(body []byte) error {
	for {
		if err := b.grow(b.Limit); err != nil {
			return err
		}
		plain, err := unzipper.DecodeAll(body, b.Body[:0])
		switch full := errors.Is(err, zstd.ErrDecoderSizeExceeded); {
		case full && int64(cap(b.Body)) >= b.Limit:
			return ErrBodyLimit
		case full:
			b.Body = b.Body[:cap(b.Body)]
		default:
			b.Body = plain
			return err
		}
	}
}
