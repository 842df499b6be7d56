package rawjson_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestObject: an object that is read once has the members that Get finds, however many there are.
func TestObject(t *testing.T) {
	names := []string{"a", "b", `c"`, "absent", "m0", "m11", "m40"}
	var many []string
	for i := range 41 {
		many = append(many, fmt.Sprintf(`"m%d":%d`, i, i))
	}
	for _, v := range []string{
		`{}`, `null`, `[1]`, `"a"`, `{"a":1}`, ` { "a" : "x" , "b":{"a":2} , "a":"y" } `, `{"\u0061":"x","c\"":[1]}`, `{"a":1,"\u0061":2}`,
		"{" + strings.Join(many, ",") + "}", "{" + strings.Join(many, ",") + `,"m0":"again","m\u0034\u0030":null}`,
	} {
		o := rawjson.ReadObject(rawjson.Value(v))
		members := 0
		for range rawjson.EachField(rawjson.Value(v)) {
			members++
		}
		if o.Len() != members {
			t.Errorf("%s has %d members, want %d", v, o.Len(), members)
		}
		for _, name := range names {
			if got, want := o.Get(name), rawjson.Get(rawjson.Value(v), name); string(got) != string(want) || (got == nil) != (want == nil) {
				t.Errorf("%s: %s is %q, want %q", v, name, got, want)
			}
			if got, want := o.Text(name), rawjson.Text(rawjson.Value(v), name); string(got) != string(want) || (got == nil) != (want == nil) {
				t.Errorf("%s: the text %s is %q, want %q", v, name, got, want)
			}
		}
	}
}
