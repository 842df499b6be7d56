//go:build linux

package main

import (
	"fmt"
	"net"
	"strings"
	"time"
)

// Chaos is what happens around a process that serves: its disk is full, its clock is set, names lead elsewhere, certificates and configuration
// change, and processes die. Streams run meanwhile, whose ends are counted.
func chaosAttacks() []*attack {
	all := []*attack{
		{
			name: "chaos/disk-full", tries: "the disk of the audit, of recordings and of a unix socket is full while streams run, and then is not",
			holds: "no stream ends otherwise; each missing line of the audit is counted, its chain verifies; no half recording has a name", run: diskFull,
		}, {
			name: "chaos/clock-jumps", tries: "the clock of the day is set forward and back, by seconds to years, while streams run, by HTTP and by WebSocket",
			holds: "streams, timeouts, limits and the renewal of certificates go on; a silent agent is cut off in time", run: clockJumps,
		}, {
			name: "chaos/dns", tries: "the agent's name leads elsewhere, nowhere, to garbage, to silence and back while streams run",
			holds: "running streams end whole; new ones reach the new address, or get an honest error in time", run: dnsChanges,
		}, {
			name: "chaos/rotation", tries: "certificates change, half and whole, and the configuration is reloaded, 100 times under 300 streams by TLS",
			holds: "each stream ends whole; a handshake gets the newest whole certificate; descriptors and goroutines are given back", run: rotation,
		}, {
			name: "chaos/hot-restart", tries: "SIGUSR2 again and again under streams that come and go without pause",
			holds: "no request is refused, each stream ends whole in the process where it began, replaced processes end", run: hotRestart,
		},
	}
	all = append(all, killAttacks()...)
	all = append(all, stallAttacks()...)
	all = append(all, &attack{
		name: "chaos/overload", tries: "a client whose runs take more memory than the process may have, and one with few runs beside it",
		holds: "new runs are refused, of the large client first; those that run end whole; when they have ended, all are answered", run: overloadedProcess,
	})
	for _, a := range all {
		a.alone, a.limit = true, 3*time.Minute
	}
	return all
}

// chaosConfig is what the configuration of a trial has beside the usual.
type chaosConfig struct {
	top      string // lines of the top level
	timeouts string // in place of the usual
	url      string // of the agent, if it is not where it listens
	upstream string // members of the upstream
	route    string // members of the route
	others   string // further upstreams
	more     string // further routes
}

func (c chaosConfig) text(a *agent) string {
	url := c.url
	if url == "" {
		url = "http://" + a.addr
	}
	var b strings.Builder
	b.WriteString("listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n" + c.top)
	if c.timeouts == "" {
		c.timeouts = "connect: 2s, first_byte: 10s, idle: 20s, read: 10s, write: 5s, keepalive: 1s, drain: 5s"
	}
	fmt.Fprintf(&b, "timeouts: {%s}\n", c.timeouts)
	fmt.Fprintf(&b, "upstreams:\n  canary: {url: '%s/openai-chat', dialect: openai-chat%s}\n%s", url, c.upstream, c.others)
	fmt.Fprintf(&b, "routes:\n  - {path: %s, upstream: canary, client: agui, requests: {mode: pass}%s}\n%s", canaryPath, c.route, c.more)
	return b.String()
}

// chaos starts a process of the trial's own, and begins to watch it; nil says that it could not.
func (t *trial) chaos(c chaosConfig, o processOptions) *watch {
	a, err := newAgent()
	if err != nil {
		t.fault("%v", err)
		return nil
	}
	return t.chaosAt(a, c.text(a), o)
}

func (t *trial) chaosAt(a *agent, config string, o processOptions) *watch {
	r, err := t.suite.rigWith(a, config, o)
	if err != nil {
		t.fault("%v", err)
		return nil
	}
	t.rig = r
	if strings.Contains(config, "\ntls:") {
		r.process.dial = func() (net.Conn, error) { return dialTLS(r.process.addr) }
	}
	w, err := r.watch(t)
	if err != nil {
		t.fault("the process cannot be watched: %v", err)
		r.close()
		return nil
	}
	return w
}

// end judges what was watched, and ends the process.
func (w *watch) end(t *trial) {
	w.judge(t)
	w.rig.close()
}
