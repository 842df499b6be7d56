package sequencer_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
)

// TestHeldCopies: of a held event, every byte is copied. The fields are found by reflection, so that a new one cannot
// be forgotten.
func TestHeldCopies(t *testing.T) {
	ev := hub.Event{Kind: hub.ToolUpdate, More: &hub.More{Items: make([]hub.PlanItem, 2), Options: make([]hub.AskOption, 2)}}
	n := 0
	eachSlice(reflect.ValueOf(&ev).Elem(), func(path string, p *[]byte) {
		n++
		*p = []byte(path)
	})
	ev.ID, ev.SubAgent = []byte("t1"), nil
	seq := sequencer.New(sequencer.Config{})
	seq.Push(nil, []hub.Event{{Kind: hub.RunStart}, ev}, 0)
	eachSlice(reflect.ValueOf(&ev).Elem(), func(_ string, p *[]byte) { adaptertest.Overwrite(*p) })

	out := seq.Push(nil, []hub.Event{{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte("n")}}, 0)
	if len(out) != 2 || n < 30 {
		t.Fatalf("%d events, %d slices", len(out), n)
	}
	eachSlice(reflect.ValueOf(&out[1]).Elem(), func(path string, p *[]byte) {
		if path != "ID" && path != "SubAgent" && string(*p) != path {
			t.Errorf("%s is %q", path, *p)
		}
	})
}

// eachSlice calls f with every byte slice below v and its path.
func eachSlice(v reflect.Value, f func(path string, p *[]byte)) { walk("", v, f) }

func walk(path string, v reflect.Value, f func(path string, p *[]byte)) {
	switch v.Kind() {
	case reflect.Pointer:
		walk(path, v.Elem(), f)
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			walk(name, v.Field(i), f)
		}
	case reflect.Slice:
		if p, ok := v.Addr().Interface().(*[]byte); ok {
			f(path, p)
			return
		}
		for i := range v.Len() {
			walk(fmt.Sprintf("%s.%d", path, i), v.Index(i), f)
		}
	}
}
