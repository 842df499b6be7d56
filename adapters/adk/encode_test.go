package adk_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/adk"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// read decodes records.
func read(t *testing.T, records string) (all []hub.Event) {
	t.Helper()
	dec := adk.Dialect.NewDecoder(adk.Dialect.Defaults())
	for line := range strings.Lines(records) {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(strings.TrimSpace(line))})
		if err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for i := range evs {
			all = append(all, evs[i].Clone())
		}
	}
	return all
}

// TestUserFiles: a file of the user's is no document of the answer.
func TestUserFiles(t *testing.T) {
	const user = `{"kind":"file","flags":["user"],"id":"f1","file":{"media":"image/png","base64":"iVBORw0KGgo="}}`
	got := encode(t, "", user)
	if want := `"role":"user"},"invocationId":"run","author":"user"`; !strings.Contains(got, want) {
		t.Errorf("want %s in\n%s", want, got)
	}
	events := read(t, got)
	if !slices.ContainsFunc(events, func(ev hub.Event) bool { return ev.Kind == hub.File && ev.Flags.Has(hub.User) }) {
		t.Errorf("read back: %s", adaptertest.Lines(events))
	}
	if got := encode(t, "", strings.Replace(user, `"flags":["user"],`, "", 1)); !strings.Contains(got, `"role":"model"`) {
		t.Errorf("of the agent's:\n%s", got)
	}
}

// TestCodeBesideCode: results of code name no call, so that of two pieces of code side by side one is a call like others.
func TestCodeBesideCode(t *testing.T) {
	events := read(t, encode(t, "", strings.Join([]string{
		`{"kind":"tool.start","id":"a","name":"code_execution"}`, `{"kind":"tool.ready","id":"a","value":{"code":"1+1"}}`,
		`{"kind":"tool.start","id":"b","name":"code_execution"}`, `{"kind":"tool.ready","id":"b","value":{"code":"2+2"}}`,
		`{"kind":"tool.end","id":"a","status":"ok","text":"2"}`, `{"kind":"tool.end","id":"b","status":"ok","text":"4"}`,
		`{"kind":"tool.start","id":"c","name":"code_execution"}`, `{"kind":"tool.ready","id":"c","value":{"code":"3+3"}}`,
		`{"kind":"tool.end","id":"c","status":"ok","text":"6"}`,
	}, "\n")))
	code, results := map[string]string{}, []string{}
	for i := range events {
		switch ev := &events[i]; ev.Kind {
		case hub.ToolReady:
			code[string(ev.ID)] = string(rawjson.Text(ev.Value, "code"))
		case hub.ToolEnd:
			results = append(results, code[string(ev.ID)]+" = "+string(ev.Text))
		}
	}
	if got, want := strings.Join(results, ", "), "1+1 = 2, 2+2 = 4, 3+3 = 6"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestUserAfterAgent: what the user says stands behind what the agent has said before, for clients without fragments, too.
func TestUserAfterAgent(t *testing.T) {
	got := encode(t, `{"streaming":false}`, strings.Join([]string{
		`{"kind":"text.delta","id":"a","text":"Where?"}`, `{"kind":"text.end","id":"a"}`,
		`{"kind":"text.delta","id":"u","flags":["user"],"text":"Oslo"}`, `{"kind":"text.end","id":"u","flags":["user"]}`,
	}, "\n"))
	if agent, user := strings.Index(got, "Where?"), strings.Index(got, "Oslo"); agent < 0 || user < agent {
		t.Errorf("%s", got)
	}
}
