package geminicli_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/geminicli"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &geminicli.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &geminicli.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &geminicli.Dialect) }
