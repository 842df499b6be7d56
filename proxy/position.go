package proxy

import (
	"errors"
	"strconv"
	"strings"
)

// position is where a client stands in a run. The ids of records say it, and clients say it back: the token of the run, how many bytes of
// it stood in the snapshot that the client began with, if it did, and how many records it has.
type position struct {
	token   string
	of      int64
	records int64
}

// errPosition is why a position is refused.
var errPosition = errors.New("the position is none of this run")

// name is the position without the records: the wire counts these.
func (p position) name() string {
	if p.of == 0 {
		return p.token
	}
	return p.token + "." + strconv.FormatInt(p.of, 10)
}

// parsePosition reads a position. One without records is the beginning.
func parsePosition(s string) (p position, ok bool) {
	name, records, counted := strings.Cut(s, "-")
	token, of, short := strings.Cut(name, ".")
	p.token, ok = token, token != ""
	if counted {
		ok = readCount(&p.records, records) && ok
	}
	if short {
		ok = readCount(&p.of, of) && p.of > 0 && ok
	}
	return p, ok
}

func readCount(to *int64, s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	*to = max(n, 0)
	return err == nil && n >= 0
}
