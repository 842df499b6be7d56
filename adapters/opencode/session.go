package opencode

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// session is the one that is read, or one of its sub-agents.
type session struct {
	sub         []byte // its id, of a sub-agent; nil: the root agent
	parent      *session
	name, title []byte
	shown       bool // it has begun, and not ended: of a sub-agent

	model  []byte
	reason []byte // of the last step
	step   bool   // a step has begun, and not ended
	rests  bool   // the last record ended a step that may be the last
	denied bool   // a call of the step was denied: the agent stops behind it

	failed    bool
	err, code []byte
}

// enter finds the session that an event is of, and begins the run with the first.
func (d *decoder) enter(dst []hub.Event, typ, id []byte) []hub.Event {
	if d.root == nil && begins.Has(typ) && string(rawjson.Body(d.rec.Properties.Status.Type)) != "idle" && (d.want == "" || rawjson.EqualBody(id, []byte(d.want))) {
		dst = d.begin(dst, id)
	}
	d.of = d.sessions[string(id)]
	return dst
}

// begin begins the run of a session.
func (d *decoder) begin(dst []hub.Event, id []byte) []hub.Event {
	d.root = &session{}
	d.sessions[string(id)] = d.root
	return append(dst, hub.Event{Kind: hub.RunStart, Ref: id})
}

// learn keeps a session whose parent is known: it is a sub-agent.
func (d *decoder) learn() {
	s := &d.rec.Properties.Info
	parent, id := d.sessions[string(rawjson.Body(s.ParentID))], rawjson.Body(s.ID)
	if parent == nil || len(id) == 0 || d.sessions[string(id)] != nil || len(d.sessions) >= maxKnown {
		return
	}
	d.sessions[string(id)] = &session{
		sub: bytes.Clone(id), parent: parent, name: bytes.Clone(rawjson.Body(s.Agent)), title: bytes.Clone(rawjson.Body(s.Title)),
	}
}

// agentStart begins the sub-agent that the record is of, once. ref is the call that it works for, as far as that is known.
func (d *decoder) agentStart(dst []hub.Event, ref []byte) []hub.Event {
	s := d.of
	if s.parent == nil || s.shown {
		return dst
	}
	d.of = s.parent
	dst = d.agentStart(dst, nil)
	d.of = s
	s.shown = true
	return append(dst, hub.Event{Kind: hub.AgentStart, ID: s.sub, Ref: ref, Name: rawjson.Or(s.name, "agent"), Title: s.title, SubAgent: s.parent.sub})
}

// agentEnd ends the sub-agent that the record is of. It may be asked again.
func (d *decoder) agentEnd(dst []hub.Event) []hub.Event {
	s := d.of
	if !s.shown {
		return dst
	}
	s.shown = false
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.AgentEnd, ID: s.sub, Status: hub.StatusOK, SubAgent: s.parent.sub})
	if s.failed {
		if ev.Status = hub.StatusError; s.failedAs() == hub.StatusCancelled {
			ev.Status = hub.StatusAborted
		}
		ev.More = d.scratch.More()
		ev.More.Err, ev.More.ErrCode = s.err, s.code
	}
	s.failed = false
	return dst
}

func (s *session) keepModel(model []byte) {
	if len(model) > 0 && !bytes.Equal(s.model, model) {
		s.model = bytes.Clone(model)
	}
}

// fail keeps why a session ends.
func (s *session) fail(f *failure) {
	err, code := f.read()
	s.failed, s.err, s.code = true, bytes.Clone(err), bytes.Clone(code)
}

// failedAs tells an agent that was stopped from one that could not go on.
func (s *session) failedAs() hub.Status {
	if string(s.code) == aborted {
		return hub.StatusCancelled
	}
	return hub.StatusFailed
}

// aborted is the error of an agent that was stopped.
const aborted = "MessageAbortedError"

// overcome reports an error behind which the session went on.
func (d *decoder) overcome(dst []hub.Event) []hub.Event {
	s := d.of
	if !s.failed {
		return dst
	}
	s.failed = false
	return d.put(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelError, Text: s.err, Name: s.code})
}

// read is what a failure says: the text, and its name.
func (f *failure) read() (text, code []byte) {
	code = rawjson.Body(f.Name)
	return rawjson.First(rawjson.Body(f.Data.Message), code), code
}
