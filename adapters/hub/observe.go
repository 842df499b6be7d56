package hub

import (
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Observation is what a record means for a stream that is copied instead of translated.
type Observation uint8

// Observations.
const (
	ObservedNothing Observation = iota
	ObservedStart               // the run has an end of its own: without it the stream was cut
	ObservedEnd                 // the run is over
)

// A Watcher observes one stream that is copied, where what a record means depends on options or on records before it.
type Watcher interface {
	// Observe is that of [Dialect], asked about every record in its order.
	Observe(rec wire.Record) Observation

	// EndsWithBody reports whether the body may end here: that the run is over, or as far as it gets in this stream.
	EndsWithBody() bool
}

// ObserveTypes makes the Observe of a dialect whose records have their type in a string member of that name.
func ObserveTypes(member string, starts, ends []string) func(wire.Record) Observation {
	head := `{"` + member + `":"`
	return func(rec wire.Record) Observation {
		typ := rawjson.Tag(rec.Data, head)
		for _, end := range ends {
			if end == string(typ) {
				return ObservedEnd
			}
		}
		for _, start := range starts {
			if start == string(typ) {
				return ObservedStart
			}
		}
		return ObservedNothing
	}
}

// ObserveDone waits for the end mark that many dialects have.
func ObserveDone(rec wire.Record) Observation {
	if wire.IsDone(rec.Data) {
		return ObservedEnd
	}
	return ObservedNothing
}
