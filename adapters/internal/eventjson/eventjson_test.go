package eventjson

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// whole has every member.
const whole = `{"kind":"usage","status":"ok","chan":"stdout","op":"merge","level":"info","scope":"run","what":"auth",` +
	`"flags":["synthetic","lossy"],"seq":7,` +
	`"lane":"l","msg":"m","id":"i","ref":"r","name":"n","title":"t\\n","text":"","value":null,` +
	`"time":5,"meta":{},"model":"mo","sig":"s","tool_kind":"read","locations":[1],"content":[],"percent":12.5,` +
	`"items":[{"id":"1","content":"c","status":"s","priority":"p"},{}],"options":[{"id":"y","name":"Yes","kind":"k"}],` +
	`"schema":{"a":1},"expires":"e",` +
	`"usage":{"in":0,"out":1,"total":2,"cached":3,"cache_write":4,"reasoning":5,"context_used":6,"context_size":7,"cost":0.5,` +
	`"currency":"USD","provider":"p"},` +
	`"file":{"media":"m","name":"n","url":"u","file_id":"f","base64":"b"},"err":"e","err_code":"c"}`

// TestSelections writes and reads an event with every member, whole and member by member.
func TestSelections(t *testing.T) {
	var s hub.Scratch
	strict := Reader{Scratch: &s, Strict: true}
	var ev hub.Event
	strict.Read(&ev, rawjson.Value(whole), All)
	if got := string(AppendObject(nil, &ev, All)); strict.Err != nil || got != whole {
		t.Fatalf("%v: read and written again it is\n%s, want\n%s", strict.Err, got, whole)
	}
	for i := range members {
		bit, lenient := Set(1)<<i, Reader{Scratch: &s}
		one := hub.Event{Kind: hub.Usage}
		lenient.Read(&one, rawjson.Value(whole), bit)
		name := members[i].name()
		want := `{"` + name + `":` + string(rawjson.Get(rawjson.Value(whole), name)) + `}`
		if got := string(AppendObject(nil, &one, bit)); got != want {
			t.Errorf("of %s alone there is %s, want %s", name, got, want)
		}
		if got := string(AppendObject(nil, &one, All&^bit&^Kind)); got != "{}" {
			t.Errorf("besides %s there is %s", name, got)
		}
	}
}

// TestForms reads members of the wrong form: an error where that is wanted, otherwise as good as absent.
func TestForms(t *testing.T) {
	for in, path := range map[string]string{
		`{"id":1}`: "id", `{"status":"odd"}`: "status", `{"kind":"none"}`: "kind", `{"flags":["odd"]}`: "flags", `{"flags":[1]}`: "flags",
		`{"seq":"1"}`: "seq", `{"time":1.5}`: "time", `{"percent":"1"}`: "percent", `{"locations":{}}`: "locations", `{"meta":[]}`: "meta",
		`{"items":{}}`: "items", `{"items":[1]}`: "items", `{"options":[{"id":1}]}`: "options.id", `{"file":[]}`: "file",
		`{"file":{"url":1}}`: "file.url", `{"usage":{"in":"1"}}`: "usage.in",
	} {
		var s hub.Scratch
		strict, lenient := Reader{Scratch: &s, Strict: true}, Reader{Scratch: &s}
		ev := hub.Event{Kind: hub.Usage}
		strict.Read(&ev, rawjson.Value(in), All)
		if strict.Err == nil || strict.Err.Path != path {
			t.Errorf("%s: %v, want an error of %s", in, strict.Err, path)
		}
		lenient.Read(&ev, rawjson.Value(in), All)
		if got := string(AppendObject(nil, &ev, All&^(Kind|Items|Options))); lenient.Err != nil || got != "{}" {
			t.Errorf("%s: %v, and the event has %s", in, lenient.Err, got)
		}
	}
}

// TestNull: a null is an absent member, but for the value of an event.
func TestNull(t *testing.T) {
	for i := range members {
		var s hub.Scratch
		ev := hub.Event{Kind: hub.Usage}
		r := Reader{Scratch: &s, Strict: true}
		r.Read(&ev, rawjson.Value(`{"`+members[i].name()+`":null}`), Set(1)<<i)
		want := "{}"
		if Set(1)<<i == Value {
			want = `{"value":null}`
		}
		if got := string(AppendObject(nil, &ev, All&^Kind)); r.Err != nil || got != want {
			t.Errorf("%s: %v, and the event has %s, want %s", members[i].name(), r.Err, got, want)
		}
	}
}
