package conversation

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// IDs gives out ids of one kind, each once: agents that pair or merge by id would take two with one id for one. An id that is
// there is kept for its first user; one that is made is like none of those. The same conversation always gets the same ids, and
// what is said later changes none of them, unless it names itself as one that was made. The zero value is ready, and knows nothing of
// what is said later.
type IDs struct {
	said  map[string]bool // by the conversation
	given map[string]bool
	next  map[string]int // number of the next id that is made of a base
}

// MessageIDs are for the messages of a conversation: those of the messages themselves, of results and of reasoning.
func MessageIDs(ms []hub.Message) *IDs {
	s := new(IDs)
	for i := range ms {
		if i == 0 || !bytes.Equal(ms[i].ID, ms[i-1].ID) { // else a step of the same message
			s.say(ms[i].ID)
		}
		for j := range ms[i].Parts {
			p := &ms[i].Parts[j]
			if p.Kind == hub.PartReasoning {
				s.say(p.ID)
			}
			if p.Result != nil {
				s.say(p.Result.ID)
			}
		}
	}
	return s
}

// CallIDs are for the calls of a conversation.
func CallIDs(ms []hub.Message) *IDs {
	s := new(IDs)
	for i := range ms {
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Kind == hub.PartCall {
				s.say(p.ID)
			}
		}
	}
	return s
}

// Of returns the id of a call, or one like it if there was such an id before. A call without an id is named call.
func (s *IDs) Of(id []byte) []byte { return s.Take(id, "call") }

func (s *IDs) say(id []byte) {
	if len(id) == 0 {
		return
	}
	if s.said == nil { // made late: most conversations name few things
		s.said = map[string]bool{}
	}
	s.said[string(id)] = true
}

// Take returns id for its first user, and one like it for others. Without an id it is made of base.
func (s *IDs) Take(id []byte, base string) []byte {
	if len(id) == 0 {
		return s.Make(base)
	}
	if s.given[string(id)] {
		return s.Make(Base(id))
	}
	s.give(string(id))
	return id
}

// longest is how much of an id stands in the ids that are made of it. A request may name thousands of things by one id of a megabyte.
const longest = 128

// Base is what ids are made of in place of an id: the id, or the beginning of one that is long, without the characters that are
// written with more than one byte, as a part of one would be none.
func Base(id []byte) string {
	if len(id) <= longest {
		return string(id)
	}
	base := string(id[:longest])
	if i := strings.IndexFunc(base, func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf }); i >= 0 {
		base = base[:i]
	}
	return base
}

// Make returns an id that is base, or base and a number.
func (s *IDs) Make(base string) []byte {
	id := base
	for n := max(s.next[base], 2); s.said[id] || s.given[id]; n++ {
		id = base + "_" + strconv.Itoa(n)
		if s.next == nil {
			s.next = map[string]int{}
		}
		s.next[base] = n + 1
	}
	s.give(id)
	return []byte(id)
}

func (s *IDs) give(id string) {
	if s.given == nil {
		s.given = map[string]bool{}
	}
	s.given[id] = true
}
