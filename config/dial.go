package config

import (
	"fmt"
	"net/netip"
)

// Dial says which addresses Sabir may connect to: those of upstreams, of auth.forward and of the public keys of auth.jwt. It counts for the
// address that is connected to, after its name was looked up, each time. The longest network that has an address decides; where two are equal, deny
// does. Addresses by which clouds give credentials to machines, and link-local ones, are denied unless allow names them as exactly.
type Dial struct {
	// Networks such as 10.0.0.0/8, or single addresses. Empty: all that are not denied. Else only these.
	Allow []Network `yaml:"allow"`
	// Networks, or single addresses.
	Deny []Network `yaml:"deny"`
}

// metadata are the networks that are denied unless they are allowed by name: those that are link-local, and where clouds give credentials
// to machines: AWS and EKS, Google, Alibaba, Azure.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fe80::/10"), netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::254/128"), netip.MustParsePrefix("100.100.100.200/32"), netip.MustParsePrefix("168.63.129.16/32"),
}

// nat64 is the network by which hosts that have IPv6 alone reach those of IPv4, which stand in the last 32 bits.
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// Check says why an address may not be connected to; nil if it may. IPv4 within IPv6 is IPv4.
func (d *Dial) Check(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		b := addr.As16()
		if err := d.Check(netip.AddrFrom4([4]byte(b[12:]))); err != nil {
			return err
		}
	}
	allow, deny, own := longest(d.Allow, addr), longest(d.Deny, addr), -1
	for _, p := range metadata {
		if p.Contains(addr) {
			own = p.Bits()
		}
	}
	switch {
	case deny >= 0 && deny >= allow:
		return fmt.Errorf("dial.deny has the address %s", addr)
	case own > allow:
		return fmt.Errorf("%s is an address of the machine or of its cloud, and dial.allow does not name it", addr)
	case len(d.Allow) > 0 && allow < 0:
		return fmt.Errorf("dial.allow does not have the address %s", addr)
	}
	return nil
}

// longest is the length of the longest network of a list that has an address, -1 for none.
func longest(list []Network, addr netip.Addr) int {
	bits := -1
	for _, n := range list {
		if n.Contains(addr) {
			bits = max(bits, n.Bits())
		}
	}
	return bits
}
