package sessions

import (
	"fmt"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// memoryPause is the time between two looks at what a process holds.
const memoryPause = time.Second

// guard ends a process that holds more memory than it may.
func (s *session) guard(p *peer) {
	most := s.pool.cfg.Memory
	if most == 0 {
		return
	}
	look := time.NewTicker(memoryPause)
	defer look.Stop()
	for {
		select {
		case <-p.quit:
			return
		case <-look.C:
		}
		if held := p.proc.Memory(); held > most {
			s.outgrown(p, fmt.Errorf("the agent and what it has started hold %d bytes of memory, more than process.memory allows", held))
			return
		}
	}
}

// outgrown kills a process, and fails its turn.
func (s *session) outgrown(p *peer, why error) {
	s.pool.cfg.Observer.Outgrown(why)
	s.mu.Lock()
	if s.peer == p {
		s.detach()
		s.fail(hub.Fail(hub.CodeReset, why))
	}
	s.mu.Unlock()
	s.pool.leaves(p)
	p.proc.Kill()
}
