package adaptertest

import (
	"bytes"
	"encoding/json" //nolint:depguard // the judge must not be what it judges
	"errors"
	"flag"
	"fmt"
	"iter"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
)

var whichChanges = share{first: 0, of: 23}

func init() {
	flag.Var(&whichChanges, "changes", "which single changes of fixtures to try: all, or K/N, those from the K-th on, one in N")
}

// A share is which of the single changes tests try: a fixture has thousands of them.
type share struct{ first, of int }

// String implements flag.Value.
func (s *share) String() string { return fmt.Sprintf("%d/%d", s.first, s.of) }

var errShare = errors.New("want all, or K/N with K below N")

// Set implements flag.Value.
func (s *share) Set(text string) error {
	if text == "all" {
		*s = share{0, 1}
		return nil
	}
	var got share
	if _, err := fmt.Sscanf(text, "%d/%d", &got.first, &got.of); err != nil || got.String() != text || got.first < 0 || got.first >= got.of {
		return errShare
	}
	*s = got
	return nil
}

// replacements are one value of each kind that JSON has, and those that readers confuse with nothing.
var replacements = []string{`null`, `true`, `7`, `-1e400`, `""`, `"x"`, `[]`, `{}`, `[null]`, `{"type":7}`}

// A place is where a value stands, and from where to where the bytes go that leave out the value with its key.
type place struct{ from, to, outFrom, outTo int }

// changes are the bodies that differ in one value: it is left out, or it is a value of another kind. What recorded clients send
// covers what they use; this covers what a client could get wrong at each place of it. The order is always the same.
func changes(body []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, s := range places(body) {
			if s.outTo > s.outFrom && !yield(splice(body, s.outFrom, s.outTo, "")) {
				return
			}
			for _, r := range replacements {
				if !yield(splice(body, s.from, s.to, r)) {
					return
				}
			}
		}
	}
}

func splice(body []byte, from, to int, with string) []byte {
	out := make([]byte, 0, len(body)+len(with))
	return append(append(append(out, body[:from]...), with...), body[to:]...)
}

// places are the values of a body, the outer ones before what they hold.
func places(body []byte) (all []place) {
	s := placer{json: json.NewDecoder(bytes.NewReader(body)), body: body}
	s.value(-1)
	return s.all
}

type placer struct {
	json *json.Decoder
	body []byte
	all  []place
}

// value reads a value. It can be left out with what stands before it from member, which is negative where it cannot.
func (s *placer) value(member int) {
	at := len(s.all)
	token, err := s.json.Token()
	if err != nil {
		return
	}
	to := int(s.json.InputOffset())
	from := to - 1
	if _, composite := token.(json.Delim); !composite {
		from = s.start(member, to)
	}
	s.all = append(s.all, place{from: from})
	s.inside(token)
	s.all[at].to = int(s.json.InputOffset())
	s.all[at].outFrom, s.all[at].outTo = s.withComma(member, s.all[at].to)
}

// start is where a value that is neither list nor object begins.
func (s *placer) start(member, to int) int {
	raw := s.body[max(member, 0):to]
	if raw[len(raw)-1] != '"' {
		return max(member, 0) + bytes.LastIndexAny(raw, " \n\t:,[{") + 1
	}
	for i := to - 2; ; i-- {
		if s.body[i] == '"' && (i == 0 || s.body[i-1] != '\\') && json.Valid(s.body[i:to]) {
			return i
		}
	}
}

func (s *placer) inside(token json.Token) {
	switch token {
	case json.Delim('{'):
		for s.json.More() {
			from := int(s.json.InputOffset())
			if _, err := s.json.Token(); err != nil {
				return
			}
			s.value(s.skip(from))
		}
	case json.Delim('['):
		for s.json.More() {
			s.value(s.skip(int(s.json.InputOffset())))
		}
	default:
		return
	}
	_, _ = s.json.Token() // the bracket that closes
}

// skip is the place of the next byte that is neither white nor a comma.
func (s *placer) skip(at int) int {
	for bytes.IndexByte([]byte(" \n\r\t,"), s.body[at]) >= 0 {
		at++
	}
	return at
}

// withComma are the bytes to leave out so that what is left is JSON: those of the value, and a comma beside it.
func (s *placer) withComma(from, to int) (outFrom, outTo int) {
	if from < 0 {
		return 0, 0
	}
	if rest := bytes.TrimLeft(s.body[to:], " \n\r\t"); rest[0] == ',' {
		return from, len(s.body) - len(rest) + 1
	}
	before := bytes.TrimRight(s.body[:from], " \n\r\t")
	if before[len(before)-1] == ',' {
		return len(before) - 1, to
	}
	return from, to
}

// sampled are those of the changes that the flag asks for. Which one is first depends on the name, too, so that fixtures alike are not tried
// at the same places.
func sampled(all iter.Seq[[]byte], name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := len(name) + whichChanges.first
		for changed := range all {
			if i++; i%whichChanges.of == 0 && !yield(changed) {
				return
			}
		}
	}
}

// testChanges reads the request with single changes, and writes what can be read in every dialect.
func (f *fixture) testChanges(t *testing.T) {
	for body := range sampled(changes(f.section("body")), f.name) {
		for _, to := range adapters.All() {
			if err := translateAnything(f.dialect, to, body); err != nil {
				t.Errorf("%v\nthe change: %s", err, diff(string(f.section("body")), string(body)))
			}
		}
	}
}

// testStreamChanges reads the stream with single changes of its records.
func (f *fixture) testStreamChanges(t *testing.T) {
	for stream := range sampled(f.changedStreams(), f.name) {
		f.testStreamChange(t, stream)
	}
}

func (f *fixture) testStreamChange(t *testing.T, stream []byte) {
	defer func() {
		if t.Failed() {
			t.Fatalf("the change: %s", diff(string(f.wire), string(stream)))
		}
	}()
	changed := &fixture{dialect: f.dialect, options: f.options, endGrace: f.endGrace, wire: stream, hasWire: true, name: f.name}
	changed.fuzzDecode(t, len(stream)/2)
	if f.dialect.NewEncoder != nil {
		changed.fuzzEncode(t)
	}
	changed.fuzzWriters(t)
}

// changedStreams are the streams that differ in one value of one record whose JSON stands on a line.
func (f *fixture) changedStreams() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		at := 0
		for line := range bytes.Lines(f.wire) {
			from := bytes.IndexByte(line, '{')
			text := bytes.TrimSpace(line[max(from, 0):])
			if from >= 0 && json.Valid(text) {
				for changed := range changes(text) {
					if !yield(splice(f.wire, at+from, at+from+len(text), string(changed))) {
						return
					}
				}
			}
			at += len(line)
		}
	}
}
