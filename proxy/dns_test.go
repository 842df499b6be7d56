package proxy

import (
	"context"
	"net"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// nameServer answers every question for an address by that which it has at the time.
type nameServer struct {
	conn net.PacketConn
	mu   sync.Mutex
	ip   [4]byte
	next [][4]byte // of the following questions
	seen int
}

// newNameServer runs a name server until the test ends.
func newNameServer(t *testing.T, ip [4]byte) *nameServer {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, ended := &nameServer{conn: conn, ip: ip}, make(chan struct{})
	go func() {
		defer close(ended)
		s.serve()
	}()
	t.Cleanup(func() {
		conn.Close()
		<-ended
	})
	return s
}

func (s *nameServer) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		m.Response, m.Additionals = true, nil
		if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 3600},
				Body:   &dnsmessage.AResource{A: s.answer()},
			}}
		}
		if packed, err := m.Pack(); err == nil {
			_, _ = s.conn.WriteTo(packed, from)
		}
	}
}

func (s *nameServer) answer() [4]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen++; len(s.next) > 0 {
		s.ip, s.next = s.next[0], s.next[1:]
	}
	return s.ip
}

// becomes changes what the following questions are answered by.
func (s *nameServer) becomes(ips ...[4]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = ips
}

// resolves has the only upstream of a proxy ask the server. What runs are placed by is published again: a request that comes by a socket
// has not seen what the test has written before, by the rules of memory.
func (s *nameServer) resolves(r *rig) *upstream.Upstream {
	t := r.table.Load()
	up := t.upstreams["agent"]
	up.Dialer.Resolver = s.resolver()
	r.table.Store(t)
	return up
}

// resolver asks the server.
func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}
