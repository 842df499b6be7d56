package bench_test

import (
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// fixture is the wire of one file in a dialect's testdata; its notation is that of package adaptertest.
type fixture struct {
	wire    []byte
	framing wire.Framing
	options hub.Options
}

// loadFixtures reads the fixtures of d that have a wire.
func loadFixtures(t testing.TB, d *hub.Dialect) (all []fixture) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "adapters", d.Name, "testdata", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if f := readFixture(t, d, archive); len(f.wire) > 0 {
			all = append(all, f)
		}
	}
	return all
}

func readFixture(t testing.TB, d *hub.Dialect, archive *txtar.Archive) (f fixture) {
	t.Helper()
	raw := map[string]any{}
	var err error
	for _, section := range archive.Files {
		switch section.Name {
		case "wire":
			f.wire = section.Data
		case "wire.cut":
			f.wire = []byte(strings.TrimSuffix(string(section.Data), "\n"))
		case "wire.hex":
			f.wire, err = hex.DecodeString(strings.Join(strings.Fields(string(section.Data)), ""))
		case "options":
			for line := range strings.Lines(string(section.Data)) {
				if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
					raw[key] = value
				}
			}
		}
	}
	if err == nil && raw["framing"] != nil {
		f.framing, err = wire.ParseFraming(raw["framing"].(string))
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(raw, "framing")
	delete(raw, "settle")
	f.options, _ = d.ParseOptions(raw) // the dialect's own tests judge them
	return f
}
