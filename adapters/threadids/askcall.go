package threadids

import (
	"bytes"
	"slices"
)

// callMark stands in the id of a question in front of the call that it is about, where clients and servers do not name the same of the two.
const callMark = "~call-"

// WithCall is the id of a question that names its call, too.
func WithCall(ask, call []byte) []byte {
	if bytes.Contains(ask, []byte(callMark)) {
		return ask
	}
	return slices.Concat(ask, []byte(callMark), call)
}

// CutCall takes such an id apart. Of any other one, call is nil.
func CutCall(id []byte) (ask, call []byte) {
	ask, call, found := bytes.Cut(id, []byte(callMark))
	if !found || len(ask) == 0 || len(call) == 0 {
		return id, nil
	}
	return ask, call
}
