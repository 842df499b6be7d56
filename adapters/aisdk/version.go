package aisdk

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// versions are recognized by the records that earlier clients reject.
var versions = []hub.Version{
	{Name: "7", Shows: ofType("tool-approval-response")},
	{Name: "6 or later", Shows: ofType("tool-approval-request", "tool-output-denied")},
	{Name: "5 or later"},
}

func ofType(types ...string) func(wire.Record) bool {
	return func(rec wire.Record) bool {
		typ := rawjson.Text(rec.Data, "type")
		return slices.Contains(types, string(typ))
	}
}
