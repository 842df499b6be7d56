package aisdk

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/eventjson"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

func (d *decoder) sourceURL(dst []hub.Event) ([]hub.Event, error) {
	url, err := member.Text(d.rec.URL, "url")
	if err != nil {
		return dst, err
	}
	dst, ev := d.source(dst)
	ev.More.File.URL = url
	return dst, nil
}

func (d *decoder) sourceDocument(dst []hub.Event) ([]hub.Event, error) {
	dst, ev := d.source(dst)
	ev.More.File.Media, ev.More.File.Name = rawjson.Body(d.rec.MediaType), rawjson.Body(d.rec.Filename)
	return dst, nil
}

func (d *decoder) source(dst []hub.Event) ([]hub.Event, *hub.Event) {
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Source})
	ev.ID, ev.Title, ev.Text = rawjson.Body(d.rec.SourceID), rawjson.Body(d.rec.Title), quoteOf(d.rec.ProviderMetadata)
	ev.Value = rawjson.NotNull(d.own("place"))
	d.scratch.MoreOf(ev).File.FileID = rawjson.Body(d.own("fileId"))
	return dst, ev
}

// quoteOf is what metadata quote of a source: in our own, or as the provider for Anthropic has it.
func quoteOf(metadata rawjson.Value) []byte {
	if metadata == nil {
		return nil
	}
	return rawjson.First(rawjson.Text(metadata, ownKey, "quote"), rawjson.Text(metadata, "anthropic", "citedText"))
}

// citation passes one reference of a text part.
func (d *decoder) citation(dst []hub.Event, part []byte, v rawjson.Value) []hub.Event {
	source := rawjson.Get(v, "source")
	if rawjson.Kind(source) != '{' {
		return dst
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Source, Msg: d.message, Ref: part})
	ev.ID, ev.Title, ev.Text = rawjson.Text(source, "id"), rawjson.Text(source, "title"), rawjson.Text(v, "citedText")
	f := &d.scratch.MoreOf(ev).File
	f.URL, f.Media, f.Name = rawjson.Text(source, "url"), rawjson.Text(source, "mediaType"), rawjson.Text(source, "filename")
	start, from := rawjson.Int(rawjson.Get(v, "startIndex"))
	end, to := rawjson.Int(rawjson.Get(v, "endIndex"))
	if from && to {
		b := append(d.scratch.Begin(), `{"start":`...)
		b = strconv.AppendInt(append(strconv.AppendInt(b, start, 10), `,"end":`...), end, 10)
		ev.Value = d.scratch.Since(append(b, '}'))
	}
	return dst
}

// file passes a file. A data: URL holds its bytes.
func (d *decoder) file(dst []hub.Event) ([]hub.Event, error) {
	url, err := member.Text(d.rec.URL, "url")
	if err != nil {
		return dst, err
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.File})
	f := &d.scratch.MoreOf(ev).File
	f.Media, f.Name = rawjson.Body(d.rec.MediaType), rawjson.Body(d.own("name"))
	ev.Title, ev.Text = rawjson.Body(d.own("title")), rawjson.Body(d.own("description"))
	if head, data, ok := bytes.Cut(url, []byte(";base64,")); ok && bytes.HasPrefix(head, []byte("data:")) {
		f.Base64 = data
		if len(f.Media) == 0 {
			f.Media = head[len("data:"):]
		}
		return dst, nil
	}
	f.URL = url
	return dst, nil
}

// ownParts are the data parts that the encoder writes for kinds that have no chunk. One of the same name but another form
// is somebody else's.
var ownParts = map[string]func(*decoder, []hub.Event) ([]hub.Event, bool){
	"plan":        (*decoder).planPart,
	"notice":      (*decoder).noticePart,
	"usage":       (*decoder).usagePart,
	"tool-update": (*decoder).updatePart,
	"ask":         (*decoder).askPart,
	"answer":      (*decoder).answerPart,
}

