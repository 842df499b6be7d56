package proxy

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// position is where a client stands in a run. The ids of records say it, and clients say it back: the token of the run, in which dialect
// its records are counted, how many bytes of it stood in the snapshot that the client began with, if it did, and how many records it has.
type position struct {
	token   string
	form    string // of the dialect; "" in positions that older versions have given
	of      int64
	records int64
}

// Why a position is refused.
var (
	errPosition    = errors.New("the position is none of this run")
	errCount       = errors.New("the parameter is no number of a record")
	errOtherCounts = errors.New("the position counts the records of another dialect")
)

// formMark stands before the form of a position.
const formMark = "~"

// formOfPosition is the short form of a dialect's name that its positions have.
func formOfPosition(d *hub.Dialect) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(d.Name)) // never fails
	return fmt.Sprintf("%04x", h.Sum32()&0xffff)
}

// name is the position without the records: the wire counts these.
func (p position) name() string {
	name := p.token
	if p.form != "" {
		name += formMark + p.form
	}
	if p.of > 0 {
		name += "." + strconv.FormatInt(p.of, 10)
	}
	return name
}

// parsePosition reads a position. One without records is the beginning.
func parsePosition(s string) (p position, ok bool) {
	name, records, counted := strings.Cut(s, "-")
	token, of, short := strings.Cut(name, ".")
	p.token, p.form, _ = strings.Cut(token, formMark)
	ok = p.token != ""
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
