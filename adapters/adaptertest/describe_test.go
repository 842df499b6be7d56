package adaptertest

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestProblems names what a description lacks, and finds nothing in those that are registered.
func TestProblems(t *testing.T) {
	got := strings.Join(problems(&hub.Dialect{Name: "My Dialect", Varying: []string{"at"}}), "\n")
	for _, want := range []string{"Name must", "Title is", "Doc is", "Framings must", "NewDecoder and", "Observe is", "TemplateKinds and"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	d := adapters.All()[0]
	bad := *d
	bad.TemplateKinds, bad.Framings = []hub.Kind{hub.RunEnd}, []wire.Framing{d.Framing}
	if got := strings.Join(problems(&bad), "\n"); !strings.Contains(got, "run.end, which is no delta") {
		t.Errorf("got %s", got)
	}
	for _, d := range adapters.All() {
		if p := problems(d); len(p) > 0 {
			t.Errorf("%s: %s", d.Name, strings.Join(p, "\n"))
		}
	}
}
