package rawio

import (
	"crypto/tls"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// pairOf is a connection of TCP on loopback, from both sides.
func pairOf(t *testing.T, network, address string) (client, server net.Conn) {
	t.Helper()
	ln, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if client, err = net.Dial(network, ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if server, err = ln.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return client, server
}

// TestResetFollows: what was written to a socket that no program has any more is distinguished from what a program may have read.
func TestResetFollows(t *testing.T) {
	t.Parallel()
	const request = "POST / HTTP/1.1\r\n\r\n"
	write := func(c net.Conn) { _, _ = io.WriteString(c, request) }
	read := func(c net.Conn) { _, _ = io.ReadFull(c, make([]byte, len(request))) }
	for _, c := range []struct {
		name  string
		want  bool
		lives func(client, server net.Conn)
	}{
		{"closed before", true, func(client, server net.Conn) { server.Close(); write(client) }},
		{"read, then closed", false, func(client, server net.Conn) { write(client); read(server); server.Close() }},
		{"taken, and not read", false, func(client, server net.Conn) { _ = server.(*net.TCPConn).CloseWrite(); write(client) }},
		{"half closed, then read", false, func(client, server net.Conn) { _ = server.(*net.TCPConn).CloseWrite(); write(client); read(server) }},
		{"still open", false, func(client, _ net.Conn) { write(client) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client, server := pairOf(t, "tcp", "127.0.0.1:0")
			c.lives(client, server)
			if got := ResetFollows(client, 200*time.Millisecond); got != c.want {
				t.Errorf("got %t", got)
			}
			if c.want && !ResetFollows(tls.Client(freshReset(t), nil), 200*time.Millisecond) {
				t.Error("not below TLS")
			}
		})
	}
	client, server := pairOf(t, "unix", filepath.Join(t.TempDir(), "s"))
	write(client)
	read(server)
	server.Close()
	if ResetFollows(client, time.Minute) {
		t.Error("of a unix socket")
	}
}

// freshReset is a connection whose request came too late.
func freshReset(t *testing.T) net.Conn {
	client, server := pairOf(t, "tcp", "127.0.0.1:0")
	server.Close()
	_, _ = io.WriteString(client, "x")
	return client
}
