package agui

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/recent"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
)

// All messages of a conversation share one space of ids: text, reasoning, tool results, activities, and the assistant
// messages that hold tool calls. A client that meets an id twice appends to what it has, in whatever role. And the
// client keeps its messages from run to run, so an id that is unique only within a run is not good enough either.

// role is what a message id stands for.
type role uint8

const (
	assistantText  role = iota // a text message of the agent
	assistantCalls             // an assistant message that so far only holds calls
	ownCall                    // the message that the client makes for a call without a parent
	otherText                  // a text message in another role
	reasoning
	toolResult
	activity
	promised // an upstream message id that later calls may name as their parent
)

// owner is who uses a message id.
type owner struct {
	role     role
	subAgent string
}

// ids are the message ids of one run.
type ids struct {
	tag   []byte             // makes ids of this run unlike those of other runs
	used  recent.Map[owner]  // by id on the wire
	spans recent.Map[string] // reasoning spans, by id on the wire -> sub-agent
	alias recent.Map[string] // sub-agent and upstream message -> its last text message on the wire
	calls batch
	buf   []byte
}

// batch is the message of the calls that came last, where the upstream names none that they are of; no id: something came behind them.
type batch struct {
	id       []byte
	subAgent string
}

// begin makes the message of a call one that further calls may be in.
func (b *batch) begin(id []byte, subAgent string) {
	b.id, b.subAgent = append(b.id[:0], id...), subAgent
}

func (b *batch) end() { b.id = b.id[:0] }

func (s *ids) reset() {
	s.used.Reset()
	s.spans.Reset()
	s.alias.Reset()
	s.calls.end()
	s.tag = s.tag[:0]
}

// seed derives the tag from what the client knows the run by: 40 bits of a hash, in base 32.
func (s *ids) seed(thread, run []byte) {
	const digits = "abcdefghijklmnopqrstuvwxyz234567"
	h := texthash.Pair(thread, run)
	s.tag = s.tag[:0]
	for i := range 8 {
		s.tag = append(s.tag, digits[h>>(24+5*i)&31])
	}
}

// appendSubAgent appends the id that a sub-agent has on the wire: its own, or if the sequencer counted it one that is unique
// beyond the run. It names one invocation, and clients keep it with the messages.
func (s *ids) appendSubAgent(dst, id []byte) []byte {
	if digits, ok := bytes.CutPrefix(id, []byte("a_")); ok && len(bytes.TrimLeft(digits, "0123456789")) == 0 {
		dst = append(append(dst, s.tag...), '-')
	}
	return append(dst, id...)
}

// name makes the id that a part has on the wire: its own if that is the id of an upstream message, else one that is
// unique beyond the run as well. Valid until the next call.
func (s *ids) name(id, msg []byte) []byte {
	switch {
	case len(msg) == 0:
		s.buf = append(append(s.buf[:0], s.tag...), '-')
	case string(id) == string(msg):
		return id
	default:
		s.buf = append(append(s.buf[:0], msg...), '-')
	}
	s.buf = append(s.buf, id...)
	return s.buf
}

// claim takes the wanted id for a message, or the next one like it that is free, and appends it to dst.
func (s *ids) claim(dst, want []byte, as owner) []byte {
	s.calls.end()
	from := len(dst)
	dst = append(dst, want...)
	n := len(dst)
	for i := 2; !s.free(dst[from:], as); i++ {
		dst = strconv.AppendInt(append(dst[:n], '-'), int64(i), 10)
	}
	s.used.Put(string(dst[from:]), as)
	return dst
}

// free reports whether a message may have that id.
func (s *ids) free(id []byte, as owner) bool {
	if subAgent, span := s.spans.Find(id); span && as.role == reasoning && subAgent != as.subAgent {
		return false // clients take a span and a message of the same id for one thing with one owner
	}
	have, taken := s.used.Find(id)
	if !taken {
		return true
	}
	// The text of a message whose calls came first joins them, as the upstream meant it.
	joins := have.role == assistantCalls || have.role == promised
	return as.role == assistantText && joins && have.subAgent == as.subAgent
}

// span takes the id of a reasoning span: the wanted one, unless another sub-agent has it; then that of the message.
func (s *ids) span(want, message []byte, subAgent string) []byte {
	id := want
	if have, taken := s.spans.Find(id); len(id) == 0 || taken && have != subAgent {
		id = message
	}
	if have, taken := s.used.Find(id); taken && have.role == reasoning && have.subAgent != subAgent {
		id = message
	}
	s.spans.Put(string(id), subAgent)
	return id
}

// promise remembers that the upstream message msg of a sub-agent is shown as the text message id, so that calls of that
// message find it, and that nothing else takes its id.
func (s *ids) promise(subAgent string, msg, id []byte) {
	if len(msg) == 0 {
		return
	}
	s.alias.Put(subAgent+"\x00"+string(msg), string(id))
	if _, taken := s.used.Find(msg); !taken {
		s.used.Put(string(msg), owner{promised, subAgent})
	}
}

// parent returns the message that a call belongs to; ok is false when it is to be a message of its own.
func (s *ids) parent(subAgent string, msg []byte) (id string, ok bool) {
	if len(msg) == 0 {
		return "", false
	}
	id, ok = s.alias.Get(subAgent + "\x00" + string(msg))
	if !ok {
		id = string(msg)
	}
	have, taken := s.used.Get(id)
	switch {
	case !taken:
		s.used.Put(id, owner{assistantCalls, subAgent})
		return id, true
	case have.subAgent != subAgent:
		return "", false
	case have.role == promised:
		s.used.Put(id, owner{assistantCalls, subAgent})
		return id, true
	}
	return id, have.role == assistantText || have.role == assistantCalls
}
