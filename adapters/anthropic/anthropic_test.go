package anthropic_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/anthropic"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &anthropic.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &anthropic.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &anthropic.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &anthropic.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &anthropic.Dialect) }
