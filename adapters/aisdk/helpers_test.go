package aisdk_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/aisdk"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// options parses k=v pairs.
func options(t *testing.T, pairs ...string) hub.Options {
	t.Helper()
	return adaptertest.Options(t, &aisdk.Dialect, pairs...)
}

// encode returns the records for events in native notation, sequenced.
func encode(t *testing.T, o hub.Options, events ...string) []string {
	t.Helper()
	return adaptertest.Records(t, aisdk.Dialect.NewEncoder(o), events...)
}

// types are the types of records.
func types(records []string) string {
	var all []string
	for _, r := range records {
		if _, rest, ok := strings.Cut(r, `{"type":"`); ok {
			r, _, _ = strings.Cut(rest, `"`)
		}
		all = append(all, r)
	}
	return strings.Join(all, " ")
}
