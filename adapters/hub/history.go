package hub

import "bytes"

// PastCall is a tool call of an earlier stream, as the client's request tells it.
type PastCall struct {
	ID, Name []byte // string bodies
	Args     []byte // raw JSON; nil where the request does not tell them, or they are no JSON
	Msg      []byte // string body: the message that holds the call
	Ask      []byte // string body: the question that the client was asked about the call

	Answered   bool // the request has its result
	Earlier    bool // the user has spoken since
	ClientRuns bool // the client runs it
	Dynamic    bool // the client keeps it as a call of a tool that it does not declare
}

// History is what a request shows of the conversation before it. In the zero value that is nothing.
type History struct {
	Known bool // the request tells all of it; a call that is not among Calls is one that the client does not have

	calls []PastCall     // a ring, once it is full
	n     int            // calls added
	byID  map[string]int // number of the call; of two with one id the later
	args  int            // bytes of all arguments
	turn  int            // number of the first call since the user spoke
}

// A request may be long, and what is kept of it lives as long as its stream.
const (
	maxPastCalls = 1024     // the latest
	maxPastArgs  = 1 << 20  // bytes of all arguments; those beyond are not kept
	maxPastText  = 16 << 10 // bytes of any other member; a call beyond is not kept
)

// Add adds a call that is later than those before it.
func (h *History) Add(c PastCall) {
	if len(c.ID) == 0 || max(len(c.ID), len(c.Name), len(c.Msg), len(c.Ask)) > maxPastText {
		return
	}
	if h.byID == nil {
		h.byID = map[string]int{}
	}
	if h.n < maxPastCalls {
		h.calls = append(h.calls, PastCall{})
	}
	place := &h.calls[h.n%maxPastCalls]
	if old := string(place.ID); h.n >= maxPastCalls && h.byID[old] == h.n-maxPastCalls {
		delete(h.byID, old)
	}
	h.args -= len(place.Args)
	if h.args+len(c.Args) > maxPastArgs {
		c.Args = nil
	}
	h.args += len(c.Args)
	*place, h.byID[string(c.ID)] = c, h.n
	h.n++
}

// Answer notes that the request has the result of a call. The arguments of such a call are not needed again.
func (h *History) Answer(id []byte) {
	if c := h.Find(id); c != nil {
		c.Answered = true
		h.args -= len(c.Args)
		c.Args = nil
	}
}

// UserSpoke notes that the calls so far are of earlier turns.
func (h *History) UserSpoke() {
	for ; h.turn < h.n; h.turn++ {
		h.calls[h.turn%maxPastCalls].Earlier = true
	}
}

// Find returns the call with that id, the latest of several; nil if the request does not tell of it.
func (h *History) Find(id []byte) *PastCall {
	if h == nil {
		return nil
	}
	if n, ok := h.byID[string(id)]; ok {
		return &h.calls[n%maxPastCalls]
	}
	return nil
}

// Shows reports whether the client has a call of an earlier stream in the message that it reads: some reject the result of a
// call that they do not have there. Without a history (nil), that there is such a result shows that it has the call.
func (h *History) Shows(id, message []byte) bool {
	switch c := h.Find(id); {
	case c != nil:
		return bytes.Equal(c.Msg, message)
	case h == nil:
		return true
	}
	return !h.Known
}

// Calls yields every call that is remembered, the oldest first.
func (h *History) Calls(yield func(*PastCall) bool) {
	for i := max(0, h.n-maxPastCalls); i < h.n; i++ {
		if !yield(&h.calls[i%maxPastCalls]) {
			return
		}
	}
}

// detach replaces what points into the body of the request by copies.
func (h *History) detach() {
	for i := range h.calls {
		c := &h.calls[i]
		for _, p := range []*[]byte{&c.ID, &c.Name, &c.Args, &c.Msg, &c.Ask} {
			*p = bytes.Clone(*p)
		}
	}
}
