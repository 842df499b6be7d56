// Package threadids makes the ids of a stream unlike those of the earlier turns of its thread.
//
// Many agents count anew in each run (t1, chatcmpl-1, item_0), and so do Sabir's decoders where an upstream gives no ids.
// Clients keep what they have over turns: AG-UI clients append to a message whose id they know, AI SDK clients and the
// chats of applications overwrite it. What happens to an id depends on what it stands for and on what is known:
//
//   - Where the client's request shows its history, a collision is recognized exactly: what has an id that stands in the history
//     gets a suffix, the same each time the same request comes.
//   - Messages, from whose ids encoders make others, and where the request shows no history everything else too, sub-agents,
//     steps, sources and files in any case: an id that is not unique by its looks gets the suffix. Counters, short words
//     and the ids that Sabir makes do; UUIDs, random ids and times stay; see [Lasting].
//   - What continues something keeps its id: the message that the request says the answer goes on with, calls that the
//     history holds without a result, calls of earlier runs (hub.Resumed), history (hub.Replayed), the user's own words.
//   - What goes back to the agent keeps its id, for it knows them by no other: runs, questions that the agent named, and
//     calls that the client runs, unless the history shows a collision. Questions that Sabir named get the suffix.
//   - In a branch of a conversation (hub.Request.Branch) all messages get the suffix, and it names the branch.
//   - Ids that the server of the upstream's dialect compares with its own (hub.Dialect.ServerIDs) stay, but for those of a branch.
//
// An id is changed in the same way wherever the stream names it.
package threadids

import (
	"bytes"
	"fmt"
	"hash/fnv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/recent"
)

// class is what an id stands for. Each has a space of ids of its own.
type class uint8

const (
	message class = iota
	part
	call
	subAgent
	step
	question
	source
	file

	classes
)

// Mapper changes the ids of one stream. The zero value changes none.
type Mapper struct {
	on        bool
	serverIDs bool
	messages  *hub.IDSet   // nil: the request does not show any
	calls     *hub.History // nil, or not Known: likewise
	continued []byte
	suffix    []byte
	branch    []byte // which the ids of all messages name; nil: none

	changed recent.Map[[]byte] // by class and id
	any     bool               // something was changed
	last    [classes]found
	key     []byte
}

// Start readies the mapper for the answer to a request of an upstream whose dialect is from. unique is unlike that of
// other calls. asked is what is known of the request, nil for nothing; it must outlive the stream.
func (m *Mapper) Start(from *hub.Dialect, asked *hub.Request, unique []byte) {
	if m.on {
		m.Reset()
	}
	m.on, m.serverIDs = true, from.ServerIDs
	if asked != nil {
		m.messages, m.calls, m.continued = asked.MessageIDs, &asked.History, asked.Run
		m.branch = asked.Branch
	}
	m.key = append(m.key[:0], unique...)
	if m.messages != nil { // the same request, the same suffix
		m.key = fmt.Appendf(m.key[:0], "%q %q %d", asked.Thread, asked.Run, m.messages.Len())
	}
	h := fnv.New64a()
	h.Write(m.key)
	m.suffix = appendTag(append(m.suffix[:0], '-'), h.Sum64())
	if m.branch != nil {
		m.suffix = InBranch(m.suffix, m.branch)
	}
}

// keptKey is up to how many bytes of an id a mapper keeps its memory in a Reset.
const keptKey = 1 << 10

// Reset makes the mapper one that changes no ids, and lets go of the request.
func (m *Mapper) Reset() {
	if cap(m.key) > keptKey { // which each id was in
		*m = Mapper{}
		return
	}
	m.changed.Reset()
	for c := range m.last {
		m.last[c].forget()
	}
	*m = Mapper{changed: m.changed, last: m.last, key: m.key, suffix: m.suffix}
}

// Map changes the ids of a normalized event in place. What it puts there lives as long as the mapper.
func (m *Mapper) Map(ev *hub.Event) {
	switch {
	case !m.on:
		return
	case ev.Kind == hub.TextDelta || ev.Kind == hub.ToolArgs || ev.Kind == hub.ToolOutput:
		if m.any { // these bring no id that was not there before
			m.follow(ev)
		}
		return
	}
	m.introduce(ev)
	if m.any {
		m.follow(ev)
	}
}

// introduce decides on the ids that ev brings.
func (m *Mapper) introduce(ev *hub.Event) {
	if ev.Flags&(hub.Resumed|hub.Replayed|hub.User) != 0 {
		return
	}
	if len(ev.Msg) > 0 {
		m.decide(message, ev.Msg, m.messageComesAgain)
	}
	switch ev.Kind {
	case hub.TextStart:
		m.decidePart(ev)
	case hub.ToolStart:
		if !ev.Flags.Has(hub.ClientRuns) || m.callsShown() {
			m.decide(call, ev.ID, m.callComesAgain)
		}
	case hub.AgentStart:
		m.decideSubAgent(ev)
	case hub.StepStart:
		m.decide(step, ev.ID, passing)
	case hub.Ask:
		m.decide(question, ev.ID, isMade)
	case hub.Source:
		m.decide(source, ev.ID, passing)
	case hub.File:
		m.decide(file, ev.ID, passing)
	}
}

// decidePart decides on the id of a text part. One that is called as its message still is afterwards.
func (m *Mapper) decidePart(ev *hub.Event) {
	if bytes.Equal(ev.ID, ev.Msg) {
		m.alias(part, ev.ID, m.name(message, ev.Msg))
		return
	}
	m.decide(part, ev.ID, m.partComesAgain)
}

