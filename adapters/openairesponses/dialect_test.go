package openairesponses_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openairesponses"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &openairesponses.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &openairesponses.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &openairesponses.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &openairesponses.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &openairesponses.Dialect) }
