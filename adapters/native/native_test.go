package native_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestLines writes back what it read, one line per shape of event.
func TestLines(t *testing.T) {
	f := func(line string) {
		t.Helper()
		evs, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil || len(evs) != 1 {
			t.Fatalf("decoding %s gives %d events and %v", line, len(evs), err)
		}
		if got := string(native.Append(nil, &evs[0])); got != line {
			t.Errorf("got  %s\nwant %s", got, line)
		}
	}
	f(`{"kind":"text.delta","id":"p1","text":"a\u00e9\n"}`)
	f(`{"kind":"text.delta","chan":"reasoning","op":"replace","flags":["synthetic","user"],"seq":7,"lane":"l","msg":"m","id":"p","text":"x"}`)
	f(`{"kind":"tool.end","status":"ok","id":"t","name":"n","text":""}`)
	f(`{"kind":"tool.end","status":"ok","id":"t","name":"n","value":null}`)
	f(`{"kind":"run.end","status":"failed","time":17,"meta":{"a":1},"model":"m","err":"e","err_code":"c"}`)
	f(`{"kind":"plan"}`)
	f(`{"kind":"plan","items":[]}`)
	f(`{"kind":"plan","items":[{"id":"1","content":"c","status":"pending","priority":"low"},{}]}`)
	f(`{"kind":"ask","what":"permission","id":"q","options":[{"id":"y","name":"Yes","kind":"allow_once"},{"id":"n"}],"schema":{"type":"object"},"expires":"2030-01-01T00:00:00Z"}`)
	f(`{"kind":"usage","scope":"run","usage":{"in":0,"out":2,"total":3,"cached":4,"cache_write":5,"reasoning":6,"context_used":7,"context_size":8,"cost":0.10,"currency":"USD","provider":"p"}}`)
	f(`{"kind":"file","file":{"media":"m","name":"n","url":"u","file_id":"i","base64":"AA=="}}`)
	f(`{"kind":"tool.update","status":"running","id":"t","tool_kind":"read","locations":[{"path":"a"}],"content":[],"percent":1e1}`)
}

func TestErrors(t *testing.T) {
	f := func(line, want string) {
		t.Helper()
		evs, err := native.Dialect.NewDecoder(hub.Options{}).Decode(nil, wire.Record{Data: []byte(line)})
		if err == nil || len(evs) != 0 {
			t.Fatalf("decoding %s gives %d events and no error", line, len(evs))
		}
		if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %q, want %q", line, err, want)
		}
	}
	f(`{"kind":"none"}`, "kind: unknown")
	f(`{"kind":"text.deltas"}`, "kind: unknown")
	f(`{}`, "kind: missing")
	f(`{"kind":7}`, "kind: type")
	f(`{"kind":"plan","status":"odd"}`, "status: unknown")
	f(`{"kind":"plan","flags":["odd"]}`, "flags: unknown")
	f(`{"kind":"plan","flags":"user"}`, "flags: type")
	f(`{"kind":"plan","seq":1.5}`, "seq: type")
	f(`{"kind":"plan","items":[{"id":1}]}`, "items.id: type")
	f(`{"kind":"usage","usage":{"in":"1"}}`, "usage.in: type")
	f(`{"kind":"file","file":[]}`, "file: type")
	f(`{"kind":"plan"`, "byte 14: syntax")
	f(`[]`, "byte 0: type")
}

func TestObserve(t *testing.T) {
	f := func(line string, want hub.Observation) {
		t.Helper()
		if got := native.Dialect.Observe(wire.Record{Data: []byte(line)}); got != want {
			t.Errorf("%s: got %d, want %d", line, got, want)
		}
	}
	f(`{"kind":"run.start"}`, hub.ObservedStart)
	f(`{"kind":"run.end","status":"done"}`, hub.ObservedEnd)
	f(`{"status":"done", "kind" : "run.end"}`, hub.ObservedEnd)
	f(`{"kind":"text.delta","text":"run.end"}`, hub.ObservedNothing)
	f(`{"kind":"ru`, hub.ObservedNothing)
	f(``, hub.ObservedNothing)
}

// TestBadRequests: what is of another form is an error that names the place.
func TestBadRequests(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		var req hub.Request
		err := native.Dialect.Requests.DecodeRequest(&req, []byte(body))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", body, err, want)
		}
	}
	message := func(members string) string { return `{"messages":[{"role":"user"},{` + members + `}]}` }
	f(`[]`, "byte 0: type: want an object")
	f(`null`, "type: want an object")
	f(`{"thread":1}`, "thread: type")
	f(`{"partial":"true"}`, "partial: type")
	f(`{"trigger":"odd"}`, "trigger: unknown")
	f(`{"settings":{"seed":"1"}}`, "settings.seed: type")
	f(`{"settings":{"format":{"kind":"xml"}}}`, "settings.format.kind: unknown")
	f(`{"choice":{"names":[1]}}`, "choice.names: type")
	f(`{"tools":{}}`, "tools: type")
	f(`{"tools":[{"name":"a"},{"strict":1}]}`, "tools.1.strict: type")
	f(`{"messages":{}}`, "messages: type")
	f(`{"messages":["hi"]}`, "messages.0: type")
	f(message(``), "messages.1.role: missing")
	f(message(`"role":"assistant"`), "messages.1.role: unknown")
	f(message(`"role":"user","parts":[{}]`), "messages.1.parts.0.kind: missing")
	f(message(`"role":"user","parts":[{"kind":"call"}]`), "messages.1.parts.0.kind: unknown")
	f(message(`"role":"results","parts":[{"kind":"call"}]`), "messages.1.parts.0.result: missing")
	f(message(`"role":"agent","parts":[{"kind":"call","result":{"status":"done"}}]`), "messages.1.parts.0.result.status: unknown")
	f(message(`"role":"agent","parts":[{"kind":"call","result":{"content":{}}}]`), "messages.1.parts.0.result.content: type")
}
