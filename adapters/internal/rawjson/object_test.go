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
	for i := range 141 {
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

// TestEachObject: the elements are those of Each, with the members of ReadObject.
func TestEachObject(t *testing.T) {
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf(`"m%d":[%d,{"x":"]}"}]`, i, i))
	}
	for _, v := range []string{
		`[]`, `{}`, `null`, `[1]`, ` [ {} , {"a":1},"x",{"a":{"b":[]},"c":"}"} ,[{"a":2}], {"\u0061":null} ] `,
		"[{" + strings.Join(many, ",") + `},{"m0":1},{` + strings.Join(many[:90], ",") + "}]",
	} {
		next := rawjson.Elems(rawjson.Value(v))
		for got, o := range rawjson.EachObject(rawjson.Value(v)) {
			want, ok := next.Next()
			if !ok || string(got) != string(want) {
				t.Fatalf("%s: %s, want %s", v, got, want)
			}
			sameMembers(t, o, rawjson.ReadObject(want))
		}
		if left, ok := next.Next(); ok {
			t.Errorf("%s: %s is missing", v, left)
		}
	}
	for v := range rawjson.EachObject(rawjson.Value(`[{"a":1},{"a":2}]`)) {
		if string(v) != `{"a":1}` {
			t.Errorf("the loop goes on with %s", v)
		}
		break
	}
}

func sameMembers(t *testing.T, got *rawjson.Object, want rawjson.Object) {
	t.Helper()
	text := func(o *rawjson.Object) (s string) {
		for key, v := range o.All() {
			s += string(key) + "=" + string(v) + " "
		}
		return s
	}
	if a, b := text(got), text(&want); a != b || got.Len() != want.Len() {
		t.Errorf("%d members %s, want %d: %s", got.Len(), a, want.Len(), b)
	}
}

// TestWholeObject: a field of type Object gets every member, those of other fields included.
func TestWholeObject(t *testing.T) {
	var d rawjson.Decoder
	for _, v := range []string{`{}`, `null`, `{"a":1,"b":{"a":2},"c":"x","a":3}`, ` {"d" : [ 1 ] , "b" : null } `} {
		var in struct {
			A   rawjson.Value `json:"a"`
			All rawjson.Object
			B   struct {
				A rawjson.Value `json:"a"`
			} `json:"b"`
		}
		if err := d.Decode([]byte(v), &in); err != nil {
			t.Fatal(err)
		}
		sameMembers(t, &in.All, rawjson.ReadObject(rawjson.Value(v)))
		if string(in.A) != string(rawjson.Get(rawjson.Value(v), "a")) || string(in.B.A) != string(rawjson.Get(rawjson.Value(v), "b", "a")) {
			t.Errorf("%s: a is %s, b.a is %s", v, in.A, in.B.A)
		}
	}
}

// TestLongStrings: the end of a string is found whatever its length, and wherever in it an escape stands.
func TestLongStrings(t *testing.T) {
	for _, escape := range []string{"", `\"`, `\\`, `\\\"`, "é"} {
		for n := range 200 {
			for _, at := range []int{0, n / 3, n / 2, n} {
				s := `"` + strings.Repeat("x", at) + escape + strings.Repeat("y", n-at) + `"`
				next := rawjson.Elems(rawjson.Value("[" + s + `,"z"]`))
				if v, _ := next.Next(); string(v) != s {
					t.Fatalf("%s: got %s", s, v)
				}
				if v, _ := next.Next(); string(v) != `"z"` {
					t.Fatalf("behind %s: got %s", s, v)
				}
			}
		}
	}
}
