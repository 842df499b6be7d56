package opencode_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/opencode"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &opencode.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &opencode.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &opencode.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &opencode.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &opencode.Dialect) }

// TestArguments: what is named cannot be taken for an option.
func TestArguments(t *testing.T) {
	for want, s := range map[string]hub.Session{
		"":                              {},
		"--model=p/m":                   {Model: []byte("p/m")},
		"--session=--id --model=--x \"": {Model: []byte(`--x \"`), ID: []byte("--id")},
	} {
		if got := strings.Join(opencode.Dialect.Processes.Arguments(&s), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
