package config

import (
	"net/netip"
	"testing"
)

// TestTrusts: a network is all its addresses, an address is itself, and IPv4 within IPv6 is IPv4.
func TestTrusts(t *testing.T) {
	c := parseText(t, minimal+"trusted_proxies: [10.0.0.0/8, 192.0.2.7, \"::ffff:192.0.2.9\", \"fd00::/8\"]\n")
	f := func(addr string, want bool) {
		t.Helper()
		if got := c.Trusts(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: %t, want %t", addr, got, want)
		}
	}
	f("10.1.2.3", true)
	f("11.1.2.3", false)
	f("::ffff:10.1.2.3", true)
	f("192.0.2.7", true)
	f("192.0.2.8", false)
	f("192.0.2.9", true)
	f("fd12::1%eth0", true)
	f("fe80::1", false)
}
