package proxy

import (
	"io"
	"strings"
	"testing"
	"time"
)

// TestShape sets a route's shape in YAML and reads what a client gets over a socket, and what is counted as lost.
func TestShape(t *testing.T) {
	t.Parallel()
	run := strings.Join([]string{
		lineStart,
		`{"kind":"text.start","id":"h","chan":"reasoning"}`,
		`{"kind":"text.delta","id":"h","chan":"reasoning","text":"hm"}`,
		`{"kind":"text.end","id":"h","chan":"reasoning"}`,
		`{"kind":"tool.start","id":"t","name":"internal_log"}`,
		`{"kind":"tool.end","id":"t","name":"internal_log","status":"ok","text":"x"}`,
		`{"kind":"agent.start","id":"l","name":"finder"}`,
		`{"kind":"text.delta","id":"p","lane":"l","text":"found"}`,
		`{"kind":"agent.end","id":"l","status":"ok"}`,
		`{"kind":"plan","items":[{"content":"look","status":"completed"}]}`,
		`{"kind":"text.delta","id":"a","text":"Hel"}`,
		`{"kind":"text.delta","id":"a","text":"lo"}`,
		lineEnd,
	}, "\n") + "\n"
	f := func(name, shape string, want, never []string, lost map[string]float64) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, func(p *peer) {
				p.request()
				p.ok()
				p.finish(run)
			})
			r := start(t, simple(a.url(), "", "", "client: twin\nframing: ndjson\nshape: "+shape+"\n"))
			c := r.dial()
			defer c.Close()
			c.ask("POST", "/run", "{}")
			body, err := io.ReadAll(c.response().Body)
			if err != nil {
				t.Fatal(err)
			}
			inOrder(t, name, string(body), want)
			for _, s := range never {
				if strings.Contains(string(body), s) {
					t.Errorf("%s is still there:\n%s", s, body)
				}
			}
			r.awaitEnds(1)
			for key, n := range lost {
				kind, disposition, _ := strings.Cut(key, " ")
				if got := r.metric("sabir_event_losses_total", "kind="+kind, "fate="+disposition); got != n {
					t.Errorf("%s %s: %v are counted, want %v", kind, disposition, got, n)
				}
			}
		})
	}
	f("nothing", "{}", []string{"hm", "internal_log", "agent.start", "plan", `"Hel"`, `"lo"`}, nil, nil)
	f("drop", "{policy: {reasoning: drop, plan: drop}}", []string{"internal_log", `"Hel"`}, []string{"hm", "look"},
		map[string]float64{"text.delta dropped": 1, "plan dropped": 1})
	f("fold", "{policy: {plan: fold}}", []string{"hm", "- [x] look", `"Hel"`}, []string{`"kind":"plan"`}, map[string]float64{"plan folded": 1})
	f("filter", `{filter: {tools: ["internal_*"], classes: [plan]}}`, []string{"hm", `"Hel"`}, []string{"internal_log", "look"},
		map[string]float64{"tool.start dropped": 1, "tool.end dropped": 1, "plan dropped": 1})
	f("lanes", "{lanes: tool}", []string{"delegate_to_finder", `"kind":"tool.output"`, "found", `"kind":"tool.end"`, `"Hel"`}, []string{"agent.start"},
		map[string]float64{"agent.start folded": 1, "text.delta folded": 1})
	f("coalesce", "{coalesce: 1s}", []string{"internal_log", `"Hello"`, "run.end"}, nil, nil)
}

// TestCoalesceByTime lets a delta go when its time has come, though nothing follows it.
func TestCoalesceByTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lineStart + "\n" + `{"kind":"text.delta","id":"a","text":"Hel"}` + "\n")
		p.chunk(`{"kind":"text.delta","id":"a","text":"lo"}` + "\n")
		<-release
		p.finish(lineEnd + "\n")
	})
	r := start(t, simple(a.url(), "", "", "client: twin\nframing: ndjson\nshape: {coalesce: 30ms}\n"))
	c := r.dial()
	defer c.Close()
	c.ask("POST", "/run", "{}")
	body := c.response().Body
	var got strings.Builder
	buf := make([]byte, 4096)
	for deadline := time.Now().Add(testTimeout); !strings.Contains(got.String(), "Hello"); {
		n, err := body.Read(buf)
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("%v after %s", err, got.String())
		}
		got.Write(buf[:n])
	}
	close(release)
	if _, err := io.ReadAll(body); err != nil {
		t.Error(err)
	}
}
