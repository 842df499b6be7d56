//go:build linux

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

func stallAttacks() []*attack {
	return []*attack{
		{
			name: "chaos/auth-stalls", tries: "the servers that decide who may call do not answer, or never to the end, from the start on and later",
			holds: "requests are refused with 503 in time; open routes and running streams do not notice", run: authStalls,
		}, {
			name: "chaos/collector-stalls", tries: "the collector of traces does not answer, dies, and answers without end",
			holds: "no stream waits for it; spans that are lost are counted", run: collectorStalls,
		}, {
			name: "chaos/readers-stall", tries: "half of the clients read nothing for as long as they may, then go on or leave",
			holds: "those that read are not held up; those that go on in time get every number, the others an end", run: readersStall,
		},
	}
}

// authStalls lets the judges stall.
func authStalls(t *trial) {
	j, err := newJudges()
	if err == nil {
		err = j.jwks.becomes(stallsOf[0].do)
	}
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer j.close()
	w := t.chaos(j.config(), processOptions{})
	if w == nil {
		return
	}
	defer w.end(t)
	byToken, byServer := t.judged(j, "/jwt", 5, time.Millisecond), t.judged(j, "/forward", 5, time.Millisecond)
	byToken.expect("no public keys were ever fetched", 10, endRefused)
	during, open := t.judged(j, "/forward", 40, 100*time.Millisecond), t.newCrowd(5, 10*time.Millisecond)
	during.begin(t.pick(30, 300))
	n := t.pick(10, 100)
	for _, stall := range stallsOf[:t.pick(3, len(stallsOf))] {
		if err := j.forward.becomes(stall.do); err != nil {
			t.fault("%v", err)
			return
		}
		begun := time.Now()
		done := make(chan struct{})
		go func() { defer close(done); byServer.settle(n) }()
		open.expect("an open route, while the server that decides is "+stall.name, 10, endWhole)
		<-done
		if took := time.Since(begun); took > 10*time.Second {
			t.fault("the server that decides is %s: requests are refused after %v, and it may take 1s", stall.name, took.Round(time.Second))
		}
	}
	if err := j.forward.becomes(j.forward.good); err != nil {
		t.fault("%v", err)
	}
	byServer.expect("it is back", 10, endWhole)
	during.judge("running")
	open.judge("on an open route")
	byToken.judge("by token, without keys", endRefused)
	byServer.judge("new", endRefused)
}

// collectorStalls lets the collector of traces stall.
func collectorStalls(t *trial) {
	j, err := newJudge(stallsOf[0].do)
	if err != nil {
		t.fault("%v", err)
		return
	}
	defer func() { j.die() }()
	w := t.chaos(chaosConfig{top: fmt.Sprintf("tracing: {endpoint: 'http://%s', queue: 16}\n", j.addr)}, processOptions{})
	if w == nil {
		return
	}
	defer w.end(t)
	streams := t.newCrowd(5, 5*time.Millisecond)
	for _, do := range []http.HandlerFunc{stallsOf[0].do, stallsOf[2].do} {
		streams.begin(t.pick(60, 500))
		time.Sleep(time.Duration(t.pick(1, 6)) * time.Second) // a batch of spans waits for as long as this
		if err := j.becomes(do); err != nil {
			t.fault("%v", err)
		}
		streams.begin(t.pick(60, 500))
	}
	streams.judge("meanwhile")
	m, err := t.rig.process.metrics()
	if err != nil {
		t.fault("%v", err)
	}
	t.figure("spans lost", "%.0f", m[`sabir_trace_spans_total{result="dropped"}`]+m[`sabir_trace_spans_total{result="failed"}`])
	if m[`sabir_trace_spans_total{result="dropped"}`] == 0 {
		t.fault("no span was dropped, though 16 fit and more than a hundred runs have ended")
	}
}

// readersStall has clients that do not read for a while.
func readersStall(t *trial) {
	w := t.chaos(chaosConfig{}, processOptions{})
	if w == nil {
		return
	}
	defer w.end(t)
	reading := t.newCrowd(50, 100*time.Millisecond)
	reading.begin(t.pick(30, 300))
	block := chatDelta(strings.Repeat("word ", 400))
	s := t.rig.agent.add(func(p *peer) {
		p.ok()
		for range stallBlocks { // more than all buffers hold
			p.chunk(block)
		}
		p.chunk(chatEnd)
		p.chunk("")
	})
	defer s.remove()
	n := t.pick(4, 30)
	results := make([]string, 2*n)
	t.each(2*n, 2*n, func(i int) {
		if i < n {
			results[i] = t.stallReader(s, 2*time.Second) // in time: a client may block a write for 5s
		} else {
			results[i] = t.stallReader(s, 9*time.Second)
		}
		t.count(1)
	})
	ends := map[string]int{}
	for i, got := range results {
		ends[got]++
		if want := map[bool]string{true: "whole", false: "cut"}[i < n]; got != want {
			t.fault("a client that reads nothing for a while should be %s, and is %s", want, got)
		}
	}
	reading.judge("that read")
	t.figure("that stall", "%d whole after 2s, %d cut after 9s", ends["whole"], ends["cut"])
}

const stallBlocks = 6000 // of 2 kB

// stallReader is a client that begins to read after a while.
func (t *trial) stallReader(s *script, pause time.Duration) string {
	conn, err := t.rig.process.dial()
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, request("POST", canaryPath+"?script="+s.id, t.rig.process.addr, "stall", "{}"))
	time.Sleep(pause)
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	var text []byte
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err == nil {
		defer resp.Body.Close()
		text, err = io.ReadAll(resp.Body)
	}
	switch {
	case err == nil && strings.Contains(string(text), "RUN_FINISHED") && strings.Count(string(text), "TEXT_MESSAGE_CONTENT") == stallBlocks:
		return "whole"
	case strings.Contains(string(text), "RUN_FINISHED"):
		return "clean, and not whole"
	case err != nil && isTimeout(err):
		return "hangs"
	}
	return "cut"
}
