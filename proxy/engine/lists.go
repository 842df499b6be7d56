package engine

import (
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// eventLists are lists of events that pipelines use only while something goes through them: open streams are silent nearly
// all the time.
type eventLists struct{ decoded, normalized []hub.Event }

var spareLists = sync.Pool{New: func() any { return new(eventLists) }}

// getLists takes lists from the pool for what goes through now. putLists returns them.
func (p *Pipeline) getLists() {
	p.lists = spareLists.Get().(*eventLists)
	p.decoded, p.normalized = p.lists.decoded, p.lists.normalized
}

func (p *Pipeline) putLists() {
	p.lists.decoded, p.lists.normalized = emptied(p.decoded), emptied(p.normalized)
	p.decoded, p.normalized = nil, nil
	spareLists.Put(p.lists)
	p.lists = nil
}

// maxEvents is how many events a pooled pipeline has room for.
const maxEvents = 64

// emptied empties a list of events, whose slices point into the buffers of their stream.
func emptied(list []hub.Event) []hub.Event {
	if cap(list) > maxEvents {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}
