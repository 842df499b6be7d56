package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// askedRun is what a decoder knows of the run that was asked for. Without that, it looks for one itself.
type askedRun struct {
	known   bool
	answers bool            // it goes on with answers
	past    map[string]bool // calls whose beginning an earlier request has shown
}

// openItems are what a run waits for: calls that have not ended, and questions without an answer.
type openItems struct {
	calls map[string]*waiting // by the id of the call, or of the question
	asks  map[string]*waiting
}

// waiting is a call, or a question: of is its session, call is what a question is about, nil for nothing.
type waiting struct {
	of   *session
	call []byte
	task bool // a sub-agent works for the call
}

func (o *openItems) reset() { o.calls, o.asks = map[string]*waiting{}, map[string]*waiting{} }

// Listen implements [hub.Listener]: the session is the one of the request.
func (d *decoder) Listen(req *hub.Request) {
	d.want = string(sessionOf(req))
	d.asked = askedRun{known: true, past: map[string]bool{}}
	for _, a := range conversation.Decided(req) {
		d.asked.answers = true
		_, call, _ := bytes.Cut(a.Ask, askMark)
		d.remember(call, true)
	}
	for i := range req.Messages {
		if !d.asked.answers {
			break
		}
		for j := range req.Messages[i].Parts {
			if p := &req.Messages[i].Parts[j]; p.Kind == hub.PartCall && p.Result == nil {
				d.remember(p.ID, false)
			}
		}
	}
}

// remember notes a call of an earlier request; runs says that it goes on.
func (d *decoder) remember(call []byte, runs bool) {
	if len(call) == 0 || len(d.asked.past) >= maxKnown {
		return
	}
	d.asked.past[string(call)] = true
	if runs {
		d.open.calls[string(call)] = &waiting{}
	}
}

// Begun implements [hub.Listener].
func (d *decoder) Begun() bool { return d.root != nil }

// Waits implements [hub.Listener]: whatever has not ended waits for an answer, or for a sub-agent that does.
func (d *decoder) Waits() bool {
	if d.ended || len(d.open.asks) == 0 {
		return false
	}
	for id, c := range d.open.calls {
		if !c.task && !d.isAsked(id, c.of) {
			return false
		}
	}
	for _, s := range d.sessions {
		if s.shown && !d.stands(s) {
			return false
		}
	}
	return true
}

// isAsked reports whether a call waits for an answer: a question is about it, or about nothing of its session that is named.
func (d *decoder) isAsked(call string, of *session) bool {
	for _, q := range d.open.asks {
		if string(q.call) == call || q.call == nil && q.of == of {
			return true
		}
	}
	return false
}

// stands reports whether a sub-agent waits for an answer, or for a sub-agent of its own.
func (d *decoder) stands(s *session) bool {
	for _, q := range d.open.asks {
		if q.of == s {
			return true
		}
	}
	for _, c := range d.open.calls {
		if c.of == s && c.task {
			return true
		}
	}
	return false
}

// askID is the id by which clients know a question: with the call, which the answer's run has to know.
func (d *decoder) askID(id, call []byte) []byte {
	if !d.asked.known || len(call) == 0 {
		return id
	}
	return d.scratch.Since(append(append(append(d.scratch.Begin(), id...), askMark...), call...))
}

var askMark = []byte{'#'}

// noteAsk notes a question that is open, and returns its id for clients.
func (d *decoder) noteAsk(id, call []byte) []byte {
	if len(d.open.asks) < maxKnown {
		d.open.asks[string(id)] = &waiting{of: d.of, call: bytes.Clone(call)}
	}
	return d.askID(id, call)
}

// noteAnswer notes that a question has its answer, and returns its id for clients.
func (d *decoder) noteAnswer(id []byte) []byte {
	q := d.open.asks[string(id)]
	if q == nil {
		return id
	}
	delete(d.open.asks, string(id))
	return d.askID(id, q.call)
}

// noteCall notes a call that has begun. It reports whether an earlier request has shown that.
func (d *decoder) noteCall(id []byte, task bool) (past bool) {
	if len(d.open.calls) < maxKnown {
		d.open.calls[string(id)] = &waiting{of: d.of, task: task}
	}
	return d.asked.past[string(id)]
}

// awaits looks for the beginning of the run that was asked for, and reports whether the event is to be read. A run that goes on has begun;
// another begins with what the user says, as a run before it may still have something to say.
func (d *decoder) awaits(dst []hub.Event, typ, id []byte) ([]hub.Event, bool) {
	switch {
	case d.root != nil:
		return dst, true
	case d.asked.answers:
		return d.begin(dst, []byte(d.want)), true
	case !rawjson.EqualBody(id, []byte(d.want)):
		return dst, false
	}
	p := &d.rec.Properties
	switch string(typ) {
	case "message.updated":
		if string(rawjson.Body(p.Info.Role)) == "user" {
			d.noteUser(rawjson.Body(p.Info.ID))
		}
		return dst, false
	case "message.part.updated":
		if !d.users[string(rawjson.Body(p.Part.MessageID))] {
			return dst, false
		}
		return d.begin(dst, id), true
	case "session.error": // the prompt comes to nothing, and nothing else says that; unless it is of a run before, which was stopped
		if string(rawjson.Body(p.Error.Name)) == aborted {
			return dst, false
		}
		dst = d.begin(dst, id)
		d.root.fail(&p.Error)
		return d.runEnd(dst), false
	}
	return dst, false
}

// noteUser notes a message of the user's.
func (d *decoder) noteUser(id []byte) {
	if len(d.users) < maxKnown {
		d.users[string(id)] = true
	}
}
