package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func processAttacks() []*attack {
	return []*attack{
		{
			name: "process/log-reader-gone", tries: "the reader of the log closes its end of the pipe while streams run",
			holds: "streams go on, new ones begin, SIGTERM ends it", run: func(t *trial) { logPipe(t, true) }, alone: true,
		}, {
			name: "process/log-pipe-full", tries: "the reader of the log stops reading; many requests are logged",
			holds: "streams go on, new ones begin, SIGTERM ends it; dropped lines are counted", run: func(t *trial) { logPipe(t, false) }, alone: true,
		}, {
			name: "process/sigterm", tries: "SIGTERM while streams flow, stall, crawl and wait for slow clients",
			holds: "each client gets an honest end, never a clean one; the process ends within drain and a little", run: sigterm, alone: true,
		}, {
			name: "process/reload-storm", tries: "a good and a bad configuration in turn, with SIGHUP, while streams run",
			holds: "no stream is lost, memory and goroutines stay within bounds", run: reloadStorm, memory: 192 << 20,
		}, {
			name: "process/upstream-killed", tries: "the upstream closes all its connections again and again while streams run",
			holds: "each cut stream ends honestly; the next is answered", run: upstreamKilled, alone: true,
		},
	}
}

// logPipe takes the reader of the log away, or lets it sleep.
func logPipe(t *trial, gone bool) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer reader.Close()
	r, err := t.suite.newRig(usualPairs[:2], processOptions{log: writer})
	writer.Close()
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	c, err := r.startCanary()
	if err != nil {
		t.fault("%v", err)
		return
	}
	if gone {
		reader.Close()
	}
	s := r.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk(""); p.keep = true })
	defer s.remove()
	var failed atomic.Int64
	n := t.pick(4000, 20_000) // what a pipe and the buffer before it hold, and more; a line is about 500 bytes
	t.each(n, 8, func(int) {
		if a := r.ask(byHTTP+usualPairs[0].String(), s); a.err != nil || a.status != http.StatusOK {
			failed.Add(1)
		}
		t.count(1)
	})
	if f := failed.Load(); f > 0 {
		t.fault("%d of %d requests were not answered", f, n)
	}
	c.judge(t)
	if !eventually(t.ctx, settleTime, func() bool {
		m, err := r.process.metrics()
		return err == nil && m["sabir_streams_open"] == 0
	}) {
		t.fault("streams are still open after %v", settleTime)
	}
	if m, err := r.process.metrics(); err != nil {
		t.fault("metrics: %v", err)
	} else {
		t.figure("dropped lines", "%.0f", m["sabir_log_lines_dropped_total"])
		if m["sabir_log_lines_dropped_total"] == 0 {
			t.fault("no dropped line was counted")
		}
	}
	t.endsBySIGTERM(r)
}

// endsBySIGTERM sends SIGTERM and waits.
func (t *trial) endsBySIGTERM(r *rig) {
	const limit = 15 * time.Second // drain is 2s
	begun := time.Now()
	_ = r.process.cmd.Process.Signal(syscall.SIGTERM)
	if !r.process.waitEnd(limit) {
		t.fault("SIGTERM has not ended it after %v", limit)
		return
	}
	t.figure("ended after SIGTERM in", "%v", time.Since(begun).Round(100*time.Millisecond))
}

// sigterm ends a process that is busy in every way.
func sigterm(t *trial) {
	for range t.pick(2, 8) {
		t.sigtermOnce()
	}
}

func (t *trial) sigtermOnce() {
	r, err := t.suite.newRig(usualPairs, processOptions{})
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	plays := map[string]func(*peer){
		"flowing":  func(p *peer) { p.ok(); p.chunk(p.half()); p.flow() },
		"silent":   func(p *peer) { p.ok(); p.chunk(p.half()); p.silence() },
		"crawling": func(p *peer) { p.ok(); p.dribble(fmt.Sprintf("%x\r\n%s", 1<<20, p.half()), 30*time.Millisecond) },
		"unasked":  (*peer).silence,
		"flooding": func(p *peer) { p.ok(); p.forever("5\r\n: x\n\n\r\n", 1<<30) },
	}
	var all sync.WaitGroup
	for name, play := range plays {
		for _, p := range usualPairs {
			s := r.agent.add(play)
			all.Go(func() {
				defer s.remove()
				a := r.ask(byHTTP+p.String(), s)
				t.count(1)
				if a.err == nil {
					if err := a.honest(p.to); err != nil {
						t.fault("%s, %s: %v", name, p, err)
					}
				}
			})
		}
	}
	eventually(t.ctx, 10*time.Second, func() bool {
		m, err := r.process.metrics()
		return err == nil && int(m["sabir_streams_open"]) >= len(plays)*len(usualPairs)-len(usualPairs)
	})
	stalled := r.stalledClients(t, 10)
	t.endsBySIGTERM(r)
	for _, c := range stalled {
		c.Close()
	}
	r.agent.dropAll()
	all.Wait()
}

