package declared_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// dialects are those with fixtures of their own.
var dialects = map[string]string{
	"homemade": filepath.Join(examples, "homemade.yaml"),
	"chunks":   filepath.Join(examples, "chunks.yaml"),
	"station":  filepath.Join(here, "testdata/station.yaml"),
}

func load(t testing.TB, name string) *hub.Dialect {
	t.Helper()
	return parse(t, name, document(t, dialects[name]))
}

// enter goes to a folder whose testdata are the fixtures of a dialect: the harness looks for them there.
func enter(t testing.TB, fixtures string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(fixtures, filepath.Join(dir, "testdata")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

func TestDialects(t *testing.T) {
	for name := range dialects {
		t.Run(name, func(t *testing.T) {
			d := load(t, name)
			enter(t, filepath.Join(here, "testdata", name))
			adaptertest.Run(t, d)
		})
	}
}

func TestAllocs(t *testing.T) {
	f := func(name, fixtures string, d *hub.Dialect) {
		t.Run(name, func(t *testing.T) {
			enter(t, fixtures)
			adaptertest.Allocs(t, d)
		})
	}
	for name := range dialects {
		f(name, filepath.Join(here, "testdata", name), load(t, name))
	}
	f("agentevent", writeFixtures(t, agentEventFixtures(t)), example(t, "agentevent"))
}

func fuzz(f *testing.F, name string) {
	d := load(f, name)
	enter(f, filepath.Join(here, "testdata", name))
	adaptertest.Fuzz(f, d)
}

func FuzzHomemade(f *testing.F) { fuzz(f, "homemade") }
func FuzzChunks(f *testing.F)   { fuzz(f, "chunks") }
func FuzzStation(f *testing.F)  { fuzz(f, "station") }

func FuzzAgentEvent(f *testing.F) {
	d := example(f, "agentevent")
	enter(f, writeFixtures(f, agentEventFixtures(f)))
	adaptertest.Fuzz(f, d)
}