// dataPart passes data of the application. With an id each replaces the one before.
func (d *decoder) dataPart(dst []hub.Event, name []byte) []hub.Event {
	if string(name) == hub.ExtensionKey {
		return dst // see extension
	}
	if read, ok := ownParts[string(name)]; ok && rawjson.Kind(d.rec.Data) == '{' {
		if with, ok := read(d, dst); ok {
			return with
		}
	}
	name = rawjson.Or(name, "data")
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Data, Name: name, Msg: d.message, Op: hub.Emit, Value: d.rec.Data})
	if id := rawjson.Body(d.rec.ID); len(id) > 0 {
		ev.Op = hub.Set
		if !bytes.Equal(id, name) { // else it is the encoder's, for want of one
			ev.ID = id
		}
	}
	if rawjson.IsTrue(d.rec.Transient) {
		ev.Flags |= hub.Transient
	}
	return dst
}

// datum is a string member of the data.
func (d *decoder) datum(name string) []byte { return rawjson.Text(d.rec.Data, name) }

func (d *decoder) planPart(dst []hub.Event) ([]hub.Event, bool) {
	items := rawjson.Get(d.rec.Data, "items")
	if rawjson.Kind(items) != '[' {
		return dst, false
	}
	more := d.scratch.More()
	for v := range rawjson.Each(items) {
		item := hub.PlanItem{
			ID: rawjson.Text(v, "id"), Content: rawjson.Text(v, "content"),
			Status: rawjson.Text(v, "status"), Priority: rawjson.Text(v, "priority"),
		}
		if item.Content == nil || item.Status == nil {
			return dst, false
		}
		more.Items = append(more.Items, item)
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Plan, Msg: d.message, More: more})
	if id := rawjson.Body(d.rec.ID); string(id) != "plan" {
		ev.ID = id
	}
	return dst, true
}

func (d *decoder) noticePart(dst []hub.Event) ([]hub.Event, bool) {
	level, ok := hub.ParseLevel(d.datum("level"))
	if !ok || level == hub.LevelNone {
		return dst, false
	}
	return append(dst, hub.Event{Kind: hub.Notice, Level: level, Text: d.datum("text"), Name: d.datum("code")}), true
}

func (d *decoder) usagePart(dst []hub.Event) ([]hub.Event, bool) {
	scope, ok := hub.ParseScope(d.datum("scope"))
	more := d.scratch.More()
	if !ok || scope == hub.ScopeNone || !readCounts(&more.Usage, d.rec.Data) {
		return dst, false
	}
	more.Model = d.datum("model")
	return append(dst, hub.Event{Kind: hub.Usage, Scope: scope, More: more}), true
}

func (d *decoder) updatePart(dst []hub.Event) ([]hub.Event, bool) {
	id := d.datum("toolCallId")
	if len(id) == 0 {
		return dst, false
	}
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Title, ev.Text, ev.Value = hub.ToolUpdate, id, d.datum("title"), d.datum("text"), rawjson.Get(d.rec.Data, "value")
	ev.Status, _ = hub.ParseStatus(d.datum("status"))
	if percent := rawjson.Get(d.rec.Data, "percent"); rawjson.Kind(percent) == '0' {
		d.scratch.MoreOf(ev).Percent = percent
	}
	return dst, true
}

func (d *decoder) askPart(dst []hub.Event) ([]hub.Event, bool) {
	what, ok := hub.ParseAskKind(d.datum("what"))
	id := rawjson.Body(d.rec.ID)
	if !ok || what == hub.AskNone || len(id) == 0 {
		return dst, false
	}
	dst, ev := hub.Add(dst, hub.Event{Kind: hub.Ask, ID: id, AskKind: what, Ref: d.datum("toolCallId")})
	r := eventjson.Reader{Scratch: &d.scratch}
	r.Read(ev, d.rec.Data, eventjson.Title|eventjson.Text|eventjson.Value|eventjson.Question)
	d.asked(id)
	return dst, true
}

func (d *decoder) answerPart(dst []hub.Event) ([]hub.Event, bool) {
	status, ok := hub.ParseStatus(d.datum("status"))
	id := rawjson.Body(d.rec.ID)
	if !ok || status == hub.StatusNone || len(id) == 0 {
		return dst, false
	}
	delete(d.asks, string(id))
	dst, ev := hub.Grow(dst)
	ev.Kind, ev.ID, ev.Status, ev.Name, ev.Value = hub.Answer, id, status, d.datum("option"), rawjson.Get(d.rec.Data, "value")
	return dst, true
}
