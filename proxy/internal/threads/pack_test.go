package threads

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// fill gives every member of a value something, and returns how many it has filled. Each has another value.
func fill(v reflect.Value, n int) int {
	n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			n = fill(v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		n = fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, "value %d", n))
			break
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		n = fill(v.Index(1), fill(v.Index(0), n))
	case reflect.String:
		v.SetString(fmt.Sprint("text ", n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(uint64(n % 8))
	default:
		panic("a message has a member of another kind: " + v.Kind().String())
	}
	return n
}

// TestPack: messages are unpacked as they were, with every member that they have, also those that are added later.
func TestPack(t *testing.T) {
	var full hub.Message
	if n := fill(reflect.ValueOf(&full).Elem(), 0); n < 50 {
		t.Fatalf("only %d members were filled", n)
	}
	full.Unread, full.KeptBy = false, "" // counted by the request that has brought it
	for i := range full.Parts {
		full.Parts[i].Result.Last = false // of the request that has brought it
	}
	one := func(p hub.Part) hub.Message { return hub.Message{Role: hub.RoleAgent, Parts: []hub.Part{p}} }
	for name, ms := range map[string][]hub.Message{
		"none":     nil,
		"empty":    {{}},
		"full":     {full, {Role: hub.RoleUser}, full},
		"no parts": {{Role: hub.RoleUser, ID: []byte{}, Parts: []hub.Part{}}},
		"result":   {one(hub.Part{Kind: hub.PartCall, Result: &hub.CallResult{Status: hub.StatusDenied}})},
		"approval": {one(hub.Part{Kind: hub.PartCall, Approval: &hub.Approval{Decided: true}})},
		"file":     {one(hub.Part{Kind: hub.PartFile, File: &hub.FileRef{}})},
		"flags":    {one(hub.Part{ClientRuns: true}), one(hub.Part{Dynamic: true}), {Joins: true}},
		"long":     {one(hub.Part{Text: make([]byte, 1<<20), Value: []byte{}})},
	} {
		packed := pack(ms)
		if got := unpack(nil, packed); !reflect.DeepEqual(got, ms) {
			t.Errorf("%s: %+v, want %+v", name, got, ms)
		}
		if len(packed) != cap(packed) {
			t.Errorf("%s: %d bytes hold %d", name, cap(packed), len(packed))
		}
	}
}
