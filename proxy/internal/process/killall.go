package process

import (
	"errors"
	"sync"
)

// register knows the agents that run.
type register struct {
	mu     sync.Mutex
	all    map[*Process]struct{}
	closed bool // no agent may begin any more
}

// running are those of this program.
var running register

var errEnding = errors.New("the program is ending")

// add reports whether the agent may run.
func (r *register) add(p *Process) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[*Process]struct{}{}
	}
	r.all[p] = struct{}{}
	return !r.closed
}

// remove is called before the numbers of the agent's processes may be used again.
func (r *register) remove(p *Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.all, p)
}

// killAll kills all agents with everything that they have started, also those that are being ended more gently.
func (r *register) killAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	var all sync.WaitGroup
	for p := range r.all {
		all.Go(func() { p.family.kill() })
	}
	all.Wait()
}

// KillAll kills all agents with everything that they have started, and lets none begin any more. It is for a program that is about to end
// without ending them one by one: what an agent has started would go on, and on most systems the agent as well.
func KillAll() { running.killAll() }
