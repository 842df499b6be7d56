//go:build !linux

package proxy

import "testing"

// blackhole is an address for documentation, to which nothing answers (RFC 5737).
func blackhole(*testing.T) string { return "http://192.0.2.1:9/" }
