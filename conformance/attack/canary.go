package main

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// canary is a well-behaved stream that runs beside an attack: an agent server that counts, and a client that reads.
type canary struct {
	script  *script
	stop    atomic.Bool
	done    chan struct{}
	err     error
	longest time.Duration // between two numbers
}

const (
	canaryPace = 50 * time.Millisecond
	// canaryPause is how long a well-behaved stream may pause during an attack. The machine is shared, by the attackers
	// not least.
	canaryPause = 6 * time.Second
)

// startCanary begins a stream and returns when its first number has arrived.
func (r *rig) startCanary() (*canary, error) {
	c := &canary{done: make(chan struct{})}
	c.script = r.agent.add(c.count)
	first := make(chan struct{})
	go func() {
		defer close(c.done)
		defer c.script.remove()
		c.err = c.follow(r, first)
	}()
	select {
	case <-first:
		return c, nil
	case <-c.done:
		return nil, c.err
	case <-time.After(15 * time.Second):
		return nil, errors.New("no number within 15s")
	}
}

// count is the agent server: a number every now and then, until it receives a signal.
func (c *canary) count(p *peer) {
	p.head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
	for n := 0; !c.stop.Load() && p.err == nil; n++ {
		p.chunk(chatDelta(fmt.Sprint(n, " ")))
		time.Sleep(canaryPace)
	}
	p.chunk(chatEnd)
	p.chunk("")
}

func chatDelta(text string) string {
	return fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`+"\n\n", text)
}

const chatEnd = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` +
	"\n\ndata: [DONE]\n\n"

// follow is the client: every number must come, in order, and then a good end.
func (c *canary) follow(r *rig, first chan struct{}) error {
	got := r.readNumbers(canaryPath, c.script, sync.OnceFunc(func() { close(first) }))
	c.longest = got.longest
	if got.end != endWhole {
		return fmt.Errorf("after %d numbers: %s: %s", got.read, got.end, got.why)
	}
	return nil
}

// judge ends the stream and says what is wrong with it.
func (c *canary) judge(t *trial) {
	c.stop.Store(true)
	select {
	case <-c.done:
	case <-time.After(3 * canaryPause):
		t.fault("a well-behaved stream beside it does not end")
		return
	}
	if c.err != nil {
		t.fault("a well-behaved stream beside it: %v", c.err)
	}
	t.figure("longest pause of the stream beside it", "%v", c.longest.Round(time.Millisecond))
	if c.longest > canaryPause {
		t.fault("a well-behaved stream beside it paused for %v", c.longest.Round(time.Millisecond))
	}
}

// probe makes one well-behaved request on a new connection.
func (r *rig) probe() error {
	c, err := r.startCanary()
	if err != nil {
		return err
	}
	return c.finish()
}

// finish ends the stream, and says what was wrong with it.
func (c *canary) finish() error {
	c.stop.Store(true)
	<-c.done
	return c.err
}
