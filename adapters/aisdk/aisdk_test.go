package aisdk_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/aisdk"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &aisdk.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &aisdk.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &aisdk.Dialect) }

func TestRequests(t *testing.T) { adaptertest.Requests(t, &aisdk.Dialect) }

func FuzzRequests(f *testing.F) { adaptertest.FuzzRequests(f, &aisdk.Dialect) }
