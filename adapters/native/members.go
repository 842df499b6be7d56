package native

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// member is one of an object, for both directions. Members that are absent or null are not read, those that are empty are not
// written.
type member struct {
	name  string
	read  func(v rawjson.Value, path string) error
	write func(w *jsonwriter.Writer)
}

// readMembers reads an object. Members that are not known are ignored.
func readMembers(v rawjson.Value, path string, members []member) error {
	if rawjson.Kind(v) != '{' {
		return wrong(path, "want an object")
	}
	for key, value := range rawjson.EachField(v) {
		for i := range members {
			if members[i].name != string(key) || rawjson.IsNull(value) {
				continue
			}
			if err := members[i].read(value, join(path, members[i].name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeMembers(w *jsonwriter.Writer, members []member) {
	w.Open('{')
	for i := range members {
		members[i].write(w)
	}
	w.Close('}')
}

func wrong(path, want string) error { return hub.NewError(hub.ReasonType, path, -1, want) }

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// text is a string, whose body stands at at.
func text(name string, at *[]byte) member {
	return member{name, func(v rawjson.Value, path string) (err error) {
		if rawjson.Kind(v) != '"' {
			return wrong(path, "want a string")
		}
		*at = rawjson.Body(v)
		return nil
	}, func(w *jsonwriter.Writer) { w.TextIf(name, *at) }}
}

var wants = map[byte]string{'[': "want an array", '{': "want an object", '0': "want a number", 't': "want true or false"}

// value is a value of a kind, as [rawjson.Kind] has it, of any if that is 0. A 't' is for both truth values.
func value[T ~[]byte](name string, kind byte, at *T) member {
	return member{name, func(v rawjson.Value, path string) error {
		got := rawjson.Kind(v)
		if kind != 0 && got != kind && !(kind == 't' && got == 'f') {
			return wrong(path, wants[kind])
		}
		*at = T(v)
		return nil
	}, func(w *jsonwriter.Writer) { w.ValueIf(name, *at) }}
}

// flag is a truth value that is absent where it is false.
func flag(name string, at *bool) member {
	return member{name, func(v rawjson.Value, path string) error {
		var ok bool
		if *at, ok = rawjson.Bool(v); !ok {
			return wrong(path, wants['t'])
		}
		return nil
	}, func(w *jsonwriter.Writer) {
		if *at {
			w.Bool(name, true)
		}
	}}
}

// word is a name of a closed vocabulary. The zero value has none.
func word[T interface {
	~uint8
	String() string
}](name string, at *T, parse func([]byte) (T, bool)) member {
	return member{name, func(v rawjson.Value, path string) error {
		var ok bool
		if *at, ok = parse(rawjson.Body(v)); !ok {
			return hub.NewError(hub.ReasonUnknown, path, -1, "not a name that is known here")
		}
		return nil
	}, func(w *jsonwriter.Writer) {
		if *at != 0 {
			w.Const(name, (*at).String())
		}
	}}
}

// object is a value that has members of its own. It is absent if it has none.
func object(name string, members []member) member {
	return member{name, func(v rawjson.Value, path string) error {
		return readMembers(v, path, members)
	}, func(w *jsonwriter.Writer) {
		inner := jsonwriter.New(nil)
		if writeMembers(inner, members); len(inner.Buf) > len("{}") {
			w.Value(name, inner.Buf)
		}
	}}
}

// optional is an object that may be there without members.
func optional[T any](name string, at **T, of func(*T) []member) member {
	return member{name, func(v rawjson.Value, path string) error {
		*at = new(T)
		return readMembers(v, path, of(*at))
	}, func(w *jsonwriter.Writer) {
		if *at != nil {
			w.Key(name)
			writeMembers(w, of(*at))
		}
	}}
}

// list is an array of objects.
func list[T any](name string, at *[]T, of func(*T) []member) member {
	return member{name, func(v rawjson.Value, path string) error {
		return readList(v, path, at, of)
	}, func(w *jsonwriter.Writer) {
		if len(*at) > 0 {
			w.Key(name)
			writeList(w, *at, of)
		}
	}}
}

func readList[T any](v rawjson.Value, path string, at *[]T, of func(*T) []member) error {
	if rawjson.Kind(v) != '[' {
		return wrong(path, wants['['])
	}
	i := 0
	for element := range rawjson.Each(v) {
		*at = append(*at, *new(T))
		if err := readMembers(element, join(path, strconv.Itoa(i)), of(&(*at)[len(*at)-1])); err != nil {
			return err
		}
		i++
	}
	return nil
}

func writeList[T any](w *jsonwriter.Writer, all []T, of func(*T) []member) {
	w.Open('[')
	for i := range all {
		writeMembers(w, of(&all[i]))
	}
	w.Close(']')
}

// texts is an array of strings.
func texts(name string, at *[][]byte) member {
	return member{name, func(v rawjson.Value, path string) error {
		for element := range rawjson.Each(v) {
			if rawjson.Kind(element) != '"' {
				return wrong(path, "want an array of strings")
			}
			*at = append(*at, rawjson.Body(element))
		}
		return nil
	}, func(w *jsonwriter.Writer) {
		if len(*at) == 0 {
			return
		}
		w.OpenAt(name, '[')
		for _, s := range *at {
			w.String(s)
		}
		w.Close(']')
	}}
}
