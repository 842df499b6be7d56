package claudewire

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// ReadCitation sets the members of a source, which has room for rare ones, from a citation. Its own form goes along as the value, as the place in
// the document has as many forms as there are kinds of documents.
func ReadCitation(ev *hub.Event, citation rawjson.Value) {
	ev.Value = citation
	file := &ev.More.File
	for key, value := range rawjson.EachField(citation) {
		text := rawjson.Body(value)
		switch string(key) {
		case "title", "document_title":
			ev.Title = text
		case "cited_text":
			ev.Text = text
		case "url", "source":
			file.URL = text
		case "file_id":
			file.FileID = text
		}
	}
}
