package recording

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestShape(t *testing.T) {
	f := func(data, want string) {
		t.Helper()
		if got := string(shapeOf([]byte(data))); got != want {
			t.Errorf("%s: got %s, want %s", data, got, want)
		}
	}
	f(`{"type":"TEXT","delta":"secret","n":12,"ok":true,"none":null,"list":["a",1]}`, `{"type":"TEXT","delta":"string(6)","n":"number","ok":"boolean","none":null,"list":["string(1)","number"]}`)
	f(`{"update":{"sessionUpdate":"tool_call","type":"secret"}}`, `{"update":{"sessionUpdate":"tool_call","type":"string(6)"}}`)
	f(`{"type":"a secret"}`, `{"type":"string(8)"}`)
	f(`"über"`, `"string(4)"`)
	f(`[DONE]`, `"text(6)"`)
	f(`{"a":1} {"b":2}`, `"text(15)"`)
	f(strings.Repeat("[", 40)+strings.Repeat("]", 40), `"text(80)"`)
	f(``, `"text(0)"`)
}

func TestFilter(t *testing.T) {
	f := func(filter Filter, data, want string) {
		t.Helper()
		var l Line
		filter.Payload(&l, []byte(data))
		text, err := Append(nil, &l)
		if got := strings.TrimSpace(string(text)); got != want || err != nil {
			t.Errorf("got %s, want %s (%v)", got, want, err)
		}
	}
	f(Filter{}, `{"a":1}`, `{"type":"","t":0,"data":"{\"a\":1}"}`)
	f(Filter{}, "\xff", `{"type":"","t":0,"base64":"/w=="}`)
	f(Filter{Max: 3}, `{"a":1}`, `{"type":"","t":0,"bytes":7,"shape":{"a":"number"}}`)
	f(Filter{Redact: []string{"key"}}, `{"a":{"key":{"b":[1]}},"c":"d"}`, `{"type":"","t":0,"data":"{\"a\":{\"key\":\"[redacted]\"},\"c\":\"d\"}"}`)
	f(Filter{Redact: []string{"key"}}, `key=secret`, `{"type":"","t":0,"bytes":10,"shape":"text(10)"}`)

	var l Line
	shapes := Filter{Form: Shapes}
	shapes.Event(&l, []byte(`{"kind":"tool.end","status":"ok","id":"secret-id","seq":4,"text":"secret","value":{"kind":"secret"}}`+"\n"))
	if got := string(l.Event); strings.Contains(got, "secret") || !strings.Contains(got, `"kind":"tool.end","status":"ok","id":"#`) || !strings.Contains(got, `"seq":4,"text":"string(6)"`) {
		t.Errorf("the shape of an event is %s", got)
	}
	if shapes.Text("secret") != "" {
		t.Error("the text of an error is kept")
	}
}

// What the agent sent comes out of a recording in a framing that holds it.
func TestWire(t *testing.T) {
	f := func(framing wire.Framing, want string, lines ...Line) {
		t.Helper()
		for i := range lines {
			lines[i].Type = TypeIn
		}
		r := &Run{Lines: lines}
		if got := string(r.Wire()); got != want || r.Framing() != framing {
			t.Errorf("%s: got %q, want %q", r.Framing(), got, want)
		}
	}
	f(wire.NDJSON, "{\"a\":1}\n[2]\n", Line{Data: `{"a":1}`}, Line{Data: `[2]`})
	f(wire.SSE, "data: {\"a\":1}\n\ndata: [DONE]\n\n", Line{Data: `{"a":1}`}, Line{Data: `[DONE]`})
	f(wire.SSE, "event: x\ndata: 1\n\n", Line{Name: "x", Data: `1`})
	f(wire.SSE, "data: {\ndata: }\n\n", Line{Data: "{\n}"})
}
