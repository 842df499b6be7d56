package agui

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// extension reads a CUSTOM event that the encoder wrote for a kind without an event of its own.
func (d *decoder) extension(dst []hub.Event, kind hub.Kind) []hub.Event {
	dst, ev := d.emit(dst, kind)
	d.readMembers(ev, d.rec.Value, ownKinds[kind])
	return dst
}

// extras reads what the encoder put beside a native event.
func (d *decoder) extras(ev *hub.Event, which members) {
	if d.rec.Metadata != nil {
		d.extrasOf(ev, d.rec.Metadata, which)
	}
}

// extrasOf is extras for metadata that are not those of the record.
func (d *decoder) extrasOf(ev *hub.Event, metadata rawjson.Value, which members) {
	if own := rawjson.Get(metadata, ownKey); rawjson.Kind(own) == '{' {
		d.readMembers(ev, own, which)
	}
}

// readMembers reads the members of which that v has. What has the wrong form is ignored.
func (d *decoder) readMembers(ev *hub.Event, v rawjson.Value, which members) {
	for i := range bodies {
		b := &bodies[i]
		if which&b.bit == 0 {
			continue
		}
		val := readBody(rawjson.Get(v, b.name), b.kind)
		switch {
		case val == nil:
		case b.bit < mModel: // a member of the event itself
			*b.of(ev, nil) = val
		default:
			*b.of(ev, d.scratch.MoreOf(ev)) = val
		}
	}
	for i := range words {
		w := &words[i]
		if which&w.bit == 0 {
			continue
		}
		if word := rawjson.Body(rawjson.Get(v, w.name)); len(word) > 0 {
			w.set(ev, word)
		}
	}
	if which&mFlags != 0 {
		ev.Flags |= readFlags(rawjson.Get(v, "flags"))
	}
	if options := rawjson.Get(v, "options"); which&mOptions != 0 && options != nil {
		d.scratch.MoreOf(ev).Options = readOptions(d.scratch.MoreOf(ev).Options, options)
	}
	if usage := rawjson.Get(v, "usage"); which&mUsage != 0 && usage != nil {
		readCounts(&d.scratch.MoreOf(ev).Usage, usage)
	}
	if file := rawjson.Get(v, "file"); which&mFile != 0 && file != nil {
		readFile(&d.scratch.MoreOf(ev).File, file)
	}
}

// readBody returns v as a member of that kind wants it, or nil.
func readBody(v rawjson.Value, kind byte) []byte {
	switch kind {
	case '"':
		return rawjson.Body(v)
	case 'v':
		return v
	}
	if rawjson.Kind(v) != kind {
		return nil
	}
	return v
}

func readFlags(v rawjson.Value) (flags hub.Flags) {
	for it := rawjson.Elems(v); ; {
		e, ok := it.Next()
		if !ok {
			return flags
		}
		for i, name := range hub.FlagNames() {
			if string(rawjson.Body(e)) == name {
				flags |= 1 << i
			}
		}
	}
}

func readOptions(dst []hub.AskOption, v rawjson.Value) []hub.AskOption {
	for it := rawjson.Elems(v); ; {
		e, ok := it.Next()
		if !ok {
			return dst
		}
		dst = append(dst, hub.AskOption{
			ID:   rawjson.Body(rawjson.Get(e, "id")),
			Name: rawjson.Body(rawjson.Get(e, "name")),
			Kind: rawjson.Body(rawjson.Get(e, "kind")),
		})
	}
}

func readItems(dst []hub.PlanItem, v rawjson.Value) []hub.PlanItem {
	for it := rawjson.Elems(v); ; {
		e, ok := it.Next()
		if !ok {
			return dst
		}
		dst = append(dst, hub.PlanItem{
			ID:       rawjson.Body(rawjson.Get(e, "id")),
			Content:  rawjson.Body(rawjson.Get(e, "content")),
			Status:   rawjson.Body(rawjson.Get(e, "status")),
			Priority: rawjson.Body(rawjson.Get(e, "priority")),
		})
	}
}

func readCounts(c *hub.Counts, v rawjson.Value) {
	for i := range counts {
		if n, ok := rawjson.Int(rawjson.Get(v, counts[i].name)); ok && n >= 0 {
			*counts[i].of(c) = n
		}
	}
	c.Cost = readBody(rawjson.Get(v, "cost"), '0')
	c.Currency = rawjson.Body(rawjson.Get(v, "currency"))
	c.Provider = rawjson.Body(rawjson.Get(v, "provider"))
}

func readFile(f *hub.FileRef, v rawjson.Value) {
	f.Media = rawjson.Body(rawjson.Get(v, "media"))
	f.Name = rawjson.Body(rawjson.Get(v, "name"))
	f.URL = rawjson.Body(rawjson.Get(v, "url"))
	f.FileID = rawjson.Body(rawjson.Get(v, "file_id"))
	f.Base64 = rawjson.Body(rawjson.Get(v, "base64"))
}

// Metadata of AG-UI is the Meta of the model, and the other way round, but for two keys: "sabir" holds what the model
// has and AG-UI has not, and is no part of Meta; "agui" holds what AG-UI has and the model has not, and is no part of
// metadata.

// wireKey is the key in Meta for members of AG-UI events that the model has no place for.
const wireKey = "agui"

// Members kept under wireKey.
const (
	keptReplace   = "replace"     // of ACTIVITY_SNAPSHOT, where it is false
	keptParentRun = "parentRunId" // of RUN_STARTED
)

// metadata makes the Meta of ev from the record's metadata.
func (d *decoder) metadata(ev *hub.Event) { d.ownMetadata(ev, d.rec.Metadata) }

// ownMetadata makes the Meta of ev from v: all of it but what stands under our two keys.
func (d *decoder) ownMetadata(ev *hub.Event, v rawjson.Value) {
	if rawjson.Get(v, ownKey) == nil && rawjson.Get(v, wireKey) == nil {
		d.scratch.MoreOf(ev).Meta = v
		return
	}
	dst := append(d.scratch.Begin(), '{')
	from := len(dst)
	dst = appendForeign(dst, v)
	if len(dst) == from {
		return
	}
	dst[len(dst)-1] = '}'
	d.scratch.MoreOf(ev).Meta = d.scratch.Since(dst)
}

// appendForeign appends the members of an object that are under neither key, each followed by a comma.
func appendForeign(dst []byte, object rawjson.Value) []byte {
	for it := rawjson.Fields(object); ; {
		key, val, ok := it.Next()
		if !ok {
			return dst
		}
		if string(key) == ownKey || string(key) == wireKey {
			continue
		}
		dst = rawjson.AppendQuoted(dst, key)
		dst = append(dst, ':')
		dst = append(dst, val...)
		dst = append(dst, ',')
	}
}

// keep puts a member of the wire that the model has no place for into the Meta of ev.
func (d *decoder) keep(ev *hub.Event, name string, v rawjson.Value) {
	m := d.scratch.MoreOf(ev)
	dst := append(d.scratch.Begin(), `{"`+wireKey+`":{"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	dst = append(dst, v...)
	dst = append(dst, `},`...)
	dst = appendForeign(dst, m.Meta)
	dst[len(dst)-1] = '}'
	m.Meta = d.scratch.Since(dst)
}

// kept returns a member that keep put away, or nil.
func kept(ev *hub.Event, name string) rawjson.Value {
	if ev.More == nil || ev.More.Meta == nil {
		return nil
	}
	return rawjson.Get(ev.More.Meta, wireKey, name)
}
