package openaichat_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/openaichat"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &openaichat.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &openaichat.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &openaichat.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &openaichat.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &openaichat.Dialect) }
