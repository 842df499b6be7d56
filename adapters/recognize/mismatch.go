package recognize

import (
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Mismatch is the error of a stream of which no record is of the dialect that was expected.
type Mismatch struct {
	Want  string // name of the dialect that was expected
	Looks string // name of the dialect that the stream looks like, "" if that is not clear
	First error  // of the records that could not be decoded, nil for none
}

// Error is Summary and the first error.
func (e *Mismatch) Error() string {
	if e.First == nil {
		return e.Summary()
	}
	return e.Summary() + ": " + e.First.Error()
}

func (e *Mismatch) Unwrap() error { return e.First }

// Summary is "no record of evolve; this looks like agui". It is made of names of dialects only, so clients may read it.
func (e *Mismatch) Summary() string {
	if e.Looks == "" || e.Looks == e.Want {
		return "no record of " + e.Want
	}
	return "no record of " + e.Want + "; this looks like " + e.Looks
}

// Failure is how a stream that begins with sample ends if no record of it is of the dialect want. first is the first error
// of its decoder, nil for none.
func Failure(dialects []*hub.Dialect, want string, sample []byte, first error) *hub.Failure {
	r := Bytes(dialects, sample, wire.Auto, false)
	e := &Mismatch{Want: want, First: first}
	if r.Sure() >= Likely {
		e.Looks = r.Looks()
	}
	f := hub.Fail(hub.CodeMalformed, e)
	text := e.Summary()
	f.Note = strings.ToUpper(text[:1]) + text[1:] + "."
	return f
}
