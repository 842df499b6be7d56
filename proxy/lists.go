package proxy

import (
	"sync"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// eventLists are lists of events that pipelines use only while something goes through them: open streams are silent nearly
// all the time.
type eventLists struct{ loose, strict []hub.Event }

var spareLists = sync.Pool{New: func() any { return new(eventLists) }}

// borrow takes lists for what goes through now. giveBack returns them.
func (p *pipeline) borrow() {
	p.lists = spareLists.Get().(*eventLists)
	p.loose, p.strict = p.lists.loose, p.lists.strict
}

func (p *pipeline) giveBack() {
	p.lists.loose, p.lists.strict = letGo(p.loose), letGo(p.strict)
	p.loose, p.strict = nil, nil
	spareLists.Put(p.lists)
	p.lists = nil
}

// maxEvents is how many events a pooled pipeline has room for.
const maxEvents = 64

// letGo empties a list of events, whose slices point into the buffers of their stream.
func letGo(list []hub.Event) []hub.Event {
	if cap(list) > maxEvents {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}
