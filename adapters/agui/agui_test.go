package agui_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/agui"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &agui.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &agui.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &agui.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &agui.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &agui.Dialect) }
