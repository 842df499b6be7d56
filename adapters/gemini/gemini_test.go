package gemini_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/gemini"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &gemini.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &gemini.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &gemini.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &gemini.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &gemini.Dialect) }
