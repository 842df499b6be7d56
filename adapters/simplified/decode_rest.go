package simplified

import (
	"bytes"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/internal/texthash"
	"github.com/sabir-proxy/sabir/adapters/usage"
)

// maxSeen is how many documents are remembered; of more, the final list may repeat some.
const maxSeen = 4096

// sourceList numbers the documents of a run, and knows which have come.
type sourceList struct {
	n    int
	seen map[uint64]struct{}
}

// add counts a document and reports whether it is new.
func (s *sourceList) add(doc, url []byte) bool {
	if len(url) > 0 {
		doc = url
	}
	key := texthash.Of(doc)
	if _, known := s.seen[key]; known {
		return false
	}
	if s.seen == nil {
		s.seen = map[uint64]struct{}{}
	}
	if len(s.seen) < maxSeen {
		s.seen[key] = struct{}{}
	}
	return true
}

// documents makes a source of each document. The final list holds all that have been added, once more.
func (d *decoder) documents(dst []hub.Event, f *frame, typ []byte) ([]hub.Event, error) {
	if rawjson.Kind(f.Data) != '[' {
		return dst, hub.NewError(hub.ReasonType, "data", -1, "want an array of documents")
	}
	for doc := range rawjson.Each(f.Data) {
		url := rawjson.Text(doc, "metadata", "url")
		isNew := d.sources.add(doc, url)
		if rawjson.Kind(doc) == '{' && (isNew || string(typ) == typeSourcesAdded) {
			dst = d.source(dst, f, doc, url)
		}
	}
	return dst, nil
}

// source tells what others show of a document, and keeps the document: its further metadata are the server's own.
func (d *decoder) source(dst []hub.Event, f *frame, doc rawjson.Value, url []byte) []hub.Event {
	d.sources.n++
	dst, ev := d.event(dst, hub.Event{Kind: hub.Source})
	ev.ID = d.scratch.Since(strconv.AppendInt(append(d.scratch.Begin(), "src_"...), int64(d.sources.n), 10))
	ev.Title, ev.Text = rawjson.Text(doc, "metadata", "title"), rawjson.Text(doc, "pageContent")
	d.scratch.MoreOf(ev).File.URL = url
	if len(url) == 0 {
		ev.More.File.Name = rawjson.Text(doc, "metadata", "source")
	}
	meta := append(append(d.scratch.Begin(), metaHead+`"document":`...), doc...)
	meta = member.AppendRaw(meta, `,"searchQuery":`, f.SearchQuery)
	meta = member.AppendRaw(meta, `,"searchUrl":`, f.SearchURL)
	ev.More.Meta = d.scratch.Since(append(meta, "}}"...))
	return dst
}

// stats is the usage so far, of the whole run.
func (d *decoder) stats(dst []hub.Event, stats rawjson.Value) []hub.Event {
	dst, ev := d.event(dst, hub.Event{Kind: hub.Usage, Scope: hub.RunScope})
	more := d.scratch.MoreOf(ev)
	more.Usage = countsOf(stats)
	more.Model = rawjson.Text(stats, "modelName")
	if d.depth == 0 {
		d.counts = more.Usage
	}
	if rawjson.Kind(stats) == '{' {
		d.keep(ev, typeStats, stats)
	}
	return dst
}

// countsOf reads the totals; the server tells them apart by its two models as well, which no other dialect does.
func countsOf(stats rawjson.Value) hub.Counts {
	c := hub.NoCounts
	counts.Read(&c, rawjson.Get(stats, "usage"))
	return c
}

var counts = usage.Fields{
	usage.At(usage.In, "input_tokens"), usage.At(usage.Out, "output_tokens"), usage.At(usage.Total, "total_tokens"),
}

func sameCounts(a, b *hub.Counts) bool { return a.In == b.In && a.Out == b.Out && a.Total == b.Total }

// progress is something for people to read while they wait.
func (d *decoder) progress(dst []hub.Event, f *frame) []hub.Event {
	dst, ev := d.event(dst, hub.Event{Kind: hub.Notice, Level: hub.LevelStatus, Text: rawjson.Text(f.Data, "message")})
	current, ok := rawjson.Int(rawjson.Get(f.Data, "current"))
	total, ok2 := rawjson.Int(rawjson.Get(f.Data, "total"))
	if ok && ok2 && 0 <= current && current <= total && 0 < total && total < 1<<32 {
		d.scratch.MoreOf(ev).Percent = d.scratch.Since(strconv.AppendInt(d.scratch.Begin(), current*100/total, 10))
	}
	d.keepRest(ev, f.Data, "message")
	return dst
}

// maxAsks is how many questions are remembered.
const maxAsks = 256

