package declared_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/declared"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// FuzzParse: no document makes anything panic, problems are few, and a document without problems makes a dialect that gives
// valid JSON: in events, whatever the record, and in records, whatever the events.
func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob(filepath.Join(examples, "*.yaml"))
	for _, file := range append(files, filepath.Join(here, "testdata/station.yaml")) {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, []byte(`{"type":"stream","content":"a"}`))
	}
	f.Add([]byte(good), []byte(`{"t":"say","txt":"a"}`))
	f.Add([]byte("end_of_body: done\ndecode:\n  - {each: ., emit: plan, set: {items: {from: a, content: b}}}"), []byte(`[{"a":[{"b":1}]}]`))
	f.Add([]byte("end_of_body: done\ntools: {name: a, match: lifo}\ndecode: [{continue: true, emit: tool.end}, {emit: data, set: {value: .}}]"), []byte(` {"a":"b"} `))
	f.Fuzz(func(t *testing.T, text, record []byte) {
		var doc map[string]any
		if len(text) > 16<<10 || yaml.Unmarshal(text, &doc) != nil {
			return
		}
		d, problems := declared.Parse("fuzz", doc)
		if (d == nil) == (len(problems) == 0) || len(problems) > 100 {
			t.Fatalf("a dialect: %t, %d problems", d != nil, len(problems))
		}
		if d != nil {
			useDialect(t, d, wire.Record{Data: record, Event: []byte("token")})
		}
	})
}

// useDialect decodes a record twice and encodes what comes out, and what other dialects might bring.
func useDialect(t *testing.T, d *hub.Dialect, rec wire.Record) {
	t.Helper()
	var decoded []hub.Event
	if d.NewDecoder != nil {
		dec := d.NewDecoder(d.Defaults())
		d.Observe(rec)
		for range 2 {
			evs, _ := dec.Decode(nil, rec)
			for i := range evs {
				if err := adaptertest.Valid(&evs[i]); err != nil {
					t.Fatal(err)
				}
			}
			decoded = append(decoded, ownEvents(evs)...)
		}
		decoded = append(decoded, dec.Finish(nil, nil)...)
	}
	others, err := adaptertest.Events([]byte(otherEvents))
	if err != nil || d.NewEncoder == nil {
		return
	}
	for _, evs := range [][]hub.Event{decoded, others} {
		enc, out := d.NewEncoder(d.Defaults()), wire.NewOut(wire.LengthPrefix)
		sequence(d, evs, func(ev *hub.Event) { enc.Encode(out, ev) })
		checkJSON(t, out.Buf)
	}
}

// checkJSON checks records that are framed by their length.
func checkJSON(t *testing.T, buf []byte) {
	t.Helper()
	var json rawjson.Decoder
	split := wire.NewSplitter(wire.LengthPrefix, 0)
	for len(buf) > 0 {
		rec, n, err := split.Split(buf, true)
		if err != nil || n == 0 {
			t.Fatalf("cannot split: %v", err)
		}
		if err := json.Valid(rec.Data); err != nil {
			t.Fatalf("%v: %s", err, rec.Data)
		}
		buf = buf[n:]
	}
}

// otherEvents have something in every field.
const otherEvents = `{"kind":"run.start","id":"r","ref":"t","name":"n","value":{"a":1},"meta":{"m":[1]},"time":5,"model":"m"}
{"kind":"step.start","id":"s","name":"n"}
{"kind":"agent.start","id":"l","name":"helper","title":"task"}
{"kind":"text.delta","chan":"reasoning","id":"p","msg":"m","lane":"l","text":"a \"b\"\n"}
{"kind":"text.end","chan":"reasoning","id":"p","lane":"l","sig":"x"}
{"kind":"agent.end","id":"l","status":"error","text":"t","value":[1],"err":"e"}
{"kind":"tool.start","id":"t","name":"tool","title":"T","tool_kind":"read","locations":[{"path":"a"}],"content":[{"type":"diff"}]}
{"kind":"tool.update","id":"t","status":"running","percent":5,"text":"u","value":"v"}
{"kind":"tool.ready","id":"t","value":{"a":"\"\\"}}
{"kind":"tool.output","id":"t","chan":"stderr","op":"replace","text":"o"}
{"kind":"tool.end","id":"t","status":"denied","content":[{"type":"content","content":{"type":"text","text":"x\"y"}}],"err":"e"}
{"kind":"ask","id":"q","what":"auth","title":"?","options":[{"id":"o","name":"O","kind":"allow_once"}],"schema":{},"expires":"2030","value":null}
{"kind":"answer","id":"q","status":"expired","name":"o","value":1}
{"kind":"plan","items":[{"id":"i","content":"c","status":"completed","priority":"high"},{}]}
{"kind":"usage","scope":"run","usage":{"in":1,"out":2,"total":3,"cached":0,"cost":0.1,"currency":"EUR","provider":"p"}}
{"kind":"notice","level":"error","text":"n","name":"c"}
{"kind":"source","id":"c","title":"t","text":"q","value":[1,2],"file":{"url":"u","name":"n","media":"m","file_id":"f"}}
{"kind":"file","id":"f","file":{"base64":"AA=="}}
{"kind":"data","op":"patch","name":"d","value":[{"op":"add"}]}
{"kind":"raw","name":"fuzz","id":"e\n","value":{"x":1}}
{"kind":"run.end","status":"limit","err":"e","err_code":"c","value":{}}
`
