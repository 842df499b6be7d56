package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// TestStages takes a stream through the stages of its dialect: with embeds=queue an announcement of media that comes
// while its tool runs stands behind the tool and before the message, as S2-12, S2-13, S2-14, S2-15, S2-16 and S2-17 want; by default it
// stays where it is.
func TestStages(t *testing.T) {
	live := strings.Join([]string{
		`{"type":"assistant.turn_start","data":{"turnId":"0"}}`,
		`{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"embed_media","arguments":{}}}`,
		`{"type":"caco.embed","data":{"outputId":"o1","provider":"YouTube","title":"A"}}`,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"ok"}}}`,
		`{"type":"assistant.message","data":{"messageId":"m1","content":"Here."}}`,
		`{"type":"session.idle","data":{}}`,
	}, "\n") + "\n"
	for embeds, want := range map[string][]string{
		"asis":  {"tool.start", "caco.embed", "tool.end", "text.delta", "run.end"},
		"queue": {"tool.start", "tool.end", "caco.embed", "text.delta", "run.end"},
	} {
		from, to := dialect(t, "copilot"), dialect(t, "native")
		options, problems := from.ParseOptions(map[string]any{"embeds": embeds})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		k := engine.NewCodec(engine.Config{From: from, FromOptions: options, To: to, ToOptions: to.Defaults()}, wire.NDJSON)
		for range 2 { // and again after a reset
			var got strings.Builder
			if _, err := k.Feed([]byte(live), true); err != nil {
				t.Fatal(err)
			}
			got.Write(k.Take())
			if f := k.Finish(nil); f != nil {
				t.Fatal(f)
			}
			got.Write(k.Take())
			inOrder(t, embeds, got.String(), want)
			k.Reset()
		}
	}
}

// inOrder fails unless the marks occur in got in their order.
func inOrder(t *testing.T, name, got string, marks []string) {
	t.Helper()
	rest := got
	for _, m := range marks {
		_, after, ok := strings.Cut(rest, m)
		if !ok {
			t.Fatalf("%s: %q is missing or too early in\n%s", name, m, got)
		}
		rest = after
	}
}

func dialect(t *testing.T, name string) *hub.Dialect {
	t.Helper()
	d, err := adapters.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
