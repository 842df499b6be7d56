package copilot

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// An EmbedStore remembers what outputs were announced as, so that the markers of a history that is read later can be
// announced again. It holds a limited number; of more, the oldest is forgotten. Whoever makes it owns it: queues of
// several goroutines must not share one.
type EmbedStore struct {
	known  map[string]Embed
	oldest []string // ring of keys
	next   int
}

// maxEmbedText is how long provider and title of a remembered embed may be together, in bytes; it is no embed otherwise.
const maxEmbedText = 1 << 10

// NewEmbedStore makes a store for up to size outputs.
func NewEmbedStore(size int) *EmbedStore {
	return &EmbedStore{known: map[string]Embed{}, oldest: make([]string, max(size, 1))}
}

// Add remembers an output of a session. id is plain text. It copies what it keeps.
func (s *EmbedStore) Add(session, id []byte, e Embed) {
	if len(id) == 0 || len(session)+len(id)+len(e.Provider)+len(e.Title) > maxEmbedText {
		return
	}
	key := embedKey(session, id)
	if _, again := s.known[key]; !again {
		delete(s.known, s.oldest[s.next])
		s.oldest[s.next] = key
		s.next = (s.next + 1) % len(s.oldest)
	}
	s.known[key] = Embed{Provider: bytes.Clone(e.Provider), Title: bytes.Clone(e.Title)}
}

// Lookup finds what an output of a session is; ok is false for one that was not announced. Its slices must not be changed.
func (s *EmbedStore) Lookup(session, id []byte) (e Embed, ok bool) {
	e, ok = s.known[embedKey(session, id)]
	return e, ok
}

func embedKey(session, id []byte) string { return string(session) + "\x00" + string(id) }

// note remembers an announcement as it came.
func (s *EmbedStore) note(session []byte, data rawjson.Value) {
	plain := func(member string) []byte { return rawjson.AppendUnescaped(nil, rawjson.Text(data, member)) }
	s.Add(session, plain("outputId"), Embed{Provider: plain("provider"), Title: plain("title")})
}
