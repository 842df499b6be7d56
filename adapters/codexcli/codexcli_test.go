package codexcli_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/codexcli"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &codexcli.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &codexcli.Dialect) }
