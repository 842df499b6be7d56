package rawjson

import (
	"strconv"
	"unsafe"
)

// Schema is what is wanted of a record where no struct can say it, because it is known at run time only: members by name.
// It never changes, so decoders may share it.
type Schema struct {
	schema *schema
	n      int
}

// SchemaOf returns the schema for these names, which are plain text and differ from each other.
func SchemaOf(names ...string) *Schema {
	s := &Schema{schema: &schema{}, n: len(names)}
	for i, name := range names {
		// The usual spelling of a name is compared byte for byte, and all others after unescaping.
		body := string(AppendEscaped(nil, []byte(name)))
		offset := uintptr(i) * unsafe.Sizeof(Value(nil))
		s.schema.add(field{name: body, label: strconv.Quote(name), offset: offset}, nil)
	}
	return s
}

// DecodeNamed validates data in full and puts the member of the i-th name of s into dst[i], nil where it is absent; dst has
// room for all of them. For the rest see [Decoder.Decode].
func (d *Decoder) DecodeNamed(data []byte, s *Schema, dst []Value) error {
	dst = dst[:s.n]
	clear(dst)
	if !validUTF8(data) {
		return utf8Error(data)
	}
	return d.run(data, s.schema, unsafe.Pointer(unsafe.SliceData(dst)))
}
