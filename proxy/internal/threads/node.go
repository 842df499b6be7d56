package threads

import (
	"reflect"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// node is a conversation up to the end of a turn: the beginning of the one before it, and what is new. What conversations have in
// Common is stored once. Messages are never changed, only replaced: a result that comes later replaces the message of its call.
type node struct {
	parent  *node
	keep    int    // how many messages of the parent's conversation are its own
	more    []byte // the others, packed
	count   int    // how many these are
	size    int    // about how many bytes more holds
	refs    int    // what needs it: names, nodes and turns that go on from it
	name    *entry // of the answer that it ends with; nil: none, or not any more
	session string // see [Turn.Session]; "": its conversation has a name

	going, gone int // turns that go on from it, and that have
}

// overhead is what an entry costs beside its bytes, about.
const overhead = 512

// conversation returns all messages, and about how many bytes they hold.
func (n *node) conversation() (all []hub.Message, size int) {
	if n == nil {
		return nil, 0
	}
	end := n.keep + n.count
	all = make([]hub.Message, end)
	for ; n != nil && end > 0; n = n.parent {
		if size += n.size; n.keep < end {
			copy(all[n.keep:end], unpack(make([]hub.Message, 0, n.count), n.more))
			end = n.keep
		}
	}
	return all, size
}

// line is the session in which a turn that goes on from the node stays; "" for none.
func (n *node) line() string {
	if n == nil || n.going+n.gone > 0 {
		return ""
	}
	return n.session
}

// newNode makes a node behind another, of whose conversation it keeps so many messages. all is its own.
func newNode(parent *node, all []hub.Message, keep, size int) *node {
	n := &node{parent: parent, keep: keep, more: pack(all[keep:]), count: len(all) - keep, size: size + overhead, refs: 1}
	if parent != nil {
		parent.refs++
	}
	return n
}

// Common is how many messages two conversations begin with that are the same.
func Common(a, b []hub.Message) int {
	n := 0
	for n < min(len(a), len(b)) && reflect.DeepEqual(a[n], b[n]) {
		n++
	}
	return n
}

// merge takes the nodes before n into it that no other branch needs, so that a conversation whose turns have no names stays one node. all
// is its conversation.
func (n *node) merge(all []hub.Message) {
	alone := func(p *node) bool { return p != nil && p.refs == 1 }
	if !alone(n.parent) {
		return
	}
	for p := n.parent; alone(p); p = n.parent {
		n.keep, n.size, n.parent = min(n.keep, p.keep), n.size+p.size, p.parent
	}
	n.more, n.count = pack(all[n.keep:]), len(all)-n.keep
}
