package rawjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"unsafe"
)

// Value is one raw JSON value: its text, without surrounding whitespace. It aliases the input it was decoded from and
// is valid as long as that input is. nil means that the member was absent; a member that was null is the text "null".
type Value = json.RawMessage

// DefaultMaxDepth is how many arrays and objects may be open at once when [Decoder.MaxDepth] is 0.
const DefaultMaxDepth = 512

// Reasons of an [Error]. The set is closed: a reason is fit to be a metric label.
const (
	ReasonSyntax   = "syntax"   // the text is not JSON, or ends too early
	ReasonUTF8     = "utf8"     // the text is not UTF-8
	ReasonDepth    = "depth"    // arrays and objects are nested deeper than the limit
	ReasonTrailing = "trailing" // something other than whitespace follows the value
	ReasonType     = "type"     // the text is valid, but a value is not the object that the schema wants
)

// Error says why an input was refused, and where.
type Error struct {
	Offset int    // bytes before the fault, counted from the start of the input
	Reason string // one of the Reason constants
	Msg    string // for people; holds at most one byte of the input, or a member name of the schema
}

// Error returns the message with its offset.
func (e *Error) Error() string {
	return fmt.Sprintf("cannot read JSON at byte %d: %s", e.Offset, e.Msg)
}

// Decoder decodes records into structs whose fields are [Value]. The zero value is ready to use.
// Two goroutines must not use one Decoder at the same time.
type Decoder struct {
	// MaxDepth is how many arrays and objects may be open at once; 0 means DefaultMaxDepth.
	// Memory is bounded by it: a level costs a few hundred bytes of stack.
	MaxDepth int

	scan   scanner
	typ    reflect.Type // of the last target: a decoder nearly always fills the same struct
	schema *schema
}

// Decode validates data in full and fills the struct that v points to. The caller has zeroed *v: absent members are not touched.
//
// data is exactly one JSON value in UTF-8, with optional whitespace around it. Fields of type [Value] receive the text of
// their member, fields of struct type are filled in turn. A field takes the name of its json tag; names match case-sensitively,
// after unescaping. Of members with the same name the last one wins; two objects for one struct field fill it one after the other.
// A field of type [Object] receives all members of its struct's object, whatever its name.
// null for a struct, also for *v itself, leaves it untouched. Values alias data; nothing is copied or allocated.
//
// The error is an [*Error]. After ReasonType all other fields are filled and good; after any other reason *v must not be used.
// Decode panics when *v is not a struct of such fields: that is a fault of the program.
func (d *Decoder) Decode(data []byte, v any) error {
	sc, base := d.target(v)
	if !validUTF8(data) {
		return utf8Error(data)
	}
	return d.run(data, sc, base)
}

// Valid checks data as [Decoder.Decode] does, without a schema.
func (d *Decoder) Valid(data []byte) error {
	if !validUTF8(data) {
		return utf8Error(data)
	}
	return d.run(data, nil, nil)
}

// run scans data.
func (d *Decoder) run(data []byte, sc *schema, base unsafe.Pointer) error {
	err := d.scan.run(data, d.maxDepth(), sc, base)
	if err != nil && d.MaxDepth > 0 {
		nameLimit(err)
	}
	return err
}

// nameLimit names the key of the limit that a record exceeds. The default limit, which requests have, has none.
func nameLimit(err error) {
	var e *Error
	if errors.As(err, &e) && e.Reason == ReasonDepth {
		e.Msg += "; raise limits.nesting if such records are expected"
	}
}

func (d *Decoder) maxDepth() int {
	if d.MaxDepth <= 0 {
		return DefaultMaxDepth
	}
	return d.MaxDepth
}

func utf8Error(data []byte) error {
	return &Error{Offset: firstInvalid(data), Reason: ReasonUTF8, Msg: "not UTF-8"}
}
