//go:build !linux

package proxy

import (
	"net"
	"testing"
)

// refusing is the URL of a port on which no socket listens any more.
func refusing(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return "http://" + ln.Addr().String() + "/"
}

// blackhole is an address for documentation, to which nothing answers (RFC 5737).
func blackhole(*testing.T) string { return "http://192.0.2.1:9/" }
