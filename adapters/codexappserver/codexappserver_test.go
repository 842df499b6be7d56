package codexappserver_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/codexappserver"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &codexappserver.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &codexappserver.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &codexappserver.Dialect) }

func TestDriver(t *testing.T) { adaptertest.Drives(t, &codexappserver.Dialect) }

func FuzzDriver(f *testing.F) { adaptertest.FuzzDriver(f, &codexappserver.Dialect) }
