package rawjson

import (
	"errors"
	"strings"
	"testing"
)

// update is a schema for both of the most frequent shapes of record, of which nested and flat are samples.
type update struct {
	Type      Value `json:"type"`
	ID        Value `json:"messageId"`
	Delta     Value `json:"delta"`
	SessionID Value `json:"sessionId"`
	Update    struct {
		Kind    Value `json:"sessionUpdate"`
		Content struct {
			Type Value `json:"type"`
			Text Value `json:"text"`
		} `json:"content"`
	} `json:"update"`
}

const (
	nested = `{"sessionId":"a1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello wor"}}}`
	flat   = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"Hi there"}`
)

// small is a schema of every kind of field.
type small struct {
	A Value `json:"a"`
	B struct {
		X Value `json:"x"`
		Y Value `json:"y"`
	} `json:"b"`
	Bare    Value
	Skipped Value `json:"-"`
	private Value //nolint:unused // it is there to be left alone
}

// show writes a small as the values of a, b.x and b.y; absent members are "-".
func show(s *small) string {
	var out []string
	for _, v := range []Value{s.A, s.B.X, s.B.Y} {
		if v == nil {
			out = append(out, "-")
		} else {
			out = append(out, string(v))
		}
	}
	return strings.Join(out, " ")
}

// padding is whitespace around a record, longer than whatever is read in one step.
var padding = strings.Repeat(" \n\t\r", 20)

// reasonOf returns the reason of an error from this package, "" for none.
func reasonOf(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatalf("error is a %T, want *Error", err)
	}
	return fault.Reason
}

func TestDecodeFillsFields(t *testing.T) {
	var d Decoder
	f := func(input, want string) {
		t.Helper()
		for _, in := range []string{input, padding + input + padding} {
			var s small
			if err := d.Decode([]byte(in), &s); err != nil {
				t.Errorf("%.60q: %v", in, err)
			} else if got := show(&s); got != want {
				t.Errorf("%.60q gives %s, want %s", in, got, want)
			}
		}
	}
	f(`{}`, "- - -")
	f(`null`, "- - -")
	f(`{"a":"x"}`, `"x" - -`)
	f(` { "a" : [ 1 , 2 ] , "b" : { "y" : { "z" : 1 } , "x" : -1e9 } } `, `[ 1 , 2 ] -1e9 { "z" : 1 }`)
	f(`{"a":null,"b":null}`, "null - -")
	f(`{"a":true,"b":{"x":false,"q":1},"q":{"a":[],"b":{}}}`, "true false -")
	f(`{"A":1,"B":{"X":2}}`, "- - -")               // names match case-sensitively
	f(`{"\u0061":1,"b":{"\u0078":2}}`, "1 2 -")     // and after unescaping
	f(`{"a":1,"a":2}`, "2 - -")                     // the last of several wins
	f(`{"a":1,"\u0061":2}`, "2 - -")                // however it is spelled
	f(`{"b":{"x":1},"b":{"y":2}}`, "- 1 2")         // objects for one struct add up
	f(`{"b":{"x":1},"b":null}`, "- 1 -")            // and null leaves it alone
	f(`{"c":{"a":1,"b":{"x":1}},"":1}`, "- - -")    // a name counts only in its own object
	f(`{"a":"\ud800","a\u0000":1}`, `"\ud800" - -`) // lone surrogates are legal
	f(`{"Skipped":1,"private":2,"-":3}`, "- - -")
}

func TestDecodeTakesFieldNameWithoutTag(t *testing.T) {
	var d Decoder
	var s small
	if err := d.Decode([]byte(`{"Bare":7,"bare":8}`), &s); err != nil || string(s.Bare) != "7" {
		t.Errorf("Bare is %q (%v), want 7", s.Bare, err)
	}
}

func TestDecodeReachesText(t *testing.T) {
	var d Decoder
	var u update
	if err := d.Decode([]byte(nested), &u); err != nil {
		t.Fatal(err)
	}
	if body, ok := Str(u.Update.Content.Text); !ok || string(body) != "Hello wor" {
		t.Errorf("text is %q, %v", body, ok)
	}
	if err := d.Decode([]byte(flat), &u); err != nil || string(u.Delta) != `"Hi there"` {
		t.Errorf("delta is %q, %v", u.Delta, err)
	}
}

// One decoder may fill structs of several types in turn.
func TestDecodeChangesSchema(t *testing.T) {
	var d Decoder
	for range 3 {
		var u update
		var s small
		errU, errS := d.Decode([]byte(nested), &u), d.Decode([]byte(`{"a":1}`), &s)
		if errU != nil || errS != nil || string(u.SessionID) != `"a1"` || string(s.A) != "1" {
			t.Fatalf("got %s and %s (%v, %v)", u.SessionID, s.A, errU, errS)
		}
	}
}

func TestDecodeAliasesInput(t *testing.T) {
	for _, pad := range []string{"", padding} {
		var d Decoder
		var s small
		data := []byte(pad + `{"a":"old","b":{"x":[1]}}`)
		if err := d.Decode(data, &s); err != nil {
			t.Fatal(err)
		}
		copy(data[len(pad):], `{"a":"new","b":{"x":[2]}}`)
		if got := show(&s); got != `"new" [2] -` {
			t.Errorf("after the input changed, values are %s", got)
		}
	}
}

// An append to a value must not overwrite what follows it in the record.
func TestDecodeCutsCapacity(t *testing.T) {
	var d Decoder
	var s small
	data := []byte(`{"a":1,"b":{"x":2}}`)
	if err := d.Decode(data, &s); err != nil {
		t.Fatal(err)
	}
	_ = append(s.A, "overwritten"...)
	if string(data) != `{"a":1,"b":{"x":2}}` {
		t.Errorf("append to a value wrote into the record: %s", data)
	}
}

func TestErrors(t *testing.T) {
	d := Decoder{MaxDepth: 3}
	f := func(input, reason string, offset int) {
		t.Helper()
		for _, pad := range []string{"", padding} {
			var s small
			var fault *Error
			if err := d.Decode([]byte(pad+input), &s); !errors.As(err, &fault) {
				t.Errorf("%q: %v", input, err)
			} else if fault.Reason != reason || fault.Offset-len(pad) != offset {
				t.Errorf("%q: %s at %d (%s), want %s at %d", input, fault.Reason, fault.Offset-len(pad), fault.Msg, reason, offset)
			}
		}
	}
	f(``, "syntax", 0)
	f(`{"a":`, "syntax", 5)
	f(`{"a":tru}`, "syntax", 8)
	f("{\"a\":\"x\ty\"}", "syntax", 7)
	f(`{"z":"\q"}`, "syntax", 7)
	f(`{"z":"\u12g4"}`, "syntax", 10)
	f(`{"a":01}`, "syntax", 6)
	f(`{"a":1} x`, "trailing", 8)
	f(`{"a":1}{}`, "trailing", 7)
	f("{\"a\":\"x\xff\"}", "utf8", 7)
	f("{\"z\":[\"\xed\xa0\x80\"]}", "utf8", 7)
	f(`{"a":[[[1]]]}`, "depth", 7)
	f(`{"z":{"z":{"z":{}}}}`, "depth", 15)
	f(`{"b":{"q":{"x":{}}}}`, "depth", 15)
	f(`[]`, "type", 0)
	f(` "s"`, "type", 1)
	f(`{"b":"s","a":1}`, "type", 5)
	f(`{"b":[],"a":1}x`, "trailing", 14)
}

// After a value of the wrong type, everything else is filled.
func TestTypeErrorKeepsTheRest(t *testing.T) {
	for _, pad := range []string{"", padding} {
		var d Decoder
		var s small
		err := d.Decode([]byte(pad+`{"b":"s","a":1,"b":{"y":2},"b":[]}`), &s)
		if reasonOf(t, err) != ReasonType || show(&s) != "1 - 2" {
			t.Errorf("%v, values %s", err, show(&s))
		}
	}
}

func TestErrorText(t *testing.T) {
	var d Decoder
	f := func(input, want string) {
		t.Helper()
		if err := d.Decode([]byte(input), &small{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", input, err, want)
		}
	}
	f(`{"a":`, "cannot read JSON at byte 5: unexpected end")
	f(`{"a" 1}`, "cannot read JSON at byte 5: unexpected '1'")
	f(`{"b":[]}`, `cannot read JSON at byte 5: want an object or null for "b"`)
	f(`3`, "cannot read JSON at byte 0: want an object or null for the record")
	f(`{}]`, "cannot read JSON at byte 2: ']' follows the value")
	f("\xff", "cannot read JSON at byte 0: not UTF-8")
	f(strings.Repeat("[", 600), "cannot read JSON at byte 512: nested deeper than 512 levels")
	d.MaxDepth = 3
	f("[[[[]]]]", "cannot read JSON at byte 3: nested deeper than 3 levels; raise limits.nesting if such records are expected")
}

func TestDepthLimit(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat(`[{"q":`, n/2) + "1" + strings.Repeat("}]", n/2)) }
	f := func(limit, depth int, ok bool) {
		t.Helper()
		d := Decoder{MaxDepth: limit}
		if err := d.Valid(nest(depth)); (err == nil) != ok {
			t.Errorf("depth %d under limit %d: %v", depth, limit, err)
		}
	}
	f(0, DefaultMaxDepth, true)
	f(0, DefaultMaxDepth+2, false)
	f(4, 4, true)
	f(4, 6, false)
	f(20000, 20000, true)
	f(0, 2_000_000, false)
}

// Brackets in strings and side by side are not depth.
func TestManyBracketsAreNotDepth(t *testing.T) {
	d := Decoder{MaxDepth: 3}
	input := `{"a":"` + strings.Repeat("[{", 2000) + `","b":{"x":[` + strings.Repeat("[],", 2000) + `[]]}}`
	var s small
	if err := d.Decode([]byte(input), &s); reasonOf(t, err) != ReasonDepth {
		t.Errorf("four levels under a limit of three: %v", err)
	}
	d.MaxDepth, s = 4, small{}
	if err := d.Decode([]byte(input), &s); err != nil || len(s.A) != 4002 {
		t.Errorf("four levels under a limit of four: %v", err)
	}
}

func TestUnfitSchemaPanics(t *testing.T) {
	f := func(name string, v any) {
		t.Helper()
		defer func() {
			if msg, _ := recover().(string); !strings.HasPrefix(msg, "BUG: rawjson: ") {
				t.Errorf("%s: recovered %q", name, msg)
			}
		}()
		new(Decoder).Decode([]byte(`{}`), v)
	}
	type inner struct{ A Value }
	f("no pointer", small{})
	f("no struct", new(int))
	f("string field", &struct{ A string }{})
	f("embedded", &struct{ inner }{})
	f("Embedded", &struct{ Embedded }{})
	f("tag with option", &struct {
		A Value `json:"a,omitempty"`
	}{})
	f("same name twice", &struct {
		A Value
		B Value `json:"A"`
	}{})
}

// Embedded is exported, so that embedding it makes an exported field.
type Embedded struct{ A Value }
