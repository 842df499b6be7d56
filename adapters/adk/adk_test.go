package adk_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/adk"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &adk.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &adk.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &adk.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &adk.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &adk.Dialect) }
