//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lateness tells whose fault it may be that a stream was slow. The agent, the servers that decide and the clients stand in this process: a timer of
// it that fires late means that all of them were kept waiting. The kernel says how long the threads of the proxy waited for a processor.
type lateness struct {
	pid int

	mu    sync.Mutex
	waits []wait           // of the last two minutes, in order
	last  map[string]int64 // what each thread of the proxy has waited in all, in nanoseconds
	lates []time.Duration  // of this process, longer than shownLate, in the whole run

	since   time.Time
	pressed time.Duration // pressure then
}

// wait is what happened between two ticks.
type wait struct {
	at          time.Time
	late, proxy time.Duration // this process, and the thread of the proxy that waited longest
}

const (
	lateTick  = 100 * time.Millisecond
	lateKeeps = 2 * time.Minute
	shownLate = time.Second
)

func (l *lateness) run(ctx context.Context) {
	next := time.NewTicker(lateTick)
	defer next.Stop()
	for before := time.Now(); ctx.Err() == nil; {
		<-next.C
		now := time.Now()
		l.add(wait{now, max(0, now.Sub(before)-lateTick), l.proxyWaited()})
		before = now
	}
}

func (l *lateness) add(one wait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if one.late > shownLate {
		l.lates = append(l.lates, one.late)
	}
	old := 0
	for old < len(l.waits) && one.at.Sub(l.waits[old].at) > lateKeeps {
		old++
	}
	l.waits = append(l.waits[old:], one)
}

// proxyWaited is how long the thread of the proxy that waited longest since the last call did so (man 5 proc_pid_schedstat).
func (l *lateness) proxyWaited() (most time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", l.pid)) // a pattern of ours is never bad
	now := make(map[string]int64, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if fields := strings.Fields(string(text)); err == nil && len(fields) == 3 {
			waited, _ := strconv.ParseInt(fields[1], 10, 64)
			if now[file] = waited; l.last != nil {
				most = max(most, time.Duration(waited-l.last[file]))
			}
		}
	}
	l.last = now
	return most
}

// between sums up what happened.
func (l *lateness) between(from, until time.Time) (late, proxy time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.waits {
		if one.at.After(from) && !one.at.After(until.Add(lateTick)) {
			late, proxy = late+one.late, proxy+one.proxy
		}
	}
	return late, proxy
}

// String is how late this process was.
func (l *lateness) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	most := time.Duration(0)
	for _, one := range l.lates {
		most = max(most, one)
	}
	return fmt.Sprintf("%d times for more than %v, at most %v", len(l.lates), shownLate, most.Round(10*time.Millisecond))
}

// forget begins anew.
func (l *lateness) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lates, l.since, l.pressed = nil, time.Now(), pressure()
}

// waiting is how much of the time, of a hundred, something on the machine waited for a processor.
func (l *lateness) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(100 * (pressure() - l.pressed) / time.Since(l.since))
}

// pressure is how long something has waited for a processor since the machine started, 0 where the kernel does not say it.
func pressure() time.Duration {
	text, _ := os.ReadFile("/proc/pressure/cpu")
	_, rest, _ := strings.Cut(string(text), "total=")
	total, _, _ := strings.Cut(rest, "\n")
	micros, _ := strconv.ParseInt(total, 10, 64)
	return time.Duration(micros) * time.Microsecond
}

// loadOf is what the kernel says of the machine: processes that want to run, and of how many of a hundred seconds something waited for a processor.
func loadOf() string {
	load, _ := os.ReadFile("/proc/loadavg")
	text, _ := os.ReadFile("/proc/pressure/cpu")
	running, _, _ := strings.Cut(string(load), " ")
	_, rest, _ := strings.Cut(string(text), "avg10=")
	waited, _, _ := strings.Cut(rest, " ")
	return "load " + running + ", pressure " + waited
}
