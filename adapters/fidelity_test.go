package adapters_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestFidelityPage keeps the matrix in the docs as the encoders have it.
func TestFidelityPage(t *testing.T) {
	page, err := adapters.FidelityPage(adapters.All())
	if err != nil {
		t.Fatal(err)
	}
	adaptertest.Generated(t, "../docs/fidelity.md", page)
}

// TestFidelity is what can be said of every matrix: the events that a dialect must carry, and the notation that carries
// all.
func TestFidelity(t *testing.T) {
	dialects := adapters.All()
	traits, err := adapters.Fidelity(dialects)
	if err != nil {
		t.Fatal(err)
	}
	if len(traits) < 40 {
		t.Errorf("there are only %d traits", len(traits))
	}
	for _, trait := range traits {
		for i, d := range dialects {
			if d.NewEncoder == nil {
				continue
			}
			disposition := trait.Cells[i]
			if d.Name == "native" && disposition != hub.Native {
				t.Errorf("native: %s is %s", trait.Name, disposition)
			}
			if trait.Name == "text: answer" && disposition != hub.Native {
				t.Errorf("%s: the answer is %s", d.Name, disposition)
			}
		}
	}
}
