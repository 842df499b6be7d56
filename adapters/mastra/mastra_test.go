package mastra_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/mastra"
)

func TestRequests(t *testing.T) { adaptertest.Requests(t, &mastra.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &mastra.Dialect) }

func TestDialect(t *testing.T) { adaptertest.Run(t, &mastra.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &mastra.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &mastra.Dialect) }

// TestSubAgentsWithoutACall: the call that is made for a sub-agent has one name, from its beginning to its result.
func TestSubAgentsWithoutACall(t *testing.T) {
	enc := mastra.Dialect.NewEncoder(mastra.Dialect.Defaults())
	records := adaptertest.Records(t, enc, `{"kind":"run.start","id":"r1"}`, `{"kind":"agent.start","id":"a1","name":"finder"}`,
		`{"kind":"text.delta","id":"t1","lane":"a1","text":"found"}`, `{"kind":"agent.end","id":"a1","status":"ok","text":"done"}`, `{"kind":"run.end","status":"done"}`)
	for _, typ := range []string{"tool-call", "tool-output", "tool-result"} {
		written := 0
		for _, r := range records {
			if strings.HasPrefix(r, `{"type":"`+typ+`"`) {
				written++
				if !strings.Contains(r, `"toolName":"agent-finder"`) {
					t.Errorf("another tool in %s", r)
				}
			}
		}
		if written == 0 {
			t.Errorf("no %s in\n%s", typ, strings.Join(records, "\n"))
		}
	}
}

// TestQuestionsAboutLongCalls: arguments that are too long to be kept are not shown as none in the question about the call, and those of the
// next call are kept again.
func TestQuestionsAboutLongCalls(t *testing.T) {
	enc := mastra.Dialect.NewEncoder(mastra.Dialect.Defaults())
	call := func(id, args string) []string {
		return []string{`{"kind":"tool.start","id":"` + id + `","name":"rm"}`, `{"kind":"tool.ready","id":"` + id + `","name":"rm","value":` + args + `}`,
			`{"kind":"ask","id":"r1:` + id + `","ref":"` + id + `","what":"permission","title":"rm"}`,
			`{"kind":"answer","id":"r1:` + id + `","status":"ok"}`, `{"kind":"tool.end","id":"` + id + `","status":"ok","text":"gone"}`}
	}
	events := append([]string{`{"kind":"run.start","id":"r1"}`}, call("c1", `{"path":"`+strings.Repeat("a", 1<<20)+`"}`)...)
	events = append(append(events, call("c2", `{"path":"b"}`)...), `{"kind":"run.end","status":"done"}`)
	var asked []string
	for _, r := range adaptertest.Records(t, enc, events...) {
		if strings.HasPrefix(r, `{"type":"tool-call-approval"`) {
			_, payload, _ := strings.Cut(r, `"payload":`)
			payload, _, _ = strings.Cut(payload, `,"resumeSchema"`)
			asked = append(asked, payload)
		}
	}
	want := []string{`{"toolCallId":"c1","toolName":"rm"`, `{"toolCallId":"c2","toolName":"rm","args":{"path":"b"}`}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
}
