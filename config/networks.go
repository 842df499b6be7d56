package config

import (
	"fmt"
	"net/netip"
)

// Network is a range of IP addresses, written as 10.0.0.0/8, or one address.
type Network struct{ netip.Prefix }

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *Network) UnmarshalText(text []byte) error {
	s := string(text)
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		n.Prefix = netip.PrefixFrom(addr, addr.BitLen())
		return nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4In6() {
		return fmt.Errorf("%s is not a network such as 10.0.0.0/8 or fd00::/8, nor an IP address", quote(s))
	}
	if p != p.Masked() {
		return fmt.Errorf("%s has bits beyond its length; write %s", quote(s), p.Masked())
	}
	n.Prefix = p
	return nil
}

// Trusts reports whether an address is that of a trusted proxy. IPv4 within IPv6 is IPv4.
func (c *Config) Trusts(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, network := range c.TrustedProxies {
		if network.Contains(addr) {
			return true
		}
	}
	return false
}
