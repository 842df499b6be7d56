package claudecli_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/claudecli"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &claudecli.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &claudecli.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &claudecli.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &claudecli.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &claudecli.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &claudecli.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &claudecli.Dialect) }
