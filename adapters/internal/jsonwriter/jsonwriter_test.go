package jsonwriter

import "testing"

// TestWriter sets commas between what needs them, at every depth.
func TestWriter(t *testing.T) {
	w := New([]byte("> "))
	w.Open('{')
	w.Const("a", "x")
	w.TextIf("none", nil)
	w.ValueIf("none", nil)
	w.OpenAt("list", '[')
	w.String([]byte(`\n`))
	w.Raw([]byte("1"))
	w.Open('{')
	w.Close('}')
	w.Open('[')
	w.Close(']')
	w.Close(']')
	w.Bool("yes", true)
	w.Bool("no", false)
	w.Int("n", -1)
	w.TextIf("t", []byte("u"))
	w.ValueIf("v", []byte("null"))
	w.Close('}')
	const want = `> {"a":"x","list":["\n",1,{},[]],"yes":true,"no":false,"n":-1,"t":"u","v":null}`
	if got := string(w.Buf); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
