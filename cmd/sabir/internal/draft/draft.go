// Package draft guesses what the records of a stream mean that no dialect knows, and writes it as a dialect of one's own.
//
// draft.go and parts.go tell the records apart, guess.go says what each is about, roles.go what their members are for, tools.go what they say of
// calls and usage, and yaml.go writes the description.
package draft

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

// record is a record that is a JSON object.
type record struct {
	event   string
	members map[string]any
	raw     []byte
}

// group is the records of one type.
type group struct {
	name    string // the type; "" where records have none
	sign    string // where they have none: the member that only these have, "" if there is none
	part    string // path of the text that they carry, where other records of their type carry others; "" for no part
	records []record
	text    string // path of the text that they carry, "" for none
	grows   bool   // each text has all of the one before it
	flag    string // path of what is true, or a text, in the last record of the stream alone; "" for none
	says    bool   // the end of the run has text of the answer, too
	tool    *tool  // what they say of calls; nil for nothing
	counts  []count
	means   meaning
}

// stream is what is known of a stream.
type stream struct {
	framing wire.Framing
	typed   string // path of the type, "@event", or "" if records have none
	endMark string // a last record that is no JSON
	groups  []*group
	byName  bool // calls are distinguished by the names of their tools
}

// Dialect returns the description of a dialect that reads the records; nil if none of them is a JSON object.
func Dialect(records []wire.Record, framing wire.Framing) []byte {
	s := stream{framing: framing}
	read := s.read(records)
	if len(read) == 0 {
		return nil
	}
	s.typed = typeOf(read)
	for _, r := range read {
		s.add(r)
	}
	s.part()
	s.guess(read[len(read)-1])
	return s.yaml()
}

// read returns the records that are JSON objects.
func (s *stream) read(records []wire.Record) (read []record) {
	for _, rec := range records {
		r := record{event: string(rec.Event), raw: rec.Data}
		if json.Unmarshal(rec.Data, &r.members) == nil && r.members != nil {
			read = append(read, r)
			s.endMark = ""
			continue
		}
		s.endMark = string(rec.Data)
	}
	return read
}

// typeNames are the members that mostly say the type of a record, the likeliest first. The last are as often names of what is said.
var typeNames = []string{"type", "event", "kind", "ev", "op", "action", "t"}

const weakNames = 3 // of typeNames

// typeOf is the path of what says the type of every record: of what might be it, the first that tells records apart. What is the same in all
// is it only if they are alike in all.
func typeOf(records []record) string {
	const event = "@event"
	var same string
	for i, path := range append([]string{event}, typeNames...) {
		names := map[string]bool{}
		for _, r := range records {
			names[nameAt(r, path)] = true
		}
		weak := i > len(typeNames)-weakNames
		switch {
		case names[""] || weak && !slices.ContainsFunc(records, func(r record) bool { return saysBeside(r, path) }):
		case len(names) > 1:
			return path
		case same == "":
			same = path
		}
	}
	for _, r := range records {
		if !sameMembers(records[0], r) {
			return ""
		}
	}
	return same
}

// nameAt is the type that a record has if it stands there, "" for none.
func nameAt(r record, path string) string {
	switch path {
	case "":
		return ""
	case "@event":
		return r.event
	}
	return word(r.members[path])
}

// saysBeside reports whether a record has a text elsewhere.
func saysBeside(r record, path string) bool {
	texts := textsOf(r)
	delete(texts, path)
	return len(texts) > 0
}

var isWord = regexp.MustCompile(`^[A-Za-z][\w.:/-]{0,63}$`)

// word is a value that can be the name of a type.
func word(value any) string {
	text, _ := value.(string)
	if isWord.MatchString(text) {
		return text
	}
	return ""
}

// add puts a record to those of its type, or, without types, to those with the same members.
func (s *stream) add(r record) {
	name := nameAt(r, s.typed)
	for _, g := range s.groups {
		if g.name == name && (s.typed != "" || sameMembers(g.records[0], r)) {
			g.records = append(g.records, r)
			return
		}
	}
	s.groups = append(s.groups, &group{name: name, records: []record{r}})
}

func sameMembers(a, b record) bool {
	if len(a.members) != len(b.members) {
		return false
	}
	for name := range a.members {
		if _, there := b.members[name]; !there {
			return false
		}
	}
	return true
}
