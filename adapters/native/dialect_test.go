package native_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/native"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &native.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &native.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &native.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &native.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &native.Dialect) }
