package openaiagents_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openaiagents"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &openaiagents.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &openaiagents.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &openaiagents.Dialect) }
