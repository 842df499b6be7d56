package geminiinteractions_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/geminiinteractions"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &geminiinteractions.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &geminiinteractions.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &geminiinteractions.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &geminiinteractions.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &geminiinteractions.Dialect) }
