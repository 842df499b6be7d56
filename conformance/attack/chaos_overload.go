//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	largeKey = "a-key-of-the-client-with-many-runs"
	smallKey = "a-key-of-the-client-with-few-runs"
)

// overloadedProcess fills the memory of a process by the runs of one client: each holds half of a large record.
func overloadedProcess(t *trial) {
	key := func(name, key string) string {
		sum := sha256.Sum256([]byte(key))
		return fmt.Sprintf("{name: %s, sha256: %s}", name, hex.EncodeToString(sum[:]))
	}
	w := t.chaos(chaosConfig{
		top:  "limits: {shed: {delay: 0s, memory: 30}}\nauth: {keys: [" + key("large", largeKey) + ", " + key("small", smallKey) + "]}\n",
		more: "  - {path: /keyed, upstream: canary, client: agui, requests: {mode: pass}, auth: [keys]}\n",
	}, processOptions{env: []string{"GOMEMLIMIT=96MiB"}})
	if w == nil {
		return
	}
	defer w.end(t)
	release := make(chan struct{})
	var large sync.WaitGroup
	const runs = 80
	for range runs {
		large.Go(func() { t.largeRun(release) })
	}
	sheds := func(want float64) bool {
		return eventually(t.ctx, 30*time.Second, func() bool {
			m, err := t.rig.process.metrics()
			return err == nil && m[`sabir_overloaded{cause="memory"}`] == want
		})
	}
	if !sheds(1) {
		t.fault("%d runs with 384 KiB each do not show as too much", runs)
	}
	few, more := t.newCrowd(5, time.Millisecond), t.newCrowd(5, time.Millisecond)
	few.path, few.fields = "/keyed", func() string { return "X-Api-Key: " + smallKey }
	more.path, more.fields = "/keyed", func() string { return "X-Api-Key: " + largeKey }
	few.settle(3)
	more.settle(20)
	if few.ended(endWhole) == 0 {
		t.fault("the client with few runs gets none")
	}
	if more.ended(endRefused) == 0 {
		t.fault("the client with many runs gets as many as it wants")
	}
	few.judge("of the client with few", endRefused)
	more.judge("of the client with many", endRefused)
	close(release)
	large.Wait()
	if !sheds(0) {
		t.fault("when the runs have ended, new ones are still refused")
	}
	after := t.newCrowd(5, time.Millisecond)
	after.path, after.fields = more.path, more.fields
	after.settle(20)
	after.judge("when it is over")
}

// largeRun is one run that holds half of a record until it may go on; it must end whole.
func (t *trial) largeRun(release <-chan struct{}) {
	record := chatDelta("hello from the agent " + strings.Repeat("a", 384<<10))
	s := t.rig.agent.add(func(p *peer) {
		p.ok()
		p.chunk(record[:len(record)-10])
		<-release
		p.chunk(record[len(record)-10:] + chatEnd)
		p.chunk("")
	})
	defer s.remove()
	a := t.rig.process.ask("/keyed?script="+s.id, streamWanted, "X-Api-Key: "+largeKey)
	t.count(1)
	switch {
	case a.status == 503 && a.tells("overloaded"): // it came last
	case a.err != nil || a.status != 200 || !isClean(readBack(dialect("agui"), a.body)):
		t.fault("a run that went on under overload: status %d, %v", a.status, a.err)
	}
}
