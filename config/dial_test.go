package config

import (
	"net/netip"
	"strings"
	"testing"
)

// TestDial: which addresses may be connected to.
func TestDial(t *testing.T) {
	f := func(allow, deny, yes, no string) {
		t.Helper()
		d := Dial{Allow: networks(t, allow), Deny: networks(t, deny)}
		for _, addr := range strings.Fields(yes) {
			if err := d.Check(netip.MustParseAddr(addr)); err != nil {
				t.Errorf("allow %q, deny %q: %v", allow, deny, err)
			}
		}
		for _, addr := range strings.Fields(no) {
			if d.Check(netip.MustParseAddr(addr)) == nil {
				t.Errorf("allow %q, deny %q: %s may be called", allow, deny, addr)
			}
		}
	}
	cloud := "169.254.169.254 169.254.170.2 fe80::1 fe80::1%eth0 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 100.100.100.200 168.63.129.16 " +
		"::ffff:169.254.169.254 64:ff9b::169.254.169.254"
	f("", "", "127.0.0.1 ::1 10.0.0.1 8.8.8.8 2001:db8::1 64:ff9b::8.8.8.8 100.100.100.201", cloud)
	f("0.0.0.0/0 ::/0", "", "10.0.0.1 2001:db8::1", cloud)
	f("169.254.169.254", "", "169.254.169.254 ::ffff:169.254.169.254", "169.254.170.2 10.0.0.1")
	f("10.0.0.0/8", "10.1.0.0/16 10.2.0.1", "10.0.0.1 10.2.0.2", "10.1.2.3 10.2.0.1 11.0.0.1 ::1")
	f("10.1.0.0/16", "10.0.0.0/8", "10.1.0.1 ::ffff:10.1.0.1", "10.2.0.1 ::ffff:10.2.0.1 8.8.8.8")
	f("10.0.0.1", "10.0.0.1", "", "10.0.0.1")
	f("", "127.0.0.0/8 ::1", "10.0.0.1", "127.0.0.1 127.1.2.3 ::1 ::ffff:127.0.0.1 64:ff9b::127.0.0.1")
}

func networks(t *testing.T, list string) []Network {
	t.Helper()
	var all []Network
	for _, s := range strings.Fields(list) {
		var n Network
		if err := n.UnmarshalText([]byte(s)); err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}
