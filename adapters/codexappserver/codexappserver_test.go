package codexappserver_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/codexappserver"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &codexappserver.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &codexappserver.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &codexappserver.Dialect) }
