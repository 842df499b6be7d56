//go:build linux

package main

import (
	"net"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameServer answers questions for addresses as it is asked to at the time.
type nameServer struct {
	conn   net.PacketConn
	answer atomic.Pointer[func(m *dnsmessage.Message) []byte]
}

func newNameServer() (*nameServer, error) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &nameServer{conn: conn}
	go s.serve()
	return s, nil
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
		m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
		if answer := s.answer.Load(); answer != nil {
			if said := (*answer)(&m); said != nil {
				_, _ = s.conn.WriteTo(said, from)
			}
		}
	}
}

func (s *nameServer) says(answer func(*dnsmessage.Message) []byte) { s.answer.Store(&answer) }

// packed is a message as it is sent.
func packed(m *dnsmessage.Message) []byte {
	b, _ := m.Pack() // what cannot be packed is not answered
	return b
}

// leads answers by addresses.
func leads(to ...[4]byte) func(*dnsmessage.Message) []byte {
	return func(m *dnsmessage.Message) []byte {
		q := m.Questions[0]
		for _, ip := range to {
			if q.Type == dnsmessage.TypeA {
				m.Answers = append(m.Answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 3600}, Body: &dnsmessage.AResource{A: ip}})
			}
		}
		return packed(m)
	}
}

func rcode(code dnsmessage.RCode) func(*dnsmessage.Message) []byte {
	return func(m *dnsmessage.Message) []byte { m.RCode = code; return packed(m) }
}

// badAnswers lead nowhere.
var badAnswers = []struct {
	name string
	says func(*dnsmessage.Message) []byte
}{
	{"no such name", rcode(dnsmessage.RCodeNameError)},
	{"a failing server", rcode(dnsmessage.RCodeServerFailure)},
	{"a server that refuses", rcode(dnsmessage.RCodeRefused)},
	{"no address", leads()},
	{"silence", func(*dnsmessage.Message) []byte { return nil }},
	{"garbage", func(*dnsmessage.Message) []byte { return []byte("garbage that is no message") }},
	{"half a message", func(m *dnsmessage.Message) []byte { b := leads([4]byte{127, 0, 0, 1})(m); return b[:len(b)/2] }},
	{"the answer to another question", func(m *dnsmessage.Message) []byte { m.ID++; return leads([4]byte{127, 0, 0, 1})(m) }},
	{"an address where no server is", leads([4]byte{127, 0, 0, 3})},
	{"the address of a cloud's credentials", leads([4]byte{169, 254, 169, 254})},
	{"a name that leads to itself", func(m *dnsmessage.Message) []byte {
		q := m.Questions[0]
		m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeCNAME, Class: q.Class, TTL: 1}, Body: &dnsmessage.CNAMEResource{CNAME: q.Name}}}
		return packed(m)
	}},
}

// dnsChanges lets the agent's name lead elsewhere.
func dnsChanges(t *trial) {
	names, err := newNameServer()
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer names.conn.Close()
	a, err := newAgent()
	if err != nil {
		t.fault("%v", err)
		return
	}
	port := a.addr[strings.LastIndexByte(a.addr, ':')+1:]
	if err := a.also("tcp", "127.0.0.2:"+port); err != nil {
		t.fault("%v", err)
		return
	}
	first, second := [4]byte{127, 0, 0, 1}, [4]byte{127, 0, 0, 2}
	names.says(leads(first))
	w := t.chaosAt(a, chaosConfig{url: "http://agent.test:" + port, upstream: ", timeouts: {idle_connection: 200ms}"}.text(a),
		processOptions{seams: true, env: []string{"SABIR_ATTACK_DNS=" + names.conn.LocalAddr().String()}})
	if w == nil {
		return
	}
	defer w.end(t)
	during := t.newCrowd(t.pick(50, 300), 200*time.Millisecond)
	during.begin(t.pick(30, 300))
	good, bad := t.newCrowd(3, time.Millisecond), t.newCrowd(1, 0)
	for _, where := range [][4]byte{second, first, second} {
		names.says(leads(where))
		good.asksAt(where)
	}
	for i, answer := range badAnswers {
		names.says(answer.says)
		time.Sleep(noneKept)
		bad.settle(5)
		if got := bad.ended(endRefused); got != 5*(i+1) {
			t.fault("%s: %d of %d requests are refused so far", answer.name, got, 5*(i+1))
		}
	}
	names.says(leads(first))
	good.asksAt(first)
	during.judge("while it changes")
	good.judge("after a change")
	bad.judge("while it leads nowhere", endRefused)
	t.figure("answers that lead nowhere", "%d", len(badAnswers))
}

// noneKept is longer than connections to the agent are kept.
const noneKept = 300 * time.Millisecond

// asksAt makes requests, which must be asked for at an address.
func (c *crowd) asksAt(want [4]byte) {
	time.Sleep(noneKept)
	c.settle(10)
	asked, _ := c.asked.Load().(string)
	if host, _, _ := net.SplitHostPort(asked); host != net.IP(want[:]).String() {
		c.fault("the name leads to %v, and %s was asked", net.IP(want[:]), host)
	}
}
