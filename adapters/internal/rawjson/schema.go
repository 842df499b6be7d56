package rawjson

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// field is one member that a struct asks for.
type field struct {
	name   string
	offset uintptr
	sub    *schema // nil: the field is a Value
}

// schema is what a struct type asks for: its fields, in buckets by the length of their names, which tells most members apart.
type schema struct {
	byLen [][]field
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

// target returns the schema of the struct that v points to, and where the struct is.
func (d *Decoder) target(v any) (*schema, unsafe.Pointer) {
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
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if name == "-" || !sf.IsExported() {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		f := field{name: name, offset: sf.Offset}
		switch {
		case sf.Type == reflect.TypeFor[Value]():
		case sf.Type.Kind() == reflect.Struct:
			f.sub = buildSchema(sf.Type)
		default:
			panic(fmt.Sprintf("BUG: rawjson: field %s of %v is neither a Value nor a struct", sf.Name, t))
		}
		for len(sc.byLen) <= len(name) {
			sc.byLen = append(sc.byLen, nil)
		}
		sc.byLen[len(name)] = append(sc.byLen[len(name)], f)
	}
	return sc
}
