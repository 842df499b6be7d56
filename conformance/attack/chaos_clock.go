//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"time"
)

// jumps are by how many seconds the clock of the day is off, one after the other.
var jumps = []int64{3600, -7200, 30, -30, 10 * 365 * 86400, -365 * 86400, 0}

// clockJumps sets the clock of the day.
func clockJumps(t *trial) {
	clock := seam{filepath.Join(t.suite.dir, "clock")}
	c, err := newCertificate(t.suite.dir)
	if err == nil {
		err = clock.set(0)
	}
	a, err2 := newAgent()
	if err != nil || err2 != nil {
		t.fault("%v %v", err, err2)
		return
	}
	w := t.chaosAt(a, chaosConfig{
		top:      c.yaml() + "limits: {principal: {rate: 100/s, streams: 1000}, rate: 1000/s}\n",
		timeouts: "connect: 2s, first_byte: 10s, idle: 2s, read: 10s, write: 5s, keepalive: 1s, drain: 5s",
		others:   fmt.Sprintf("  socket: {url: 'ws://%s/openai-chat', dialect: openai-chat}\n", a.addr),
		more:     fmt.Sprintf("  - {path: %s, upstream: socket, client: agui, requests: {mode: pass}}\n", socketPath),
	}.text(a), processOptions{seams: true, env: []string{"SABIR_ATTACK_CLOCK=" + clock.file}})
	if w == nil {
		return
	}
	defer w.end(t)
	during := t.newCrowd(t.pick(50, 200), 200*time.Millisecond)
	during.begin(t.pick(50, 300))
	after := t.newCrowd(5, 10*time.Millisecond)
	some := jumps[:t.pick(2, len(jumps))]
	for _, seconds := range some {
		t.clockJump(clock, seconds, c)
		after.begin(20)
	}
	during.judge("while it jumps")
	after.judge("after each jump")
	t.figure("the clock is off by", "%v s", some)
}

const socketPath = "/socket"

// clockJump sets the clock once, and looks at what depends on time.
func (t *trial) clockJump(clock seam, seconds int64, c *certificate) {
	agui := pair{"openai-chat", "agui"}
	name := fmt.Sprintf("the clock is %ds off", seconds)
	jump := func() {
		time.Sleep(time.Second) // until the stream has begun
		if err := clock.set(seconds); err != nil {
			t.fault("%v", err)
		}
	}
	thinks := t.rig.agent.add(func(p *peer) { // for longer than timeouts.idle, with signs of life
		p.upgrade()
		all := p.goodMessages()
		p.text(all[0])
		for range 7 {
			time.Sleep(500 * time.Millisecond)
			p.say(frame(fin|opPing, ""))
		}
		p.text(all[1:]...)
		p.bye()
	})
	defer thinks.remove()
	hung := t.rig.agent.add(func(p *peer) {
		p.upgrade()
		p.first()
		time.Sleep(2 * time.Second)
		p.say(frame(fin|opPing, ""))
		p.silence()
	})
	defer hung.remove()
	t.each(3, 3, func(i int) {
		switch i {
		case 0:
			jump()
		case 1:
			t.judgeAnswer(name+", an agent that thinks", works, agui, t.rig.ask(socketPath, thinks))
		case 2:
			a := t.rig.ask(socketPath, hung)
			t.judgeAnswer(name+", an agent that hangs", fails, agui, a)
			if a.took > 15*time.Second {
				t.fault("%s: an agent that hangs is given up after %v, not after 2s", name, a.took)
			}
		}
		t.count(1)
	})
	if err := c.renew(nil); err != nil {
		t.fault("%v", err)
	}
	t.servesSoon(c)
}
