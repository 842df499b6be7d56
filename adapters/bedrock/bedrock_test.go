package bedrock_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/bedrock"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &bedrock.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &bedrock.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &bedrock.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &bedrock.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &bedrock.Dialect) }
