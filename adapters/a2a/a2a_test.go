package a2a_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/a2a"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &a2a.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &a2a.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &a2a.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &a2a.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &a2a.Dialect) }
