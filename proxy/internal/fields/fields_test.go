package fields

import (
	"net"
	"net/netip"
	"testing"
)

// TestAddresses of peers, and those that proxies write.
func TestAddresses(t *testing.T) {
	t.Parallel()
	f := func(got netip.Addr, want string) {
		t.Helper()
		if want == "" != !got.IsValid() || want != "" && got.String() != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
	f(HostOf(&net.TCPAddr{IP: net.ParseIP("::ffff:10.0.0.1"), Port: 1}), "10.0.0.1")
	f(HostOf(&net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 1}), "fe80::1")
	f(HostOf(address("[::ffff:10.0.0.1]:80")), "10.0.0.1")
	f(HostOf(address("[fe80::1%eth0]:80")), "fe80::1")
	f(HostOf(address("@")), "")
	for text, want := range map[string]string{
		"10.0.0.1": "10.0.0.1", " 10.0.0.1:80 ": "10.0.0.1", "[fd00::1]:80": "fd00::1", "[fd00::1]": "fd00::1", "fd00::1%eth0": "fd00::1",
		"::ffff:10.0.0.1": "10.0.0.1", "unknown": "", "": "", "10.0.0.1:x": "",
	} {
		f(ParseForwarded(text), want)
	}
}

// address is one that is not of TCP.
type address string

func (address) Network() string  { return "test" }
func (a address) String() string { return string(a) }
