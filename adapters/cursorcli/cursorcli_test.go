package cursorcli_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/cursorcli"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &cursorcli.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &cursorcli.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &cursorcli.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &cursorcli.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &cursorcli.Dialect) }

// TestArguments: what is named cannot be taken for an option.
func TestArguments(t *testing.T) {
	for want, s := range map[string]hub.Session{
		"":                             {},
		"--model=m":                    {Model: []byte("m")},
		"--resume=--id --model=--x \"": {Model: []byte(`--x \"`), ID: []byte("--id")},
	} {
		if got := strings.Join(cursorcli.Dialect.Processes.Arguments(&s), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
