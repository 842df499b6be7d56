//go:build linux

package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// takesAll answers what is sent with an empty success.
func takesAll(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.WriteHeader(http.StatusOK)
}

// soakTrouble is something that goes wrong. ends says whether streams may end with an error by it.
type soakTrouble struct {
	name string
	ends bool
	do   func(s *soak) error
}

var soakTroubles = []soakTrouble{
	{"reload", false, func(s *soak) error { return s.reload("# another\n") }},
	{"a bad configuration", false, func(s *soak) error {
		err := s.reload("listen: [\n")
		time.Sleep(time.Second)
		return firstOf(err, s.reload("# again\n"))
	}},
	{"a new certificate", false, func(s *soak) error { return s.cert.renew(nil) }},
	{"the clock is set", false, func(s *soak) error { return s.clock.set(s.random.Int64N(14400) - 7200) }},
	{"the agent's connections are closed", true, func(s *soak) error { s.rig.agent.dropAll(); return nil }},
	{"the agent's name leads elsewhere", false, func(s *soak) error {
		s.names.says(leads([4]byte{127, 0, 0, byte(1 + s.random.IntN(2))}))
		return nil
	}},
	{"the agent's name leads nowhere for two seconds", true, func(s *soak) error {
		s.names.says(rcode(dnsmessage.RCodeServerFailure))
		time.Sleep(2 * time.Second)
		s.names.says(leads([4]byte{127, 0, 0, 1}))
		return nil
	}},
	{"the server that decides is away for two seconds", true, func(s *soak) error {
		s.judges.forward.die()
		time.Sleep(2 * time.Second)
		return s.judges.forward.serve(s.judges.forward.good)
	}},
	{"the server that decides stalls for three seconds", true, func(s *soak) error {
		err := s.judges.forward.becomes(stallsOf[0].do)
		time.Sleep(3 * time.Second)
		return firstOf(err, s.judges.forward.becomes(s.judges.forward.good))
	}},
	{"the server of public keys is away for two seconds", false, func(s *soak) error {
		s.judges.jwks.die()
		time.Sleep(2 * time.Second)
		return s.judges.jwks.serve(s.judges.jwks.good)
	}},
	{"the collector of traces stalls for five seconds", false, func(s *soak) error {
		err := s.spans.becomes(stallsOf[0].do)
		time.Sleep(5 * time.Second)
		return firstOf(err, s.spans.becomes(takesAll))
	}},
	{"the disk of the audit is full for three seconds", false, func(s *soak) error {
		d := &smallDisk{process: s.rig.process}
		err := d.fill()
		time.Sleep(3 * time.Second)
		return firstOf(err, d.empty())
	}},
	{"two hundred connections that say nothing", false, func(s *soak) error {
		for range 200 {
			if conn, err := net.DialTimeout("tcp", s.rig.process.addr, time.Second); err == nil {
				defer conn.Close()
			}
		}
		time.Sleep(2 * time.Second)
		return nil
	}},
	{"twenty clients that read nothing", false, func(s *soak) error {
		sc := s.rig.agent.add(func(p *peer) { p.openStream(); p.forever("1\r\n:\r\n", 4<<20) })
		defer sc.remove()
		for range 20 {
			conn, err := s.rig.process.dial()
			if err != nil {
				return err
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, request("POST", "/copy?script="+sc.id, s.rig.process.addr, "reads-nothing", streamWanted, "X-Api-Key: "+soakKey))
		}
		time.Sleep(6 * time.Second)
		return nil
	}},
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// reload writes the configuration with something in front of it, and sends SIGHUP.
func (s *soak) reload(with string) error {
	if err := os.WriteFile(s.rig.process.config, append([]byte(with), s.config...), 0o600); err != nil {
		return err
	}
	return s.rig.process.cmd.Process.Signal(syscall.SIGHUP)
}

// troubleLasts is how long after something went wrong streams that begin may still end with an error by it.
const troubleLasts = 5 * time.Second

// trouble makes something go wrong now and then, until shortly before the end.
func (s *soak) trouble(until time.Time) {
	for {
		time.Sleep(time.Second + pause(s.random, s.opt.troubles))
		if s.ctx.Err() != nil || time.Until(until) < 15*time.Second {
			break
		}
		one := soakTroubles[s.random.IntN(len(soakTroubles))]
		if one.ends {
			s.troubled.Store(int64(time.Since(s.begun) + time.Minute))
		}
		if err := one.do(s); err != nil {
			s.fault("%s: %v", one.name, err)
		}
		if one.ends {
			s.troubled.Store(int64(time.Since(s.begun) + troubleLasts))
		}
		s.mu.Lock()
		s.events[one.name]++
		s.mu.Unlock()
	}
	if err := firstOf(s.clock.set(0), s.reload("# the end\n")); err != nil {
		s.fault("%v", fmt.Errorf("at the end: %w", err))
	}
}
