package main

import (
	"context"
	"os"
	"runtime"
	"time"
)

// At the pace of models, most of what a stream costs is to be woken. The scheduler of Go wakes one more thread each time, which looks for
// something to do as well, finds nothing and sleeps again. So a process that would not fill one processor works on one, and on all of them
// as soon as that gets busy, or has to wait for other programs.
const (
	lookAtLoad = 100 * time.Millisecond
	idleLooks  = 20                    // in a row with little to do, before it works on one
	idleLoad   = 0.35                  // of one processor: less is little
	busyLoad   = 0.5                   // of one processor: more, and it works on all
	lateLook   = 25 * time.Millisecond // a look that comes so much later has waited for a processor
)

// tuneProcessors sets the number of processors until ctx ends, unless the environment sets it.
func tuneProcessors(ctx context.Context) {
	if os.Getenv("GOMAXPROCS") != "" || cpuTime() == 0 {
		return
	}
	defer runtime.SetDefaultGOMAXPROCS()
	tick := time.NewTicker(lookAtLoad)
	defer tick.Stop()
	w := loadWatch{cpu: cpuTime(), at: time.Now()}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch one := w.one; {
		case w.look(cpuTime(), time.Now()) == one:
		case one:
			runtime.SetDefaultGOMAXPROCS() // follows the CPU limit of a container again
		default:
			runtime.GOMAXPROCS(1)
		}
	}
}

// loadWatch tells on how many processors it is best to work.
type loadWatch struct {
	one  bool          // or else all
	idle int           // looks in a row with little to do
	cpu  time.Duration // that was used in all, at the last look
	at   time.Time     // of it
}

// look takes the time of processors that the process has used so far, and reports whether it should work on one of them.
func (w *loadWatch) look(cpu time.Duration, now time.Time) (one bool) {
	used, since := cpu-w.cpu, now.Sub(w.at)
	w.cpu, w.at = cpu, now
	load, late := float64(used)/float64(since), since > lookAtLoad+lateLook
	if w.idle++; load > idleLoad || late {
		w.idle = 0
	}
	switch {
	case load > busyLoad || late:
		w.one = false
	case w.idle >= idleLooks:
		w.one = true
	}
	return w.one
}
