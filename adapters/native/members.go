package native

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// member is one of an object that is a T, for both directions. Members that are absent or null are not read, those that are empty
// are not written.
type member[T any] struct {
	name  string
	read  func(of *T, v rawjson.Value) *hub.Error
	write func(w *jsonwriter.Writer, of *T)
}

// readMembers reads an object. Members that are not known are ignored.
func readMembers[T any](of *T, o *rawjson.Object, members []member[T]) *hub.Error {
	for key, value := range o.All() {
		for i := range members {
			if members[i].name != string(key) || rawjson.IsNull(value) {
				continue
			}
			if err := members[i].read(of, value); err != nil {
				return within(members[i].name, err)
			}
		}
	}
	return nil
}

// readObject is readMembers of a value that has to be an object.
func readObject[T any](of *T, v rawjson.Value, members []member[T]) *hub.Error {
	if rawjson.Kind(v) != '{' {
		return wrong(wants['{'])
	}
	o := rawjson.ReadObject(v)
	return readMembers(of, &o, members)
}

// within puts the name of what holds the fault before its path.
func within(name string, err *hub.Error) *hub.Error {
	if err.Path != "" {
		name += "."
	}
	err.Path = name + err.Path
	return err
}

func writeMembers[T any](w *jsonwriter.Writer, of *T, members []member[T]) {
	w.Open('{')
	for i := range members {
		members[i].write(w, of)
	}
	w.Close('}')
}

func wrong(want string) *hub.Error { return hub.NewError(hub.ReasonType, "", -1, want) }

// text is a string, whose body stands at at.
func text[T any](name string, at func(*T) *[]byte) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		if rawjson.Kind(v) != '"' {
			return wrong("want a string")
		}
		*at(of) = rawjson.Body(v)
		return nil
	}, func(w *jsonwriter.Writer, of *T) { w.TextIf(name, *at(of)) }}
}

var wants = map[byte]string{'[': "want an array", '{': "want an object", '0': "want a number", 't': "want true or false"}

// value is a value of a kind, as [rawjson.Kind] has it, of any if that is 0. A 't' is for both truth values.
func value[T any, B ~[]byte](name string, kind byte, at func(*T) *B) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		got := rawjson.Kind(v)
		if kind != 0 && got != kind && !(kind == 't' && got == 'f') {
			return wrong(wants[kind])
		}
		*at(of) = B(v)
		return nil
	}, func(w *jsonwriter.Writer, of *T) { w.ValueIf(name, rawjson.Value(*at(of))) }}
}

// flag is a truth value that is absent where it is false.
func flag[T any](name string, at func(*T) *bool) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		var ok bool
		if *at(of), ok = rawjson.Bool(v); !ok {
			return wrong(wants['t'])
		}
		return nil
	}, func(w *jsonwriter.Writer, of *T) {
		if *at(of) {
			w.Bool(name, true)
		}
	}}
}

// vocabulary is a closed set of names.
type vocabulary interface {
	~uint8
	String() string
}

// word is a name of a closed vocabulary. The zero value has none.
func word[T any, W vocabulary](name string, at func(*T) *W, parse func([]byte) (W, bool)) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		var ok bool
		if *at(of), ok = parse(rawjson.Body(v)); !ok {
			return hub.NewError(hub.ReasonUnknown, "", -1, "not a name that is known here")
		}
		return nil
	}, func(w *jsonwriter.Writer, of *T) {
		if v := *at(of); v != 0 {
			w.Const(name, v.String())
		}
	}}
}

// object is a value that has members of its own. It is absent if it has none.
func object[T, M any](name string, at func(*T) *M, members []member[M]) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		return readObject(at(of), v, members)
	}, func(w *jsonwriter.Writer, of *T) {
		inner := jsonwriter.New(nil)
		if writeMembers(inner, at(of), members); len(inner.Buf) > len("{}") {
			w.Value(name, inner.Buf)
		}
	}}
}

// optional is an object that may be there without members.
func optional[T, M any](name string, at func(*T) **M, members []member[M]) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		made := new(M)
		*at(of) = made
		return readObject(made, v, members)
	}, func(w *jsonwriter.Writer, of *T) {
		if there := *at(of); there != nil {
			w.Key(name)
			writeMembers(w, there, members)
		}
	}}
}

// list is an array of objects.
func list[T, M any](name string, at func(*T) *[]M, members []member[M]) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		return readList(v, at(of), members)
	}, func(w *jsonwriter.Writer, of *T) {
		if all := *at(of); len(all) > 0 {
			w.Key(name)
			writeList(w, all, members)
		}
	}}
}

func readList[M any](v rawjson.Value, at *[]M, members []member[M]) *hub.Error {
	if rawjson.Kind(v) != '[' {
		return wrong(wants['['])
	}
	i := 0
	for element, o := range rawjson.EachObject(v) {
		if rawjson.Kind(element) != '{' {
			return within(strconv.Itoa(i), wrong(wants['{']))
		}
		*at = append(*at, *new(M))
		if err := readMembers(&(*at)[len(*at)-1], o, members); err != nil {
			return within(strconv.Itoa(i), err)
		}
		i++
	}
	return nil
}

func writeList[M any](w *jsonwriter.Writer, all []M, members []member[M]) {
	w.Open('[')
	for i := range all {
		writeMembers(w, &all[i], members)
	}
	w.Close(']')
}

// texts is an array of strings.
func texts[T any](name string, at func(*T) *[][]byte) member[T] {
	return member[T]{name, func(of *T, v rawjson.Value) *hub.Error {
		for element := range rawjson.Each(v) {
			if rawjson.Kind(element) != '"' {
				return wrong("want an array of strings")
			}
			*at(of) = append(*at(of), rawjson.Body(element))
		}
		return nil
	}, func(w *jsonwriter.Writer, of *T) {
		if len(*at(of)) == 0 {
			return
		}
		w.OpenAt(name, '[')
		for _, s := range *at(of) {
			w.String(s)
		}
		w.Close(']')
	}}
}
