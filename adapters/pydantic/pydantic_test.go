package pydantic_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &pydantic.Dialect) }
func TestAllocs(t *testing.T)  { adaptertest.Allocs(t, &pydantic.Dialect) }
func FuzzDecode(f *testing.F)  { adaptertest.Fuzz(f, &pydantic.Dialect) }
