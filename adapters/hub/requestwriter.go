package hub

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// RequestWriter is what writes requests for agents of the dialect; nil: the body of the client passes as it came.
func (d *Dialect) RequestWriter() func(dst []byte, req *Request, l *Losses) ([]byte, error) {
	if d.Messages != nil {
		return d.withLegalNames(withRoom(wellFormed(d.withUnread(d.Requests.AppendRequest))))
	}
	if d.Stateless {
		return withRoom(wellFormed(d.withUnread(d.WriteRequest)))
	}
	if d.WriteRequest == nil {
		return nil
	}
	return wellFormed(d.withUnread(d.WriteRequest))
}

type requestWriter = func(dst []byte, req *Request, l *Losses) ([]byte, error)

// wellFormed makes what is written a text that every reader of JSON takes. Clients cut texts in the middle of a character, and APIs refuse the
// whole request for half of one.
func wellFormed(write requestWriter) requestWriter {
	return func(dst []byte, req *Request, l *Losses) ([]byte, error) {
		body, err := write(dst, req, l)
		if written := body[min(len(dst), len(body)):]; len(written) > 0 && written[0] == '{' { // else it is a form
			l.AddIf("messages.unicode", rawjson.ReplaceHalves(written))
		}
		return body, err
	}
}

// withRoom gives a writer of whole conversations room for what it writes, which is about as long as what was read: growing would
// copy it again and again, and hold it twice.
func withRoom(write requestWriter) requestWriter {
	const usual, growth = 1 << 10, 8 // every dialect has other names of members, and escapes that the others have not
	return func(dst []byte, req *Request, l *Losses) ([]byte, error) {
		return write(slices.Grow(dst, len(req.Body)+len(req.Body)/growth+usual), req, l)
	}
}
