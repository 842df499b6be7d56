package mastra_test

import (
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
