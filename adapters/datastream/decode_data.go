package datastream

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The names that what has no name has as data of the model.
const (
	dataName        = "data"
	annotationsName = "annotations"
	stateName       = "state"
	operationsName  = "aui-state"
)

// data passes each element of the list. Those that our own encoder wrote for data of another name have that name.
func (d *decoder) data(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.Kind(d.value) != '[' {
		return dst, hub.NewError(hub.ReasonType, "", -1, "want an array")
	}
	for v := range rawjson.Each(d.value) {
		if rawjson.Kind(v) == '{' && rawjson.Get(v, hub.ExtensionKey) != nil {
			continue // see extension
		}
		dst = d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(dataName), Op: hub.Emit, Value: v})
	}
	return dst, nil
}

func (d *decoder) annotations(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.Kind(d.value) != '[' {
		return dst, hub.NewError(hub.ReasonType, "", -1, "want an array")
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: []byte(annotationsName), Op: hub.Emit, Value: d.value}), nil
}

func (d *decoder) auiData(dst []hub.Event) ([]hub.Event, error) {
	name, err := member.Text(d.rec.Name, "name")
	if err != nil {
		return dst, err
	}
	return d.put(dst, hub.Event{Kind: hub.Data, Name: name, Op: hub.Emit, Value: d.rec.Data}), nil
}

func (d *decoder) source(dst []hub.Event) ([]hub.Event, error) {
	url, err := member.Text(d.rec.URL, "url")
	if err != nil {
		return dst, err
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Source})
	ev.ID, ev.Title, ev.More = rawjson.Body(d.rec.ID), rawjson.Body(d.rec.Title), d.scratch.More()
	ev.More.File.URL, ev.Text = url, rawjson.Text(d.rec.ProviderMetadata, ownKey, "quote")
	return dst, nil
}

func (d *decoder) file(dst []hub.Event) ([]hub.Event, error) {
	data, err := member.Text(d.rec.Data, "data")
	if err != nil {
		return dst, err
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.File, More: d.scratch.More()})
	ev.More.File = hub.FileRef{Media: rawjson.Body(d.rec.MimeType), Base64: data, Name: rawjson.Body(d.rec.Filename)}
	return dst, nil
}

// state passes operations on the state of assistant-ui: as its value where they set all of it, as a JSON patch where they
// set parts, else as they are, for a patch cannot append to a text.
func (d *decoder) state(dst []hub.Event) ([]hub.Event, error) {
	if rawjson.Kind(d.value) != '[' {
		return dst, hub.NewError(hub.ReasonType, "", -1, "want an array of operations")
	}
	dst, ev := d.emit(dst, hub.Event{Kind: hub.Data, Name: []byte(operationsName), Op: hub.Emit, Value: d.value})
	patch := append(d.scratch.Begin(), '[')
	from := len(patch)
	for op := range rawjson.Each(d.value) {
		path, value := rawjson.Get(op, "path"), rawjson.Get(op, "value")
		if string(rawjson.Text(op, "type")) != "set" || value == nil || !namesMember(path) {
			return dst, nil
		}
		if len(patch) > from {
			patch = append(patch, ',')
		}
		patch = append(appendPointer(append(patch, `{"op":"add","path":"`...), path), `","value":`...)
		patch = append(append(patch, value...), '}')
	}
	if len(patch) == from {
		return dst, nil
	}
	ev.Name, ev.Op, ev.Value = []byte(stateName), hub.Patch, d.scratch.Since(append(patch, ']'))
	if only, root := wholeState(d.value); root {
		ev.Op, ev.Value = hub.Set, only
	}
	return dst, nil
}

// namesMember reports whether a path is one, of names and indexes, and ends with the name of a member, or is empty. In a
// patch, an index would insert where the operation sets.
func namesMember(path rawjson.Value) bool {
	if rawjson.Kind(path) != '[' {
		return false
	}
	last := []byte("name")
	for v := range rawjson.Each(path) {
		switch rawjson.Kind(v) {
		case '"':
			last = rawjson.Body(v)
		case '0':
			last = v
		default:
			return false
		}
	}
	return !isIndex(last)
}

func isIndex(token []byte) bool {
	return len(token) > 0 && (string(token) == "-" || len(bytes.TrimLeft(token, "0123456789")) == 0)
}

// wholeState returns the value of a single operation on the state as a whole.
func wholeState(operations rawjson.Value) (value rawjson.Value, ok bool) {
	it := rawjson.Elems(operations)
	op, _ := it.Next()
	if _, more := it.Next(); more {
		return nil, false
	}
	path := rawjson.Elems(rawjson.Get(op, "path"))
	if _, deeper := path.Next(); deeper {
		return nil, false
	}
	return rawjson.Get(op, "value"), true
}

// appendPointer appends a path, a list of names and indexes, as a JSON pointer in a string body.
func appendPointer(dst []byte, path rawjson.Value) []byte {
	for v := range rawjson.Each(path) {
		dst = append(dst, '/')
		name, ok := rawjson.Str(v)
		if !ok {
			name = v // an index
		}
		for i, c := range name {
			switch {
			case c == '~':
				dst = append(dst, "~0"...)
			case c == '/':
				dst = append(dst, "~1"...)
			case c == '\\' && i+1 < len(name) && name[i+1] == '/' && !escaped(name, i):
				// an escape that has no need to be one
			default:
				dst = append(dst, c)
			}
		}
	}
	return dst
}

// escaped reports whether the character at i is the second of an escape.
func escaped(body []byte, i int) bool {
	n := 0
	for ; i > 0 && body[i-1] == '\\'; i-- {
		n++
	}
	return n%2 == 1
}
