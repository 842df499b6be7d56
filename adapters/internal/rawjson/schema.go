package rawjson

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// field is one member that a struct asks for.
type field struct {
	name   string
	label  string // name in messages
	offset uintptr
	sub    *schema // nil: the field is a Value
}

// schema is what a struct type asks for: its fields, in buckets by the length of their names, which tells most members apart.
type schema struct {
	byLen [][]field
	whole bool    // there is a field for all members
	at    uintptr // of that field
}

var schemas sync.Map // reflect.Type of a struct -> *schema

// find returns the field named key (the body of a JSON string), or nil.
func (sc *schema) find(key []byte) *field {
	if len(key) < len(sc.byLen) {
		bucket := sc.byLen[len(key)]
		for i := range bucket {
			if bucket[i].name == string(key) {
				return &bucket[i]
			}
		}
	}
	return sc.findEscaped(key)
}

// findEscaped is find for a name that holds an escape. Such names are rare, so it may look at every field.
func (sc *schema) findEscaped(key []byte) *field {
	if bytes.IndexByte(key, '\\') < 0 {
		return nil
	}
	for _, bucket := range sc.byLen {
		for i := range bucket {
			if compareBody(key, []byte(bucket[i].name)) == 0 {
				return &bucket[i]
			}
		}
	}
	return nil
}

// target returns the schema of the struct that v points to, and where the struct is.
func (d *Decoder) target(v any) (*schema, unsafe.Pointer) {
	// The offsets of the schema hold for the type that v has here, which is what makes the writes of scanner.member safe.
	ptr := reflect.ValueOf(v)
	if t := ptr.Type(); t != d.typ {
		d.schema, d.typ = schemaOf(t), t
	}
	return d.schema, ptr.UnsafePointer()
}

// schemaOf returns the schema of a pointer to a struct.
func schemaOf(t reflect.Type) *schema {
	if known, ok := schemas.Load(t); ok {
		return known.(*schema)
	}
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("BUG: rawjson: %v is not a pointer to a struct", t))
	}
	sc := buildSchema(t.Elem())
	schemas.Store(t, sc)
	return sc
}

// buildSchema recurses into struct fields; a struct cannot hold itself by value, so it ends.
func buildSchema(t reflect.Type) *schema {
	sc := &schema{}
	for i := range t.NumField() {
		sf := t.Field(i)
		if sf.Type == reflect.TypeFor[Object]() {
			sc.whole, sc.at = true, sf.Offset
			continue
		}
		if !sf.IsExported() && !sf.Anonymous || sf.Tag.Get("json") == "-" {
			continue // other JSON packages do not see these either
		}
		name := fieldName(t, sf)
		f := field{name: name, label: strconv.Quote(name), offset: sf.Offset}
		switch {
		case sf.Type == reflect.TypeFor[Value]():
		case sf.Type.Kind() == reflect.Struct:
			f.sub = buildSchema(sf.Type)
		default:
			panic(fmt.Sprintf("BUG: rawjson: field %s of %v is neither a Value, an Object nor a struct", sf.Name, t))
		}
		sc.add(f, t)
	}
	return sc
}

// fieldName returns the member that a field stands for. What other JSON packages treat specially is refused.
func fieldName(t reflect.Type, sf reflect.StructField) string {
	name := sf.Tag.Get("json")
	if sf.Anonymous || strings.ContainsAny(name, ",\"\\") {
		panic(fmt.Sprintf("BUG: rawjson: field %s of %v is embedded, or its tag is more than a name", sf.Name, t))
	}
	if name == "" {
		return sf.Name
	}
	return name
}

func (sc *schema) add(f field, t reflect.Type) {
	if sc.find([]byte(f.name)) != nil {
		panic(fmt.Sprintf("BUG: rawjson: two fields of %v are named %s", t, f.name))
	}
	n := len(f.name)
	for len(sc.byLen) <= n {
		sc.byLen = append(sc.byLen, nil)
	}
	sc.byLen[n] = append(sc.byLen[n], f)
}
