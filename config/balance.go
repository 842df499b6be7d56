package config

import (
	"net"
	"strings"
	"time"
)

// Ways to choose among the addresses of an upstream.
const (
	LeastLoaded = "least_loaded"
	ThreadHash  = "thread_hash"
)

// Eject says when an address gets no further runs because those that it got have failed before their first byte: no connection, no answer,
// or a status of 500 and more. One address at least always stays.
type Eject struct {
	// So many failures in a row eject an address. 0: none is ejected.
	After int `yaml:"after" jsonschema:"minimum=0"`
	// How long it gets no runs; twice as long each further time.
	For time.Duration `yaml:"for" jsonschema:"minimum=1"`
	// The longest that this becomes.
	Max time.Duration `yaml:"max" jsonschema:"minimum=1"`
}

// Check is a request that is sent to each address to see whether it can serve: GET, without the header fields of headers.set, on a connection
// of its own.
type Check struct {
	// The path that is asked for, with its query.
	Path string `yaml:"path" jsonschema:"required"`
	// From one to the next.
	Interval time.Duration `yaml:"interval" jsonschema:"minimum=1"`
	// How long the answer may take, with the connection.
	Timeout time.Duration `yaml:"timeout" jsonschema:"minimum=1"`
	// The status that is wanted.
	Status int `yaml:"status" jsonschema:"minimum=100,maximum=599"`
	// So many failures in a row, and the address gets no further runs.
	Fall int `yaml:"fall" jsonschema:"minimum=1"`
	// So many successes in a row, and it gets some again.
	Rise int `yaml:"rise" jsonschema:"minimum=1"`
}

// Failover says when a run goes to another address. That is only where it has certainly not begun: no connection could be made, nothing was
// sent, or the answer was status 503 with Retry-After.
type Failover struct {
	// How many runs may go on to another address, in percent of all. Ten may do so at once. 0: none.
	Budget int `yaml:"budget" jsonschema:"minimum=0,maximum=100"`
}

// Breaker refuses runs for a while, with status 503, when all that were tried have failed before their first byte.
type Breaker struct {
	// So many failures in a row. 0: it is off.
	Failures int `yaml:"failures" jsonschema:"minimum=0"`
	// How long runs are refused. Then one is tried, and the others follow if it is answered.
	Pause time.Duration `yaml:"pause" jsonschema:"minimum=1"`
}

func (c *Check) inherit(*Config) {
	*c = Check{Interval: 5 * time.Second, Timeout: 2 * time.Second, Status: 200, Fall: 3, Rise: 2}
}

var (
	usualEject    = Eject{After: 3, For: 10 * time.Second, Max: 5 * time.Minute}
	usualFailover = Failover{Budget: 20}
	usualBreaker  = Breaker{Pause: 10 * time.Second}
)

// mostAddresses is how many addresses an upstream can have.
const mostAddresses = 256

// upstreamAddresses checks the addresses of an upstream, and what says how they are used.
func (v *validator) upstreamAddresses(at string, u *Upstream) {
	v.check(len(u.Command) == 0 || u.Breaker == usualBreaker, at+".breaker", "has no meaning with command")
	if len(u.Addresses) == 0 {
		const needs = "has a meaning only with addresses"
		v.check(u.Balance == LeastLoaded, at+".balance", needs)
		v.check(u.Eject == usualEject, at+".eject", needs)
		v.check(u.Check == nil, at+".check", needs)
		v.check(u.Failover == usualFailover, at+".failover", needs)
		return
	}
	v.check(len(u.Command) == 0, at+".addresses", "has no meaning with command")
	v.check(u.Socket == "", at+".addresses", "cannot go with socket")
	v.check(len(u.Addresses) <= mostAddresses, at+".addresses", "has more than %d addresses", mostAddresses)
	v.distinct(at+".addresses", u.Addresses)
	for i, address := range u.Addresses {
		where := index(at+".addresses", i)
		host, port, err := net.SplitHostPort(address)
		v.check(err == nil && host != "" && isPort(port), where, "%s is not an address such as 10.0.0.1:9000 or agent-1:9000", quote(address))
		if err == nil {
			v.address(where, address)
		}
	}
	v.check(u.Eject.Max >= u.Eject.For, at+".eject.max", "must be at least for, %s", u.Eject.For)
	if c := u.Check; c != nil {
		v.check(strings.HasPrefix(c.Path, "/") && !strings.ContainsFunc(c.Path, notPrintable), at+".check.path", "must be a path such as /healthz")
		v.check(c.Timeout <= c.Interval, at+".check.timeout", "must not be longer than interval, %s", c.Interval)
	}
}

func notPrintable(r rune) bool { return r <= ' ' || r > '~' }
