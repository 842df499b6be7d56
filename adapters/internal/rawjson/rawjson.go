package rawjson

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/bytedance/sonic"
)

// Value is one raw JSON value: its text, without surrounding whitespace. It aliases the input it was decoded from and
// is valid as long as that input is. nil means that the member was absent; a member that was null is the text "null".
type Value = sonic.NoCopyRawMessage

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
// A Decoder must not be used by two goroutines at once.
type Decoder struct {
	// MaxDepth is how many arrays and objects may be open at once; 0 means DefaultMaxDepth.
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
// null for a struct, also for *v itself, leaves it untouched. Values alias data; nothing is copied or allocated.
//
// The error is an [*Error]. After ReasonType all other fields are filled and good; after any other reason *v must not be used.
// Decode panics when *v is not a struct of such fields: that is a fault of the program.
func (d *Decoder) Decode(data []byte, v any) error {
	sc, base := d.target(v)
	return d.scan.run(data, d.MaxDepth, sc, base)
}

// Valid checks data as [Decoder.Decode] does, without a schema.
func (d *Decoder) Valid(data []byte) error {
	return d.scan.run(data, d.MaxDepth, nil, nil)
}

// firstInvalid returns the offset of the first byte of data that is not UTF-8. There is one.
func firstInvalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(data)
}
