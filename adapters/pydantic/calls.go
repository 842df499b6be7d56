package pydantic

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/tagsplit"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// maxCalls is how many calls a decoder remembers; of more, the oldest is forgotten. What comes for it later is a call
// anew, which the sequencer knows.
const maxCalls = 1024

// maxKept bounds a text that is kept for the end of a call.
const maxKept = 1 << 20

// call is a tool call as far as the stream has shown it.
type call struct {
	id, name  []byte
	anonymous bool // the stream gave no id

	started, ready, ended bool
	agent                 bool // a sub-agent was opened for it
	failed                bool // something reported a failure

	fragments int  // of the arguments
	streamed  bool // parts of the result came
	final     bool // all of them, it was said; but the result proper may follow
	parts     texthash.Extent

	title, info       []byte // tool_response and summary of the call, the last that were not empty
	response, summary []byte // of the result, likewise

	voice voice // of the sub-agent
}

// calls are those of a stream, by id.
type calls struct {
	byID   map[string]*call
	order  []*call // oldest first
	last   *call   // found last: parts come in runs
	minted int
	open   int // sub-agents that have not ended
	finals int // calls that are final and have not ended
}

func (t *calls) reset() {
	clear(t.byID)
	clear(t.order)
	*t = calls{byID: t.byID, order: t.order[:0]}
}

func (t *calls) find(id []byte) *call {
	if t.last != nil && bytes.Equal(t.last.id, id) {
		return t.last
	}
	c := t.byID[string(id)]
	if c != nil {
		t.last = c
	}
	return c
}

// add remembers a new call. An empty id is replaced by a minted one.
func (t *calls) add(id, tool []byte) *call {
	if t.byID == nil {
		t.byID = map[string]*call{}
	}
	if len(t.order) == maxCalls {
		t.forget()
	}
	c := &call{id: bytes.Clone(id), name: bytes.Clone(tool), anonymous: len(id) == 0, voice: newVoice()}
	if c.anonymous {
		t.minted++
		c.id = strconv.AppendInt([]byte("pc_"), int64(t.minted), 10)
	}
	c.voice.subAgent = c.id
	t.byID[string(c.id)] = c
	t.order = append(t.order, c)
	t.last = c
	return c
}

func (t *calls) forget() {
	c := t.order[0]
	t.order = append(t.order[:0], t.order[1:]...)
	delete(t.byID, string(c.id))
	t.close(c)
}

// close counts c out.
func (t *calls) close(c *call) {
	if c.agent && !c.ended {
		t.open--
	}
	if c.final && !c.ended {
		t.finals--
	}
	c.ended = true
}

// unnamed returns the oldest open call of a tool without an id, nil if there is none.
func (t *calls) unnamed(tool []byte) *call {
	for _, c := range t.order {
		if c.anonymous && !c.ended && bytes.Equal(c.name, tool) {
			return c
		}
	}
	return nil
}

// author is the sub-agent whose text a message without a name is: the last that was called and has not ended.
func (t *calls) current() *call {
	for i := len(t.order) - 1; i >= 0; i-- {
		if c := t.order[i]; c.agent && !c.ended {
			return c
		}
	}
	return nil
}

// keep replaces have by now, unless that is empty or too long, and reports whether it did and they differ.
func keep(have *[]byte, now []byte) (changed bool) {
	if len(now) == 0 || len(now) > maxKept || bytes.Equal(*have, now) {
		return false
	}
	*have = append((*have)[:0], now...)
	return true
}

// isDelegation reports whether a tool runs a sub-agent, by its name.
func isDelegation(tool []byte) bool { return bytes.HasPrefix(tool, []byte(delegatePrefix)) }

// agentType is the sub-agent that a tool runs: its name without what all such names have.
func agentType(tool []byte) []byte {
	typ := bytes.TrimPrefix(tool, []byte(delegatePrefix))
	if short := bytes.TrimSuffix(typ, []byte(agentSuffix)); len(short) > 0 {
		return short
	}
	return typ
}

// voice is the text of one agent: the root's, or a sub-agent's.
type voice struct {
	subAgent []byte
	split    tagsplit.Splitter
	thinking bool // the last text was reasoning
	left     bool // a call closed an element whose closing tag may still come
}

func newVoice() voice {
	v := voice{split: tagsplit.New("think")}
	v.split.Orphans = true // of an element that a call has closed
	return v
}

func (v *voice) reset() {
	v.split.Reset()
	v.thinking, v.left = false, false
}
