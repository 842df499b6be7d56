package auth

import (
	"context"
	"fmt"
	"net"

	"github.com/sabir-proxy/sabir/config"
)

// Schemes are those that a configuration has set up.
type Schemes struct {
	byName  map[string]Scheme
	keys    *KeySet  // nil: no tokens
	forward *Forward // nil: no other server is asked
}

// Dial makes a connection.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Dialers make the connections to other servers.
type Dialers struct{ Forward, JWKS Dial }

// New makes the schemes of a checked configuration. Public keys that old has fetched go on to count. report receives each
// attempt to fetch some.
func New(cfg *config.Config, old *Schemes, dials Dialers, report func(error)) (*Schemes, error) {
	s := &Schemes{byName: map[string]Scheme{config.SchemeMTLS: MTLS{cfg.Auth.MTLS.Principal}}}
	list, err := cfg.Auth.AllKeys()
	if err != nil {
		return nil, err
	}
	if s.byName[config.SchemeKeys], err = NewKeys(list); err != nil {
		return nil, err
	}
	if j := cfg.Auth.JWT; j != nil {
		if s.keys, err = keySetOf(j, old, dials.JWKS, report); err != nil {
			return nil, err
		}
		s.byName[config.SchemeJWT] = NewJWT(j, s.keys)
	}
	if f := cfg.Auth.Forward; f != nil {
		s.forward = NewForward(f, dials.Forward)
		s.byName[config.SchemeForward] = s.forward
	}
	return s, nil
}

// keySetOf returns the public keys of a configuration. A file is read anew.
func keySetOf(j *config.JWT, old *Schemes, dial Dial, report func(error)) (*KeySet, error) {
	if old != nil && old.keys != nil && old.keys.where == j.JWKS && j.Remote() {
		old.keys.keep(j.Refresh)
		return old.keys, nil
	}
	return NewKeySet(j, dial, report)
}

// Guard is what a route asks for; nil for an open route.
func (s *Schemes) Guard(a config.RouteAuth) (*Guard, error) {
	if a.IsZero() {
		return nil, nil
	}
	g := &Guard{names: a.Schemes(), all: len(a.All) > 0}
	for _, name := range g.names {
		scheme := s.byName[name]
		if scheme == nil {
			return nil, fmt.Errorf("auth: %s is not set up", name)
		}
		g.schemes = append(g.schemes, scheme)
	}
	return g, nil
}

// Close lets go of what next, if there is one, does not need any more.
func (s *Schemes) Close(next *Schemes) {
	if s.keys != nil && (next == nil || next.keys != s.keys) {
		s.keys.Close()
	}
	if s.forward != nil {
		s.forward.Close()
	}
}
