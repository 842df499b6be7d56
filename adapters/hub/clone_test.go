package hub_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// fill gives every slice of bytes below v a text of its own, and every list two entries. It returns what it wrote.
func fill(v reflect.Value, texts [][]byte) [][]byte {
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), texts)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			texts = fill(v.Field(i), texts)
		}
	case v.Type() == reflect.TypeFor[[]byte]():
		text := fmt.Appendf(nil, "text %d", len(texts))
		v.SetBytes(text)
		return append(texts, text)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			texts = fill(v.Index(i), texts)
		}
	}
	return texts
}

// TestClone: a copy holds all that the event held, in memory of its own, and its parts cannot grow into each other.
func TestClone(t *testing.T) {
	var ev, want hub.Event
	texts := fill(reflect.ValueOf(&ev).Elem(), nil)
	fill(reflect.ValueOf(&want).Elem(), nil)
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if got := ev.Size(); got != size {
		t.Errorf("it holds %d bytes, want %d", got, size)
	}
	got := ev.Clone()
	for _, text := range texts {
		clear(text)
	}
	ev.More.Items[0], ev.More.Options[0], ev.More.Time = hub.PlanItem{}, hub.AskOption{}, 7
	_ = append(got.ID, "overwritten"...)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if again := got.Size(); again != size {
		t.Errorf("the copy holds %d bytes, want %d", again, size)
	}
}

// TestCloneOfNothing: what is not there is not there in the copy, and what is empty is empty.
func TestCloneOfNothing(t *testing.T) {
	for _, ev := range []hub.Event{{}, {Kind: hub.TextDelta, Text: []byte{}}, {More: &hub.More{}}} {
		if got := ev.Clone(); !reflect.DeepEqual(got, ev) || ev.Size() != 0 {
			t.Errorf("got %+v of %d bytes, want %+v", got, ev.Size(), ev)
		}
	}
}

// TestHasOnlyTime: each member of More but a time and counts is something else.
func TestHasOnlyTime(t *testing.T) {
	if m := (hub.More{Time: 1}); !m.HasOnlyTime() {
		t.Error("a time is more than a time")
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[hub.More]()) {
		var m hub.More
		fill(reflect.ValueOf(&m).Elem().FieldByIndex(field.Index), nil)
		if got, want := m.HasOnlyTime(), field.Name == "Time" || field.Name == "Usage"; got != want {
			t.Errorf("with %s: %t", field.Name, got)
		}
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[hub.FileRef]()) {
		var m hub.More
		if fill(reflect.ValueOf(&m.File).Elem().FieldByIndex(field.Index), nil); m.HasOnlyTime() {
			t.Errorf("a file's %s is only a time", field.Name)
		}
	}
}

// TestGrow: a slot is empty, in memory that was used before as in memory that is new.
func TestGrow(t *testing.T) {
	used := []hub.Event{{Kind: hub.TextStart}, {Kind: hub.TextDelta}}
	events, slot := hub.Grow(used[:1])
	if len(events) != 2 || slot != &used[1] || !reflect.DeepEqual(*slot, hub.Event{}) {
		t.Errorf("%d events, %v", len(events), slot)
	}
	events, slot = hub.Grow(events)
	if len(events) != 3 || slot != &events[2] || events[0].Kind != hub.TextStart || !reflect.DeepEqual(*slot, hub.Event{}) {
		t.Errorf("%v, %v", events, slot)
	}
}
