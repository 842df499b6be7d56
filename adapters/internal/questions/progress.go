package questions

import "github.com/sabir-proxy/sabir/adapters/hub"

// Progress is how far the one turn is that a driver holds with an agent which answers calls, and which may still be busy with the turn
// before. The zero value has none.
type Progress struct {
	Open      Open
	Running   bool // a turn was asked for
	Sent      bool // the call that begins it was
	Past      bool // the turn before it is not over yet: what comes is of that one
	Cancelled bool // the turn ends without answers
}

// State is that of the turn, as a driver reports it.
func (p *Progress) State() hub.TurnState {
	if !p.Running {
		return hub.TurnOver
	}
	return p.Open.State()
}

// Begin notes that a turn is asked for. stop says that the agent has one before, which has to be ended.
func (p *Progress) Begin() (stop bool) {
	stop = p.Running && p.Sent && !p.Past
	p.Past = p.Past || stop
	p.Running, p.Sent, p.Cancelled = true, false, false
	return stop
}

// Cancel notes that the turn is given up; ok is false where there is none. stop says that the agent has it, and has to end it.
func (p *Progress) Cancel() (stop, ok bool) {
	if !p.Running || p.Cancelled {
		return false, false
	}
	p.Cancelled = true
	return p.Sent, true
}

// End notes that the turn which the agent has is over. next says that another waits to be asked for.
func (p *Progress) End() (next bool) {
	p.Open.Reset()
	switch {
	case p.Past:
		p.Past = false
		if p.Running = !p.Cancelled; p.Running {
			return true
		}
	case p.Sent:
		p.Running = false
	}
	p.Sent, p.Cancelled = false, false
	return false
}

// Settle ends a turn that was given up before the agent had it, once nothing of the turn before comes any more.
func (p *Progress) Settle() {
	if p.Cancelled && !p.Sent && !p.Past {
		p.Running, p.Cancelled = false, false
	}
}

// Asks keeps a question of the agent's. It reports false if it will not be answered.
func (p *Progress) Asks(q Question) bool {
	return p.Sent && !p.Past && !p.Cancelled && p.Open.Add(q)
}
