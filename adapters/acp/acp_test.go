package acp_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/acp"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &acp.Dialect) }
func TestAllocs(t *testing.T)  { adaptertest.Allocs(t, &acp.Dialect) }
func FuzzDecode(f *testing.F)  { adaptertest.Fuzz(f, &acp.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &acp.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &acp.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &acp.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &acp.Dialect) }
