package mastra_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/mastra"
)

func TestRequests(t *testing.T) { adaptertest.Requests(t, &mastra.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &mastra.Dialect) }

func TestDialect(t *testing.T) { adaptertest.Run(t, &mastra.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &mastra.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &mastra.Dialect) }
