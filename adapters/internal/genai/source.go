package genai

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// maxSources bounds the sources that are distinguished.
const maxSources = 1024

// Sources are those that a stream has named: later records repeat those of earlier ones. The zero value is ready.
type Sources struct{ seen map[string]struct{} }

// Reset forgets all.
func (s *Sources) Reset() { clear(s.seen) }

// Grounding appends the new sources of a groundingMetadata.
func (s *Sources) Grounding(dst []hub.Event, scratch *hub.Scratch, v rawjson.Value) []hub.Event {
	if v == nil {
		return dst
	}
	for chunk := range rawjson.Each(Get(v, "groundingChunks", "grounding_chunks")) {
		web, found := rawjson.Get(chunk, "web"), Get(chunk, "retrievedContext", "retrieved_context")
		if web == nil {
			web = found
		}
		dst = s.source(dst, scratch, web, rawjson.Text(found, "text"))
	}
	return dst
}

// Citations appends the new sources of a citationMetadata.
func (s *Sources) Citations(dst []hub.Event, scratch *hub.Scratch, v rawjson.Value) []hub.Event {
	if v == nil {
		return dst
	}
	for c := range rawjson.Each(Either(rawjson.Get(v, "citations"), rawjson.Get(v, "citationSources"))) {
		dst = s.source(dst, scratch, c, nil)
	}
	return dst
}

// source appends a source that has not been named yet, with the passage that was found there. A document of a store has no address: its uri is its
// name there.
func (s *Sources) source(dst []hub.Event, scratch *hub.Scratch, v rawjson.Value, quote []byte) []hub.Event {
	url := rawjson.Text(v, "uri")
	title := rawjson.Text(v, "title")
	if len(url)+len(title) == 0 {
		return dst
	}
	key := append(append(append(scratch.Begin(), url...), 0), title...)
	key = scratch.Since(append(append(key, 0), quote...))
	if _, seen := s.seen[string(key)]; seen {
		return dst
	}
	if s.seen == nil {
		s.seen = map[string]struct{}{}
	}
	if len(s.seen) < maxSources {
		s.seen[string(key)] = struct{}{}
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.Title, ev.More = hub.Source, title, scratch.More()
	ev.More.File.URL, ev.Text = url, quote
	if len(url) > 0 && !bytes.Contains(url, []byte(":")) {
		ev.More.File.URL = nil
		if !bytes.Equal(url, title) {
			ev.More.File.FileID = url
		}
	}
	return dst
}

// groundingHead and groundingTail enclose the chunks of the member groundingMetadata.
const groundingHead, groundingTail = `,"groundingMetadata":{"groundingChunks":[`, `]}`

// AppendSource appends the member groundingMetadata that names one source with its comma. Which words of the answer it is of has no place there.
func AppendSource(dst []byte, ev *hub.Event) (grown []byte, disposition hub.Disposition) {
	f := &ev.Rare().File
	if len(called(ev.Title, f)) == 0 {
		return dst, hub.Dropped
	}
	dst = appendChunk(append(dst, groundingHead...), ev.Title, ev.Text, f)
	return append(dst, groundingTail...), hub.FoldedIf(lacks(ev.Title, ev.Text, f, ev.Value))
}

// AppendSources appends the member for all sources of an answer, nothing where there are none. Those without a name are lost.
func AppendSources(dst []byte, parts []*hub.Part, l *hub.Losses) []byte {
	head := groundingHead
	for _, p := range parts {
		switch {
		case p.Kind != hub.PartSource:
		case p.File == nil || len(called(p.Title, p.File)) == 0:
			l.Add("messages.source")
		default:
			l.AddIf("messages.source", lacks(p.Title, p.Text, p.File, p.Value))
			dst, head = appendChunk(append(dst, head...), p.Title, p.Text, p.File), ","
		}
	}
	if head == groundingHead {
		return dst
	}
	return append(dst, groundingTail...)
}

// called is what a source is called.
func called(title []byte, f *hub.FileRef) []byte {
	return rawjson.First(title, f.Name, f.URL, f.FileID)
}

// lacks reports whether the chunk of a source says less than it: which words of the answer it is of, a name beside a title, or what is quoted of a page.
func lacks(title, quote []byte, f *hub.FileRef, place rawjson.Value) bool {
	page := len(f.URL) > 0
	return place != nil || len(f.Name) > 0 && len(title) > 0 || page && len(f.FileID)+len(quote) > 0
}

// appendChunk appends a page, or a document. A chunk is one of both, and that of a page has no place for what is quoted.
func appendChunk(dst, title, quote []byte, f *hub.FileRef) []byte {
	if len(f.URL) > 0 {
		dst = append(append(dst, `{"web":{"uri":"`...), f.URL...)
		return append(member.AppendText(append(dst, '"'), `,"title":"`, rawjson.First(title, f.Name)), "}}"...)
	}
	dst = append(append(dst, `{"retrievedContext":{"uri":"`...), rawjson.First(f.FileID, f.Name, title)...)
	dst = append(append(append(dst, `","title":"`...), called(title, f)...), '"')
	return append(member.AppendText(dst, `,"text":"`, quote), "}}"...)
}
