package conversation

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A Chain is what a client has said in a conversation, one link for each message of the user's: it tells a conversation that goes on
// from one that leaves it. What the agent said does not count: translated answers do not come back as the agent gave them.
type Chain []Link

// A Link stands for all that the user has said up to a message.
type Link [16]byte

// ChainOf returns the chain of a conversation, and where the messages of its links stand. Messages in which the user says nothing, such as
// some clients put behind results, are no links.
func ChainOf(ms []hub.Message) (c Chain, at []int) {
	l := linker{hash: sha256.New()}
	for i := range ms {
		if ms[i].Role == hub.RoleUser && l.add(ms[i].Parts) {
			c, at = append(c, l.last), append(at, i)
		}
	}
	return c, at
}

// linker makes the links of a chain.
type linker struct {
	hash hash.Hash
	last Link
	text []byte // of a part, reused
	sum  [sha256.Size]byte
}

// add makes the link of a message, and reports whether anything is said there. Marks are not hashed, nor are ids, which clients make anew.
func (l *linker) add(parts []hub.Part) (says bool) {
	l.hash.Reset()
	l.hash.Write(l.last[:])
	for i := range parts {
		switch p := &parts[i]; p.Kind {
		case hub.PartText:
			text := l.spoken(p.Text)
			says = says || len(text) > 0
			l.hash.Write(text)
		case hub.PartFile:
			says = true
			for _, b := range [][]byte{p.File.URL, p.File.FileID, p.File.Base64} {
				l.hash.Write(b)
				l.hash.Write([]byte{0})
			}
		case hub.PartData, hub.PartRaw:
			says = true
			l.hash.Write(p.Value)
		}
	}
	if says {
		l.last = Link(l.hash.Sum(l.sum[:0]))
	}
	return says
}

// contexts are elements that clients put in front of what the user says. They may hold what changes from turn to turn, such as the date.
var contexts = []string{"system-reminder", "environment_context"}

// spoken is what the user has said in a text: without those, and without blanks at its ends, which clients trim.
func (l *linker) spoken(body []byte) []byte {
	l.text = rawjson.AppendUnescaped(l.text[:0], body)
	text := bytes.TrimSpace(l.text)
	for {
		rest := withoutContext(text)
		if len(rest) == len(text) {
			return text
		}
		text = rest
	}
}

// withoutContext takes one such element off the front.
func withoutContext(text []byte) []byte {
	for _, name := range contexts {
		if !bytes.HasPrefix(text, []byte("<"+name+">")) {
			continue
		}
		if _, rest, ok := bytes.Cut(text, []byte("</"+name+">")); ok {
			return bytes.TrimSpace(rest)
		}
	}
	return text
}

// Instructions stand for what a conversation has of them; the zero value is for none.
func Instructions(ms []hub.Message) Link {
	var l linker
	for i := range ms {
		if ms[i].Role != hub.RoleSystem {
			continue
		}
		if l.hash == nil {
			l.hash = sha256.New()
		}
		l.add(ms[i].Parts)
	}
	return l.last
}

// Common is how many links two chains share at their beginning. Each link stands for those before it.
func (c Chain) Common(other Chain) int {
	n := min(len(c), len(other))
	for n > 0 && c[n-1] != other[n-1] {
		n--
	}
	return n
}

// Words are what an agent says in a turn, to tell apart conversations in which users have said the same. Blanks do not count.
type Words struct {
	hash hash.Hash
	text []byte // without blanks, not hashed yet
}

// hashedAtOnce is how much text is hashed together: pieces are mostly shorter than a block.
const hashedAtOnce = 512

// Add adds a piece of a text, a string body.
func (w *Words) Add(body []byte) {
	at := len(w.text)
	w.text = rawjson.AppendUnescaped(w.text, body)
	w.text = w.text[:at+withoutBlanks(w.text[at:])]
	if len(w.text) >= hashedAtOnce {
		w.hashText()
	}
}

// withoutBlanks takes the blanks out of a text, and returns how much is left.
func withoutBlanks(text []byte) (end int) {
	for i, c := range text {
		switch {
		case c >= utf8.RuneSelf:
			for word := range bytes.FieldsSeq(text[i:]) {
				end += copy(text[end:], word)
			}
			return end
		case c > ' ' || c < '\t' || c > '\r' && c < ' ':
			text[end] = c
			end++
		}
	}
	return end
}

func (w *Words) hashText() {
	if w.hash == nil {
		w.hash = sha256.New()
	}
	w.hash.Write(w.text)
	w.text = w.text[:0]
}

// Sum is what stands for the words so far.
func (w *Words) Sum() (l Link) {
	if len(w.text) > 0 {
		w.hashText()
	}
	if w.hash != nil {
		l = Link(w.hash.Sum(nil))
	}
	return l
}

// WordsBehind are the words of the agent behind a message, up to the next one of the user's.
func WordsBehind(ms []hub.Message, at int) Link {
	w := WordsOf(ms, at)
	return w.Sum()
}

// WordsOf are the same words, to which others can be added.
func WordsOf(ms []hub.Message, at int) (w Words) {
	for _, m := range ms[at+1:] {
		if m.Role == hub.RoleUser && (&linker{hash: sha256.New()}).add(m.Parts) {
			break
		}
		for i := range m.Parts {
			if m.Role == hub.RoleAgent && m.Parts[i].Kind == hub.PartText {
				w.Add(m.Parts[i].Text)
			}
		}
	}
	return w
}

// Since is what a request says that is new to an agent which keeps the conversation and knows the first messages of the user's: the others,
// whose places are at, with results and answers for what the agent said last.
func Since(req *hub.Request, at []int) *hub.Request {
	news := *req
	news.Answers, news.Messages, news.Partial = Decided(req), nil, true
	if calls := Returned(req); len(calls) > 0 {
		news.Messages = append(news.Messages, hub.Message{Role: hub.RoleResults, Parts: calls})
	}
	for _, i := range at {
		news.Messages = append(news.Messages, req.Messages[i])
	}
	return &news
}

// From is what a request says to an agent that knows nothing of the conversation, and takes only words of the user's: the last of them,
// which stands at a place, behind a preamble that tells what was said before.
func From(req *hub.Request, at int) *hub.Request {
	news := *req
	news.Answers, news.Partial = nil, true
	said := req.Messages[at]
	if before := Preamble(req.Messages[:at]); before != nil {
		said.Parts = append([]hub.Part{{Kind: hub.PartText, Text: before}}, said.Parts...)
	}
	news.Messages = []hub.Message{said}
	return &news
}

// Upto is what a request says to an agent that knows nothing of the conversation, and takes all of it: up to the last words of the
// user's, which stand at a place.
func Upto(req *hub.Request, at int) *hub.Request {
	whole := *req
	whole.Answers, whole.Messages = nil, req.Messages[:at+1]
	return &whole
}
