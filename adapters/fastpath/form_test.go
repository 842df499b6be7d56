package fastpath

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestForm shows which values are like the one before.
func TestForm(t *testing.T) {
	for _, c := range []struct {
		value, next string
		alike       bool
	}{
		{`{"n":1}`, `{"n":25}`, true},
		{`{"n":1}`, `{"n":25},"more":1}`, true}, // what stands behind it is not its own
		{`{"n":1}`, `{"n":-1}`, false},
		{`{"n":1}`, `{"n":1.5}`, false},
		{`{"n":1}`, `{"n":01}`, false},
		{`{"n":1}`, `{"n":}`, false},
		{`{"n":1}`, `{"m":1}`, false},
		{`{"n":1}`, `{"n":1`, false},
		{`{"n":-1.5e3}`, `{"n":2}`, true},
		{`{"n":-1.5e3}`, `{"n":2..5}`, false},
		{`{"s":"a"}`, `{"s":"a longer one"}`, true},
		{`{"s":"a"}`, `{"s":""}`, true},
		{`{"s":"a"}`, `{"s":"\n"}`, false},
		{`{"s":"a"}`, "{\"s\":\"\n\"}", false},
		{`{"s":"a"}`, "{\"s\":\"\xff\"}", false},
		{`{"s":"a\n"}`, `{"s":"a\n"}`, true},
		{`{"s":"a\n"}`, `{"s":"b\n"}`, false},
		{`{"1":true,"b" : [1,"2",{}]}`, `{"1":true,"b" : [3,"4",{}]}`, true},
		{`{"1":true}`, `{"2":true}`, false},
		{`[1,2]`, `[1,2,3]`, false},
		{`[1,2]`, `[1]`, false},
		{"[" + strings.Repeat("1,", 100) + "1]", "[" + strings.Repeat("1,", 100) + "1]", true},
		{"[" + strings.Repeat("1,", 100) + "1]", "[" + strings.Repeat("1,", 100) + "2]", false}, // behind the numbers that may differ
		{`["` + strings.Repeat("a", maxForm) + `"]`, `["` + strings.Repeat("a", maxForm) + `"]`, false},
	} {
		var f form
		f.learn([]byte(c.value))
		n := f.match([]byte(c.next))
		if (n > 0) != c.alike {
			t.Errorf("%s, then %s: %d bytes are alike", c.value, c.next, n)
		}
		if n > 0 && n != rawjson.ValueLen([]byte(c.next), maxInside) {
			t.Errorf("%s, then %s: %d bytes are no value", c.value, c.next, n)
		}
	}
}

// TestFormInVain keeps no more values where none is like the one before, until one is.
func TestFormInVain(t *testing.T) {
	var f form
	p := &piece{hole: list, depth: 1}
	for i := range maxTries {
		if f.fill([]byte("["+strings.Repeat("1,", i)+"1]"), p); len(f.mem) == 0 {
			t.Fatalf("value %d is not kept", i)
		}
	}
	if f.fill([]byte(`[""]`), p); len(f.mem) > 0 {
		t.Errorf("a value is kept behind %d in vain", maxTries)
	}
	f.tries = maxTries - 1
	f.fill([]byte(`["1"]`), p)
	f.fill([]byte(`["2"]`), p)
	if f.fill([]byte(`[{}]`), p); len(f.mem) == 0 {
		t.Error("no value is kept behind one that was like the one before")
	}
}

// FuzzForm: what is like a value is one itself, no deeper.
func FuzzForm(f *testing.F) {
	f.Add([]byte(`{"prompt_tokens":20,"details":{"cached":0},"cost":-0.5e3}`), []byte(`{"prompt_tokens":21,"details":{"cached":7},"cost":1}`))
	f.Add([]byte(`[{"token":" ok","bytes":[32,111]}]`), []byte(`[{"token":"\"","bytes":[32,111]}]`))
	f.Fuzz(func(t *testing.T, value, next []byte) {
		const depth = 3
		if rawjson.ValueLen(value, depth) != len(value) {
			return
		}
		var kept form
		kept.learn(value)
		if n := kept.match(value); n != 0 && n != len(value) {
			t.Errorf("%d bytes of %q are like itself", n, value)
		}
		if n := kept.match(next); n > 0 && rawjson.ValueLen(next[:n], depth) != n {
			t.Errorf("%q is like %q", next[:n], value)
		}
	})
}
