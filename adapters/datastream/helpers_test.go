package datastream_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/datastream"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// encode returns the lines for events in native notation, sequenced.
func encode(t *testing.T, o hub.Options, events ...string) []string {
	t.Helper()
	return adaptertest.Records(t, datastream.Dialect.NewEncoder(o), events...)
}

// codes are the codes of lines.
func codes(lines []string) string {
	var all []string
	for _, l := range lines {
		code, _, _ := strings.Cut(l, ":")
		all = append(all, code)
	}
	return strings.Join(all, " ")
}
