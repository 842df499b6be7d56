package main

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// sample is the outcome of one measurement. What could not be measured is negative.
type sample struct {
	Seconds  float64 `json:"seconds"`
	Streams  int     `json:"streams"` // that were read to their end and right
	Events   int64   `json:"events"`
	CPU      float64 `json:"cpu_seconds"` // of the process under test, and of what it has started
	Others   float64 `json:"others"`      // share of the machine that other programs used
	P50      float64 `json:"p50_ms,omitempty"`
	P90      float64 `json:"p90_ms,omitempty"`
	P99      float64 `json:"p99_ms,omitempty"`
	P999     float64 `json:"p999_ms,omitempty"`
	Max      float64 `json:"max_ms,omitempty"`
	Hush     float64 `json:"hush_ms,omitempty"`     // the longest time in which no stream brought anything
	Storm    float64 `json:"storm_ms,omitempty"`    // p99 of a cancel when all leave at once
	Idle     float64 `json:"idle_mb,omitempty"`     // resident without streams
	Resident float64 `json:"resident_mb,omitempty"` // resident at the end, or while all streams were open
	Memory   float64 `json:"kb_per_stream,omitempty"`
	Binary   float64 `json:"binary_mb,omitempty"`
	Allocs   float64 `json:"allocs,omitempty"` // per event, of the codec alone
	Reloads  int     `json:"reloads,omitempty"`
	Scrapes  int     `json:"scrapes,omitempty"`
	Bad      int     `json:"bad"`
	Fault    string  `json:"fault,omitempty"`
}

// meter tells what was used between two moments.
type meter struct {
	target   int   // process under test
	rig      []int // all processes of the rig
	at       time.Time
	cpu, own time.Duration
	machine  time.Duration
}

func newMeter(target int, rig []int) *meter {
	m := &meter{target: target, rig: rig, at: time.Now(), cpu: unknown, own: unknown, machine: unknown}
	if target != 0 {
		m.cpu = known(familyTime(target))
	}
	m.machine = known(machineTime())
	m.own = 0
	for _, pid := range rig {
		m.own += known(familyTime(pid))
	}
	return m
}

// unknown stands for what cannot be measured here.
const unknown time.Duration = -1

func known(d time.Duration, err error) time.Duration {
	if err != nil {
		return unknown
	}
	return d
}

// fill sets what was used since start.
func (m *meter) fill(s *sample, processors int) {
	end := newMeter(m.target, m.rig)
	s.Seconds = end.at.Sub(m.at).Seconds()
	s.CPU, s.Others = -1, -1
	if m.cpu >= 0 && end.cpu >= 0 {
		s.CPU = (end.cpu - m.cpu).Seconds()
	}
	if m.machine >= 0 && end.machine >= 0 {
		others := (end.machine - m.machine - (end.own - m.own)).Seconds()
		s.Others = max(0, others/(s.Seconds*float64(processors)))
	}
}

// rigTimeout is the longest silence that the load bears.
const rigTimeout = 20 * time.Second

// timeout is the longest silence when so many streams want all at once: their turns come later.
func timeout(streams int) time.Duration {
	return rigTimeout + time.Duration(streams)*10*time.Millisecond
}

// flow lets streams run as fast as they can for a while, and reads the last of them to their end. All connections stand
// before the clock runs.
func flow(ctx context.Context, t target, j *judge, streams int, d time.Duration, m func() *meter, processors int) sample {
	c := j.call
	clients := connect(ctx, t, streams)
	start, until := m(), time.Now().Add(d)
	var all sync.WaitGroup
	for _, cl := range clients {
		all.Go(func() {
			defer cl.close()
			for first := true; ctx.Err() == nil && (first || time.Now().Before(until)); first = false {
				cl.want = j.known()
				err := cl.get(ctx, c.query(), nil)
				j.take(cl, err)
				if err != nil {
					return // a target that fails at once must not be asked again and again
				}
			}
		})
	}
	all.Wait()
	var s sample
	start.fill(&s, processors)
	s.Resident = residentMB(t.pid)
	s.result(j, int64(j.count)*int64(c.events))
	return s
}

// warmEvents is the length of streams that make connections and processes warm.
const warmEvents = 10

