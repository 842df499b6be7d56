package mastra_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/mastra"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &mastra.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &mastra.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &mastra.Dialect) }
