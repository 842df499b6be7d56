package datastream_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/datastream"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &datastream.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &datastream.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &datastream.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &datastream.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &datastream.Dialect) }
