package skeleton_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/skeleton"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &skeleton.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &skeleton.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &skeleton.Dialect) }