// flow goes on with signs of life for as long as the other side reads.
func (p *peer) flow() {
	for p.err == nil {
		p.chunk(": still here\n\n")
		time.Sleep(20 * time.Millisecond)
	}
}

// stalledClients are clients in all states of a request that they never finish.
func (r *rig) stalledClients(t *trial, n int) (all []net.Conn) {
	s := r.agent.add((*peer).silence)
	begins := []string{"", "POST ", r.opening(s), r.opening(s) + "Content-Length: 100\r\n\r\nx"}
	for i := range n {
		conn, err := dialPatiently(r.process.addr)
		if err != nil {
			t.fault("%v", err)
			return all
		}
		_, _ = io.WriteString(conn, begins[i%len(begins)])
		all = append(all, conn)
	}
	return all
}

// reloadStorm changes the configuration again and again while streams run.
func reloadStorm(t *trial) {
	good, err := os.ReadFile(t.rig.process.config)
	if err != nil {
		t.fault("%v", err)
		return
	}
	restore := func() { _ = os.WriteFile(t.rig.process.config, good, 0o600) }
	defer restore()
	s := t.rig.agent.add(func(p *peer) { p.ok(); p.chunk(p.good()); p.chunk(""); p.keep = true })
	defer s.remove()
	stop := make(chan struct{})
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				p := usualPairs[n%len(usualPairs)]
				t.judgeAnswer("during reloads, "+p.String(), works, p, t.rig.ask(byHTTP+p.String(), s))
			}
		})
	}
	for i := range t.pick(100, 1000) {
		text := good
		if i%2 == 0 {
			text = append([]byte("# another\n"), good...)
		}
		if i%5 == 0 {
			text = []byte("listen: [nonsense\n")
		}
		_ = os.WriteFile(t.rig.process.config, text, 0o600)
		_ = t.rig.process.cmd.Process.Signal(syscall.SIGHUP)
		t.count(1)
		time.Sleep(10 * time.Millisecond)
	}
	restore()
	_ = t.rig.process.cmd.Process.Signal(syscall.SIGHUP)
	close(stop)
	all.Wait()
	if !eventually(t.ctx, settleTime, func() bool {
		m, err := t.rig.process.metrics()
		return err == nil && m["sabir_config_last_reload_successful"] == 1
	}) {
		t.fault("the last configuration is good, and was not taken over")
	}
}

// upstreamKilled drops all connections of the upstream again and again.
func upstreamKilled(t *trial) {
	r, err := t.suite.newRig(usualPairs, processOptions{})
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer r.close()
	t.rig = r
	for range t.pick(10, 100) {
		s := r.agent.add(func(p *peer) { p.ok(); p.chunk(p.half()); p.flow() })
		var all sync.WaitGroup
		for _, p := range usualPairs {
			all.Go(func() {
				conn, err := dialPatiently(r.process.addr)
				if err != nil {
					t.fault("%v", err)
					return
				}
				defer conn.Close()
				a := &answer{}
				_ = conn.SetDeadline(time.Now().Add(answerLimit))
				_, _ = io.WriteString(conn, strings.Replace(r.opening(s), usualPairs[0].String(), p.String(), 1)+fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(streamWanted), streamWanted))
				a.read(bufio.NewReader(conn))
				t.count(1)
				if err := a.honest(p.to); err != nil {
					t.fault("%s: %v", p, err)
				}
			})
		}
		eventually(t.ctx, 5*time.Second, func() bool { return s.called.Load() >= int64(len(usualPairs)) })
		r.agent.dropAll()
		all.Wait()
		s.remove()
		if err := r.probe(); err != nil {
			t.fault("the next request: %v", err)
		}
	}
}
