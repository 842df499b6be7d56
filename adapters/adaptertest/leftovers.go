package adaptertest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// testLeftovers decodes all fixtures with one decoder for each set of options, and back again: a Reset must leave nothing of the
// stream before, whatever that was.
func testLeftovers(t *testing.T, fixtures []*fixture) {
	sources := map[string]*source{}
	order := slices.Clone(fixtures)
	slices.Reverse(order)
	for _, f := range append(order, fixtures...) {
		if !f.hasWire {
			continue
		}
		key := fmt.Sprintf("%v %v", f.framing, f.options)
		src := sources[key]
		if src == nil {
			src = newSource(f)
			sources[key] = src
		}
		src.rewind()
		fresh := newSource(f)
		if left := leftovers(reflect.ValueOf(src.dec), reflect.ValueOf(fresh.dec), ""); len(left) > 0 {
			t.Errorf("%s: Reset leaves %v", f.name, left)
		}
		want, got := decode(fresh, f.wire), decode(src, f.wire)
		if got.lines != want.lines || got.errs != want.errs {
			t.Errorf("%s: decoding after other streams and Reset gives other events or errors\n%s", f.name, diff(want.lines+want.errs, got.lines+got.errs))
		}
	}
}

// leftovers names the switches that differ between what was reset and what is fresh. Numbers and memory may differ: a decoder
// keeps its buffers.
func leftovers(used, fresh reflect.Value, path string) (names []string) {
	switch used.Kind() {
	case reflect.Pointer, reflect.Interface:
		if used.IsNil() != fresh.IsNil() || used.IsNil() || path != "" {
			return nil
		}
		return leftovers(used.Elem(), fresh.Elem(), path)
	case reflect.Struct:
		for i := range used.NumField() {
			names = append(names, leftovers(used.Field(i), fresh.Field(i), path+"."+used.Type().Field(i).Name)...)
		}
	case reflect.Bool:
		if used.Bool() != fresh.Bool() {
			names = append(names, path)
		}
	}
	return names
}

// testEncoderLeftovers does the same with what encoders write.
func testEncoderLeftovers(t *testing.T, d *hub.Dialect, fixtures []*fixture) {
	if d.NewEncoder == nil {
		return
	}
	used := map[string]hub.Encoder{}
	order := slices.Clone(fixtures)
	slices.Reverse(order)
	for _, f := range append(order, fixtures...) {
		key := fmt.Sprint(f.options)
		enc, fresh := used[key], d.NewEncoder(f.options)
		if enc == nil {
			enc = d.NewEncoder(f.options)
			used[key] = enc
		}
		enc.Reset()
		fresh.Reset()
		if left := leftovers(reflect.ValueOf(enc), reflect.ValueOf(fresh), ""); len(left) > 0 {
			t.Errorf("%s: Reset of the encoder leaves %v", f.name, left)
		}
		want, got := f.encodeWith(t, fresh, d.Framing, false), f.encodeWith(t, enc, d.Framing, false)
		if string(got) != string(want) {
			t.Errorf("%s: encoding after other streams and Reset gives other records\n%s", f.name, diff(string(want), string(got)))
		}
	}
}
