package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// TestDeclaredDialects are known to the routes of their configuration, to no other, and translate like those in Go.
func TestDeclaredDialects(t *testing.T) {
	text := `listen: 127.0.0.1:0
upstreams:
  a: {url: "http://127.0.0.1:1/", dialect: homemade}
routes:
  - {path: /a, upstream: a, client: native}
`
	cfg, err := config.Parse("sabir.yaml", []byte(text), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	counters := new(openCounters)
	if _, err := newTable(cfg, newMetrics("test"), counters, emptyConversations()); err == nil {
		t.Error("a dialect that was never declared is known")
	}
	doc, err := config.ReadDialect("../examples/dialects/homemade.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Declared = map[string]map[string]any{"homemade": doc.Doc}
	table, err := newTable(cfg, newMetrics("test"), counters, emptyConversations())
	if err != nil {
		t.Fatal(err)
	}
	r, _ := table.find(urls.Path{Raw: "/a", Plain: "/a"})
	eng, out, _ := r.engine(r.first, wire.NDJSON, nil)
	stream := "event: token\ndata: {\"text\":\"High water\"}\n\nevent: end\ndata: {\"ok\":true}\n\n"
	if _, err := eng.Feed([]byte(stream), true, 0); err != nil {
		t.Fatal(err)
	}
	if f := eng.Finish(nil, 0, false); f != nil {
		t.Fatal(f)
	}
	inOrder(t, "declared", string(out.Buf), []string{"run.start", `"text":"High water"`, `"kind":"run.end","status":"done"`})

	cfg.Declared["homemade"]["framing"] = "none"
	if _, err := newTable(cfg, newMetrics("test"), counters, emptyConversations()); err == nil {
		t.Error("a bad description makes a table")
	}
}
