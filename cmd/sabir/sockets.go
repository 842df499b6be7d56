package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cloudflare/tableflip"
	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// sockets are the listening sockets that a process has from the one before it, which it replaces, or from systemd, and those that it
// passes on. The zero value has none and passes none on.
type sockets struct {
	upgrader *tableflip.Upgrader // nil where the system cannot pass sockets on
	systemd  map[string]net.Listener
	serves   bool
}

// adminSocket is the name (FileDescriptorName=) of systemd's socket for operators. One with another name is for clients.
const adminSocket = "admin"

// inherits is set where the process is this program's alone. Tests run the program many times in one process, which can pass its sockets
// on but once.
var inherits bool

// inheritSockets takes what this process was given.
func inheritSockets() (*sockets, error) {
	s := new(sockets)
	if !inherits {
		return s, nil
	}
	var err error
	if s.upgrader, err = tableflip.New(tableflip.Options{}); err != nil && !errors.Is(err, tableflip.ErrNotSupported) {
		return nil, fmt.Errorf("sockets of the process before this one: %w", err)
	}
	if s.upgrader != nil && s.upgrader.HasParent() {
		return s, nil
	}
	given, err := activation.ListenersWithNames()
	if err != nil {
		return nil, fmt.Errorf("sockets of systemd: %w", err)
	}
	s.systemd, err = byKey(given)
	return s, err
}

// byKey says which key of the configuration each socket of systemd stands for.
func byKey(given map[string][]net.Listener) (map[string]net.Listener, error) {
	by := map[string]net.Listener{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		key := "listen"
		if name == adminSocket {
			key = "admin"
		}
		for _, ln := range given[name] {
			if by[key] != nil {
				return nil, fmt.Errorf("systemd gives two sockets for %s, %s and %s; one for clients is possible, and one with FileDescriptorName=%s for operators",
					key, by[key].Addr(), ln.Addr(), adminSocket)
			}
			by[key] = ln
		}
	}
	return by, nil
}

// take returns a socket that was given for an address of the configuration, or an address that is free. key is what names it to the user.
func (s *sockets) take(key, network, address string) (net.Listener, error) {
	ln := s.systemd[key]
	delete(s.systemd, key)
	var err error
	if ln == nil && s.upgrader != nil {
		if ln, err = s.upgrader.Listener(network, shareName(key, network, address)); ln != nil || err != nil {
			return ln, err
		}
	}
	if ln == nil {
		if ln, err = listenAnew(network, address); err != nil {
			return nil, err
		}
	}
	return ln, s.passOn(network, shareName(key, network, address), ln)
}

func listenAnew(network, address string) (net.Listener, error) {
	if network == "unix" {
		removeStale(address)
	}
	return net.Listen(network, address)
}

// shareName is what the next process finds a socket by. Two keys can have the same address, such as 127.0.0.1:0. That of a unix socket is
// its path, by which its file is removed.
func shareName(key, network, address string) string {
	if network == "unix" {
		return address
	}
	return key + " " + address
}

// passOn makes the process after this one find a socket.
func (s *sockets) passOn(network, name string, ln net.Listener) error {
	shared, ok := ln.(tableflip.Listener)
	if s.upgrader == nil || !ok {
		return nil
	}
	return s.upgrader.AddListener(network, name, shared)
}

// ready says that this process serves: the one before it can end, and systemd goes on.
func (s *sockets) ready() error {
	notifySystemd("READY=1", "MAINPID="+strconv.Itoa(os.Getpid()))
	s.serves = true
	if s.upgrader == nil {
		return nil
	}
	return s.upgrader.Ready()
}

// replace starts the program anew, and returns when the new process serves.
func (s *sockets) replace() error {
	if s.upgrader == nil {
		return errors.New("sockets cannot be passed on here")
	}
	const tries = 20
	var err error
	for range tries {
		if err = s.upgrader.Upgrade(); err == nil || err.Error() != notReady {
			break
		}
	}
	return err
}

// notReady is what the upgrader says that has not noticed yet that this process is ready. Asked just after [sockets.ready], it notices
// either first.
const notReady = "process is not ready yet"

// release removes the files of sockets that were not passed on. Those of a process that has not come to serve are still in use by the one
// before it.
func (s *sockets) release() {
	if s.upgrader != nil && (s.serves || !s.upgrader.HasParent()) {
		s.upgrader.Stop()
		<-s.upgrader.Exit()
	}
}

// notifySystemd says what becomes of the process, where systemd wants to know (Type=notify). That it cannot be said changes nothing here.
func notifySystemd(states ...string) {
	_, _ = daemon.SdNotify(false, strings.Join(states, "\n"))
}
