//go:build !race

package rawjson

import "testing"

// Nothing on the way of a record allocates once buffers have grown. The race detector changes what allocates.
func TestNoAllocations(t *testing.T) {
	f := func(name string, work func()) {
		t.Helper()
		if n := testing.AllocsPerRun(200, work); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
	var d Decoder
	var u update
	var s small
	for _, rec := range benchRecords {
		f("Decode "+rec.name, func() {
			u = update{}
			if d.Decode(rec.data, &u) != nil {
				t.Error("record is not valid")
			}
		})
	}
	flatData := []byte(flat)
	f("Decode in turn", func() { d.Decode(flatData, &s); d.Decode(benchRecords[0].data, &u) })
	f("Valid", func() { d.Valid(flatData) })

	v := Value(`{"a":[1,2.50,"x"],"\u0062":{"c":"{\"d\":[1,2]}","n":12e2},"t":true}`)
	w := Value(`{"t":true, "b":{"n":1200, "c":"{\u0022d\":[1,2]}"}, "a":[1.0, 2.5, "\u0078"]}`)
	f("readers", func() {
		Kind(v)
		IsNull(v)
		Str(Get(v, "b", "c"))
		Bool(Get(v, "t"))
		Int(Get(v, "b", "n"))
	})
	f("iterators", func() {
		elems, fields := Elems(Get(v, "a")), Fields(v)
		for ok := true; ok; _, ok = elems.Next() {
		}
		for ok := true; ok; _, _, ok = fields.Next() {
		}
	})
	f("Equal", func() {
		if !Equal(v, w) {
			t.Error("values differ")
		}
	})
	plain, buf := []byte("a \"quoted\" é\n\xff"), make([]byte, 0, 256)
	body := AppendEscaped(nil, plain)
	f("appenders", func() {
		buf = AppendString(buf[:0], plain)
		buf = AppendQuoted(buf[:0], body)
		buf = AppendUnescaped(buf[:0], body)
		buf = AppendCompact(buf[:0], w)
	})
	text, _ := Str(Get(v, "b", "c"))
	f("ValueOfText", func() {
		if buf, ok := ValueOfText(buf[:0], text); !ok || len(buf) == 0 {
			t.Error("text is not a value")
		}
		ValueOfText(buf[:0], body) // refusing is free as well
	})
	f("EqualBody", func() { EqualBody(text, body) })
}
