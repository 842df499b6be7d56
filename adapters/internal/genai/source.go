package genai

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
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
		web := rawjson.Get(chunk, "web")
		if web == nil {
			web = Get(chunk, "retrievedContext", "retrieved_context")
		}
		dst = s.source(dst, scratch, web)
	}
	return dst
}

// Citations appends the new sources of a citationMetadata.
func (s *Sources) Citations(dst []hub.Event, scratch *hub.Scratch, v rawjson.Value) []hub.Event {
	if v == nil {
		return dst
	}
	for c := range rawjson.Each(Either(rawjson.Get(v, "citations"), rawjson.Get(v, "citationSources"))) {
		dst = s.source(dst, scratch, c)
	}
	return dst
}

// source appends a source that has not been named yet.
func (s *Sources) source(dst []hub.Event, scratch *hub.Scratch, v rawjson.Value) []hub.Event {
	url := rawjson.Text(v, "uri")
	title := rawjson.Text(v, "title")
	if len(url)+len(title) == 0 {
		return dst
	}
	key := scratch.Since(append(append(append(scratch.Begin(), url...), 0), title...))
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
	ev.More.File.URL = url
	ev.Text = rawjson.Text(v, "text")
	return dst
}

// groundingHead and groundingTail enclose the chunks of the member groundingMetadata.
const groundingHead, groundingTail = `,"groundingMetadata":{"groundingChunks":[`, `]}`

// AppendSource appends the member groundingMetadata that names one source with its comma, if it has a URL.
func AppendSource(dst []byte, ev *hub.Event) (grown []byte, ok bool) {
	if ev.More == nil || len(ev.More.File.URL) == 0 {
		return dst, false
	}
	dst = appendChunk(append(dst, groundingHead...), ev.Title, &ev.More.File)
	return append(dst, groundingTail...), true
}

// AppendSources appends the member for all sources of an answer that have a URL, nothing where there are none. Others are lost.
func AppendSources(dst []byte, parts []*hub.Part, l *hub.Losses) []byte {
	head := groundingHead
	for _, p := range parts {
		switch {
		case p.Kind != hub.PartSource:
		case p.File == nil || len(p.File.URL) == 0:
			l.Add("messages.source")
		default:
			dst, head = appendChunk(append(dst, head...), p.Title, p.File), ","
		}
	}
	if head == groundingHead {
		return dst
	}
	return append(dst, groundingTail...)
}

func appendChunk(dst, title []byte, f *hub.FileRef) []byte {
	dst = append(append(dst, `{"web":{"uri":"`...), f.URL...)
	if title = rawjson.First(title, f.Name); len(title) > 0 {
		dst = append(append(dst, `","title":"`...), title...)
	}
	return append(dst, `"}}`...)
}
