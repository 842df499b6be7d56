package copilot_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/copilot"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &copilot.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &copilot.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &copilot.Dialect) }

func TestPrompts(t *testing.T) { adaptertest.Requests(t, &copilot.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &copilot.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &copilot.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &copilot.Dialect) }