// asked decodes the questions of version 2 and what came of them: a family of types, one for each kind of question.
// What belongs to none is raw.
func (d *decoder) asked(dst []hub.Event, f *frame, typ []byte, data rawjson.Value) []hub.Event {
	id := askID(f.Data)
	if len(id) == 0 {
		return d.raw(dst, data)
	}
	for _, end := range [...]string{endPending, endAnswered, endCancelled, endStale} {
		kind, ok := bytes.CutSuffix(typ, []byte(end))
		switch {
		case !ok:
			continue
		case end == endPending:
			return d.ask(dst, f, kind, id)
		}
		delete(d.asks, string(id))
		return d.answer(dst, f, kind, id, end)
	}
	return d.raw(dst, data)
}

// askID is the id of a question; earlier builds called it otherwise.
func askID(data rawjson.Value) []byte {
	for _, key := range [...]string{"approvalId", "questionId", "executionId"} {
		if id := rawjson.Text(data, key); len(id) > 0 {
			return id
		}
	}
	return nil
}

// ask refers to the call by the id of its tag. The other id it has is that of the model's call, which no frame shows.
func (d *decoder) ask(dst []hub.Event, f *frame, kind, id []byte) []hub.Event {
	if len(d.asks) < maxAsks {
		d.asks[string(id)] = struct{}{}
	}
	dst, ev := d.event(dst, hub.Event{Kind: hub.Ask})
	ev.ID, ev.AskKind, ev.Value, ev.Ref = id, hub.AskPermission, f.Data, rawjson.Text(f.Data, "markupToolCallId")
	ev.Title = rawjson.Text(f.Data, "description")
	if string(kind) == kindQuestion || string(kind) == "ask_user" {
		ev.AskKind, ev.Title = hub.AskQuestion, rawjson.Text(f.Data, "question")
	}
	d.keepKind(ev, kind, nil)
	ev.More.Options = appendOptions(ev.More.Options, rawjson.Get(f.Data, "options"))
	return dst
}

// keepKind puts the kind of a question into Meta, and the data of its answer.
func (d *decoder) keepKind(ev *hub.Event, kind []byte, data rawjson.Value) {
	meta := append(append(d.scratch.Begin(), metaHead+`"kind":"`...), kind...)
	meta = member.AppendRaw(append(meta, '"'), `,"data":`, data)
	d.scratch.MoreOf(ev).Meta = d.scratch.Since(append(meta, "}}"...))
}

// appendOptions reads choices: objects with a label, or strings.
func appendOptions(dst []hub.AskOption, options rawjson.Value) []hub.AskOption {
	for o := range rawjson.Each(options) {
		label, ok := rawjson.Str(o)
		if !ok {
			label, ok = rawjson.Str(rawjson.Get(o, "label"))
		}
		if ok {
			dst = append(dst, hub.AskOption{ID: label, Name: label})
		}
	}
	return dst
}

// answer closes a question. Older builds put what was answered beside the id instead of into a response.
func (d *decoder) answer(dst []hub.Event, f *frame, kind, id []byte, end string) []hub.Event {
	dst, ev := d.event(dst, hub.Event{Kind: hub.Answer, ID: id, Value: rawjson.Get(f.Data, "response")})
	if ev.Value == nil {
		ev.Value = f.Data
	}
	switch end {
	case endCancelled:
		ev.Status = hub.StatusCancelled
	case endStale:
		ev.Status = hub.StatusUnresolved
	default:
		ev.Status, ev.Name = decision(ev.Value)
	}
	d.keepKind(ev, kind, f.Data)
	return dst
}

// decision reads what a human chose; each kind of question has its own members.
func decision(response rawjson.Value) (hub.Status, []byte) {
	isTrue := func(key string) bool {
		b, _ := rawjson.Bool(rawjson.Get(response, key))
		return b
	}
	switch {
	case isTrue("skipped"), isTrue("__cancelled"):
		return hub.StatusCancelled, nil
	case isTrue("timedOut"):
		return hub.StatusExpired, nil
	}
	if body, ok := rawjson.Str(rawjson.Get(response, "decision")); ok {
		return hub.StatusChosen, body
	}
	if approved, ok := rawjson.Bool(rawjson.Get(response, "approved")); ok && approved {
		return hub.StatusChosen, []byte("approved")
	} else if ok {
		return hub.StatusChosen, []byte("denied")
	}
	choices := rawjson.Elems(rawjson.Get(response, "selectedOptions"))
	first, _ := choices.Next()
	if _, more := choices.Next(); more {
		return hub.StatusChosen, nil
	}
	return hub.StatusChosen, rawjson.Body(first)
}
