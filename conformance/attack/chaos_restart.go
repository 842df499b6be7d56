//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

var servingPID = regexp.MustCompile(`"msg":"serving","version":"[^"]*","pid":([0-9]+)`)

// restart makes another process take over, and waits until it serves and the one before has ended.
func (p *process) restart(t *trial) error {
	before, known := p.pid(), len(servingPID.FindAllString(p.log.all(), -1))
	if err := syscall.Kill(before, syscall.SIGUSR2); err != nil {
		return err
	}
	if !eventually(t.ctx, 30*time.Second, func() bool { return len(servingPID.FindAllString(p.log.all(), -1)) > known }) {
		return errors.New("no other process serves after SIGUSR2")
	}
	all := servingPID.FindAllStringSubmatch(p.log.all(), -1)
	pid, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil || pid == before {
		return fmt.Errorf("process %d serves after SIGUSR2, it was %d: %w", pid, before, err)
	}
	p.later = append(p.later, pid)
	if !eventually(t.ctx, 60*time.Second, func() bool { return !runs(before) }) {
		return fmt.Errorf("process %d was replaced, its streams are over, and it does not end", before)
	}
	return nil
}

// runs reports whether a process is there, and has not ended.
func runs(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && !bytes.HasPrefix(state, []byte("Z"))
}

// hotRestart lets one process after the other take over.
func hotRestart(t *trial) {
	w := t.chaos(chaosConfig{}, processOptions{})
	if w == nil {
		return
	}
	if err := w.canary.finish(); err != nil { // one that never ends would keep its process
		t.fault("%v", err)
	}
	load := t.newCrowd(20, 50*time.Millisecond)
	stop := make(chan struct{})
	load.keep(t.pick(60, 300), stop)
	hammer := t.hammer(stop)
	rounds := t.pick(2, 10)
	for range rounds {
		time.Sleep(500 * time.Millisecond)
		if err := t.rig.process.restart(t); err != nil {
			t.fault("%v", err)
			break
		}
	}
	close(stop)
	load.judge(fmt.Sprintf("under %d hot restarts", rounds))
	answered, failed := hammer()
	t.figure("requests beside them", "%d answered, %d not", answered, failed)
	if failed > 0 || answered == 0 {
		t.fault("%d requests were not answered, %d were", failed, answered)
	}
	if c, err := t.rig.startCanary(); err != nil {
		t.fault("a stream after the last restart: %v", err)
	} else {
		w.canary = c
		w.judge(t)
	}
	t.rig.close()
}