// decideSubAgent decides on the id of a sub-agent. One that is called as the call that spawned it still is afterwards.
func (m *Mapper) decideSubAgent(ev *hub.Event) {
	if bytes.Equal(ev.ID, ev.Ref) {
		m.alias(subAgent, ev.ID, m.name(call, ev.Ref))
		return
	}
	m.decide(subAgent, ev.ID, passing)
}

func (m *Mapper) messageComesAgain(id []byte) bool {
	switch {
	case bytes.Equal(id, m.continued):
		return false
	case m.branch != nil: // which no server has seen messages of, but its own
		return true
	case m.serverIDs:
		return false
	}
	return passing(id) || m.messages != nil && m.messages.Has(id)
}

// callsShown reports whether the request shows all calls that the client has.
func (m *Mapper) callsShown() bool { return m.calls != nil && m.calls.Known }

// partComesAgain: clients that keep parts have them by the ids of their messages, and see others within one answer only.
func (m *Mapper) partComesAgain(id []byte) bool {
	switch {
	case m.branch != nil:
		return true
	case m.serverIDs:
		return false
	case m.messages != nil:
		return m.messages.Has(id)
	}
	return passing(id)
}

func (m *Mapper) callComesAgain(id []byte) bool {
	if m.callsShown() {
		had := m.calls.Find(id)
		return had != nil && had.Answered
	}
	return !m.serverIDs && passing(id)
}

func passing(id []byte) bool { return !Lasting(id) }

// isMade reports whether Sabir named a question, so that no agent waits for an answer by that name.
func isMade(id []byte) bool { return bytes.HasPrefix(id, []byte(hub.MadeAsk)) }

// decide gives an id of a class its suffix, if it must have one and has none yet.
func (m *Mapper) decide(c class, id []byte, again func([]byte) bool) {
	if len(id) > 0 && !m.knows(c, id) && again(id) {
		m.alias(c, id, append(append(make([]byte, 0, len(id)+len(m.suffix)), id...), m.suffix...))
	}
}

// alias notes that an id is written as out.
func (m *Mapper) alias(c class, id, out []byte) {
	if len(id) == 0 || bytes.Equal(id, out) {
		return
	}
	m.any = true
	m.changed.Put(string(m.keyOf(c, id)), out)
	m.last[c].forget()
}

func (m *Mapper) knows(c class, id []byte) bool {
	return m.any && m.changed.Has(m.keyOf(c, id))
}

func (m *Mapper) keyOf(c class, id []byte) []byte {
	m.key = append(append(m.key[:0], byte(c)), id...)
	return m.key
}

// follow writes the ids of an event as was decided.
func (m *Mapper) follow(ev *hub.Event) {
	ev.SubAgent, ev.Msg = m.name(subAgent, ev.SubAgent), m.name(message, ev.Msg)
	switch ev.Kind {
	case hub.TextStart, hub.TextDelta, hub.TextEnd:
		ev.ID = m.name(part, ev.ID)
	case hub.ToolStart, hub.ToolArgs, hub.ToolReady, hub.ToolUpdate, hub.ToolOutput, hub.ToolEnd:
		ev.ID = m.name(call, ev.ID)
	case hub.AgentStart, hub.AgentEnd:
		ev.ID, ev.Ref = m.name(subAgent, ev.ID), m.name(call, ev.Ref)
	case hub.StepStart, hub.StepEnd:
		ev.ID = m.name(step, ev.ID)
	case hub.Usage:
		ev.Ref = m.name(step, ev.Ref)
	case hub.Ask, hub.Answer:
		ev.ID, ev.Ref = m.name(question, ev.ID), m.name(call, ev.Ref)
	case hub.Source:
		ev.ID, ev.Ref = m.name(source, ev.ID), m.partOrCall(ev.Ref)
	case hub.File:
		ev.ID, ev.Ref = m.name(file, ev.ID), m.partOrCall(ev.Ref)
	}
}

func (m *Mapper) partOrCall(id []byte) []byte {
	if out := m.name(part, id); !bytes.Equal(out, id) {
		return out
	}
	return m.name(call, id)
}

// name is how an id of a class is written. Deltas come in runs of one id, or of a few that take turns, so what was found last is looked at first.
func (m *Mapper) name(c class, id []byte) []byte {
	if len(id) == 0 {
		return id
	}
	out, known := m.last[c].find(id)
	if !known {
		out, _ = m.changed.Find(m.keyOf(c, id))
		m.last[c].note(id, out)
	}
	if out == nil {
		return id
	}
	return out
}

// found are the ids of a class that were looked for last, and what they are written as; nil: as they are.
type found struct {
	ids  [4]struct{ id, out []byte }
	next uint8 // the place of the one that goes first
}

func (f *found) find(id []byte) (out []byte, known bool) {
	for i := range f.ids {
		if bytes.Equal(f.ids[i].id, id) {
			return f.ids[i].out, true
		}
	}
	return nil, false
}

func (f *found) note(id, out []byte) {
	at := &f.ids[f.next]
	at.id, at.out = append(at.id[:0], id...), out
	f.next = (f.next + 1) % uint8(len(f.ids))
}

func (f *found) forget() {
	for i := range f.ids {
		f.ids[i].id, f.ids[i].out = f.ids[i].id[:0], nil
	}
}

// appendTag appends 50 bits of a hash.
func appendTag(dst []byte, h uint64) []byte {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	for i := range 10 {
		dst = append(dst, digits[h>>(5*i+14)&31])
	}
	return dst
}
