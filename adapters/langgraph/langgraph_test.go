package langgraph_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/langgraph"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &langgraph.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &langgraph.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &langgraph.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &langgraph.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &langgraph.Dialect) }
