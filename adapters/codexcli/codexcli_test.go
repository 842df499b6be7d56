package codexcli_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/codexcli"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &codexcli.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &codexcli.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &codexcli.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &codexcli.Dialect) }

// TestArguments: what is named cannot be taken for an option.
func TestArguments(t *testing.T) {
	for want, s := range map[string]hub.Session{
		"-":                               {},
		"--model=m -":                     {Model: []byte("m")},
		"--model=--x \" resume -- --id -": {Model: []byte(`--x \"`), ID: []byte("--id")},
	} {
		if got := strings.Join(codexcli.Dialect.Processes.Arguments(&s), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
