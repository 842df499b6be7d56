package plandedup_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/plandedup"
)

func TestIsTodoTool(t *testing.T) {
	for name, want := range map[string]bool{"todo_list": true, "TodoWrite": true, "write_todos": true, "bash": false, "": false} {
		if got := plandedup.IsTodoTool([]byte(name)); got != want {
			t.Errorf("%q: got %t, want %t", name, got, want)
		}
	}
}

// TestFilter: p and c are plans and calls, 1 and 2 what they say; those that say again what the other has said stand in
// capitals.
func TestFilter(t *testing.T) {
	contents := map[byte]string{'1': "Look", '2': `A\u0062`, '3': "Ab"} // the last two are the same
	f := func(want string) {
		t.Helper()
		var reported plandedup.Filter
		got := ""
		for i := 0; i < len(want); i += 2 {
			says, again := contents[want[i+1]], false
			what := want[i] | 0x20
			if what == 'p' {
				more := hub.More{Items: []hub.PlanItem{{Content: []byte(says), Status: []byte("pending")}}}
				again = reported.Plan(&hub.Event{Kind: hub.Plan, More: &more})
			} else {
				args := `{"todos":[{"status":"pending","content":"` + says + `"}]}`
				var isPlan bool
				if isPlan, again = reported.Call(&hub.Event{Kind: hub.ToolReady, Value: []byte(args)}); !isPlan {
					t.Errorf("%s is no plan", args)
				}
			}
			if again {
				what -= 0x20
			}
			got += string([]byte{what, want[i+1]})
		}
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f("p1C1")
	f("c1P1")
	f("c2P3")
	f("p1C1c1P1")
	f("p1C1p2C2")
	f("c1P1c2P2")
	f("p1p1C1")
	f("p1c2p1c2")
	f("c1P1p1")

	var reported plandedup.Filter
	if isPlan, again := reported.Call(&hub.Event{Kind: hub.ToolReady, Value: []byte(`{"merge":true}`)}); isPlan || again {
		t.Error("a call without a list of todos is a plan")
	}
	reported.Plan(&hub.Event{Kind: hub.Plan})
	if _, again := reported.Call(&hub.Event{Kind: hub.ToolReady, SubAgent: []byte("a"), Value: []byte(`{"todos":[]}`)}); again {
		t.Error("the plan of a sub-agent is taken for that of the root agent")
	}
	reported.Reset()
	reported.Plan(&hub.Event{Kind: hub.Plan})
	if _, again := reported.Call(&hub.Event{Kind: hub.ToolReady, Value: []byte(`{"todos":[]}`)}); !again {
		t.Error("an empty plan is written twice")
	}
}
