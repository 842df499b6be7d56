package agentevent_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/agentevent"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &agentevent.Dialect) }
func TestAllocs(t *testing.T)  { adaptertest.Allocs(t, &agentevent.Dialect) }
func FuzzDecode(f *testing.F)  { adaptertest.Fuzz(f, &agentevent.Dialect) }