// connect makes clients that have each read a short stream. Faults are found later, by who counts them.
func connect(ctx context.Context, t target, streams int) []*client {
	clients := make([]*client, streams)
	slots := make(chan struct{}, opening)
	var all sync.WaitGroup
	for i := range clients {
		cl := newClient(t, timeout(streams))
		clients[i] = cl
		slots <- struct{}{}
		all.Go(func() {
			_ = cl.get(ctx, call{events: warmEvents}.query(), nil)
			<-slots
		})
	}
	all.Wait()
	return clients
}

func (s *sample) result(j *judge, events int64) {
	s.Streams, s.Bad, s.Events = j.count, j.bad, events
	if j.first != nil {
		s.Fault = j.first.Error()
	}
	if j.count == 0 && j.bad == 0 {
		s.Bad, s.Fault = 1, "no stream came to its end"
	}
}

// pacing is the timetable of a paced measurement.
type pacing struct {
	streams int
	ramp    time.Duration // in which the streams are opened, evenly
	window  time.Duration // in which is measured
	rest    time.Duration // between the last opening and the window, and between that and the first end of a stream
}

const usualRest = 300 * time.Millisecond

// newPacing opens streams at a rate that no listener minds, over whole intervals, so that their events are spread evenly.
func newPacing(streams int, interval, window time.Duration) pacing {
	ramp := (time.Duration(streams) * time.Millisecond).Truncate(interval) + interval
	return pacing{streams: streams, ramp: ramp, window: window, rest: usualRest}
}

// events is how long each stream must be.
func (p pacing) events(interval time.Duration) int {
	return int((p.ramp+p.window+2*p.rest)/interval) + 2
}

// pace runs streams with a fixed rate each. Within the window it takes CPU time, latencies and, where idle says what
// the process takes without streams, memory.
func pace(ctx context.Context, t target, c call, p pacing, idle int64, m func() *meter, processors int) sample {
	j := &judge{dialect: t.answer, call: c}
	begin := time.Now()
	w := window{from: begin.Add(p.ramp + p.rest)}
	w.to = w.from.Add(p.window)
	streams := make([]*arrivals, p.streams)
	quiet := new(hush)
	var all sync.WaitGroup
	for i := range streams {
		cl := newClient(t, rigTimeout+c.interval)
		a := &arrivals{client: cl, call: c, window: w, hush: quiet}
		streams[i] = a
		all.Go(func() {
			defer cl.close()
			sleep(ctx, time.Until(begin.Add(p.ramp*time.Duration(i)/time.Duration(p.streams))))
			err := cl.get(ctx, c.query(), a.more)
			j.take(cl, err)
		})
	}
	s := watch(ctx, t, w, p.streams, idle, m, processors)
	all.Wait()
	late, events := merge(streams)
	s.result(j, events)
	s.P50, s.P90, s.P99 = quantile(late, 0.5), quantile(late, 0.9), quantile(late, 0.99)
	s.P999, s.Max = quantile(late, 0.999), quantile(late, 1)
	s.Hush = milliseconds(time.Duration(quiet.longest.Load()))
	return s
}

// quantile returns, in milliseconds, what the share q of the sorted durations is not above; 0 if there are none.
func quantile(sorted []time.Duration, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(q * float64(len(sorted))))
	return milliseconds(sorted[min(max(rank-1, 0), len(sorted)-1)])
}

// watch takes what is to be taken within the window.
func watch(ctx context.Context, t target, w window, streams int, idle int64, m func() *meter, processors int) (s sample) {
	sleep(ctx, time.Until(w.from))
	start := m()
	if idle > 0 {
		sleep(ctx, time.Until(w.to)/2)
		s.Memory = perStream(t.pid, idle, streams)
		s.Idle = float64(idle) / (1 << 20)
	}
	sleep(ctx, time.Until(w.to))
	start.fill(&s, processors)
	return s
}

// perStream is by how much the process has grown, in KB per stream.
func perStream(pid int, idle int64, streams int) float64 {
	now, err := familyResident(pid)
	if err != nil {
		return -1
	}
	return float64(now-idle) / float64(streams) / 1000
}

func merge(streams []*arrivals) (late []time.Duration, events int64) {
	for _, a := range streams {
		late = append(late, a.late...)
		events += int64(a.inTime)
	}
	slices.Sort(late)
	return late, events
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// warm runs one short stream, so that nothing is measured that happens only once.
func warm(ctx context.Context, t target) error {
	c := call{events: warmEvents}
	j := &judge{dialect: t.answer, call: c}
	cl := newClient(t, rigTimeout)
	defer cl.close()
	err := cl.get(ctx, c.query(), nil)
	j.take(cl, err)
	return j.first
}
