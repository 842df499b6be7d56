package engine

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/snapshot"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Snapshot returns the snapshot of the whole lines with which the log of a run begins, as lines of a log: see [snapshot.Of]. A log that
// cannot be read is returned as it is.
func Snapshot(log []byte) []byte {
	dec := native.Dialect.NewDecoder(native.Dialect.Defaults())
	var b snapshot.Builder
	var evs []hub.Event
	for rest := log; len(rest) > 0; {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		rest = after
		var err error
		if evs, err = dec.Decode(evs[:0], wire.Record{Data: line}); err != nil {
			return log
		}
		for i := range evs {
			b.Add(&evs[i])
		}
	}
	var short []byte
	for _, ev := range b.Events() {
		short = append(native.Append(short, &ev), '\n')
	}
	return short
}
