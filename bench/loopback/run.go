package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

// measure makes all samples: mode by mode, and within a mode round by round, so that what is compared was measured at
// nearly the same time. What was measured before a failure is in the report, too.
func (p *plan) measure(ctx context.Context, progress io.Writer) (*report, error) {
	r := newReport(p)
	g, err := newRig(ctx, p, progress)
	if err != nil {
		return r, err
	}
	p.rig = g
	defer g.stopAll()
	r.Versions, r.Absent = g.versions, g.absent
	for _, mode := range p.o.modes() {
		for round := range p.rounds(mode) {
			if err := p.round(ctx, mode, round, progress); err != nil {
				r.sum()
				return r, err
			}
			if err := r.save(p.o.save); err != nil {
				return r, err
			}
		}
		p.endMode(mode)
	}
	r.Profiles, r.Absent = g.profiles, g.absent
	r.sum()
	return r, r.save(p.o.save)
}

// round measures every cell of a mode once.
func (p *plan) round(ctx context.Context, mode string, round int, progress io.Writer) error {
	for _, c := range p.cells {
		if c.Mode != mode || p.rig.isAbsent(c.Target) {
			continue
		}
		s, err := p.quietSample(ctx, c)
		if err != nil {
			return fmt.Errorf("%s, %s, %s: %w", c.Mode, c.Target, c.stream(), err)
		}
		c.Samples = append(c.Samples, s)
		fmt.Fprintf(progress, "%s round %d: %-11s %-28s %-28s %s\n", time.Now().Format(time.TimeOnly), round+1, c.Mode, c.Target, c.stream(), s.summary())
	}
	return nil
}

// endMode frees what the next mode does not need: processes that hold memory, and the bodies that were right.
func (p *plan) endMode(mode string) {
	for _, c := range p.cells {
		if c.Mode == mode {
			c.good = nil
		}
	}
	p.rig.stopTargets()
	runtime.GC()
}

// quietTries is how often -quiet makes a measurement again.
const quietTries = 2

func (p *plan) quietSample(ctx context.Context, c *cell) (best sample, err error) {
	for try := range quietTries + 1 {
		s, err := p.sample(ctx, c)
		if err != nil {
			return s, err
		}
		if try == 0 || s.Bad > 0 || s.Others < best.Others {
			best = s
		}
		if p.o.quiet <= 0 || best.Others <= p.o.quiet || best.Bad > 0 {
			break
		}
	}
	return best, nil
}

// sample measures a cell once. What a peer does wrong is in the sample; what fails otherwise is an error.
func (p *plan) sample(ctx context.Context, c *cell) (sample, error) {
	switch c.Mode {
	case codec:
		return p.rig.codecSample(ctx, c)
	case profileMode:
		return p.rig.profile(ctx, c)
	}
	fresh := c.Mode == slow || c.Mode == peersSlow || c.Mode == size || c.Mode == cancel // memory never comes back quite as it was
	t, err := p.rig.target(ctx, c, fresh)
	if err == nil {
		err = p.rig.warm(ctx, t, c)
	}
	switch {
	case err != nil && ctx.Err() == nil && isPeer(c.Target):
		return sample{Bad: 1, Fault: err.Error(), CPU: -1, Others: -1}, nil
	case err != nil:
		return sample{}, err
	}
	if fresh {
		defer p.rig.stop(c)
	}
	m := func() *meter { return newMeter(t.pid, p.rig.processes()) }
	switch {
	case c.Mode == size:
		return p.rig.size(ctx, t, c, m)
	case c.Mode == cancel:
		const single = 500
		l := leaving{single: min(single, c.Streams/2), grace: 2 * time.Second}
		l.every = c.d / time.Duration(l.single)
		return leave(ctx, t, p.rig.upstream.addr, c.Streams, l, m, runtime.NumCPU()), ctx.Err()
	case c.call.interval > 0:
		return p.pacedSample(ctx, c, t, fresh, m)
	}
	j := &judge{dialect: t.answer, call: c.call, recorded: c.recorded, good: c.good}
	s := flow(ctx, t, j, c.Streams, c.d, m, runtime.NumCPU())
	c.good = j.known()
	return s, ctx.Err()
}

func (p *plan) pacedSample(ctx context.Context, c *cell, t target, fresh bool, m func() *meter) (sample, error) {
	var idle int64
	if fresh {
		sleep(ctx, usualRest)
		if n, err := familyResident(t.pid); err == nil {
			idle = n
		}
	}
	measure := func() sample {
		pc := newPacing(c.Streams, c.call.interval, c.d)
		one := c.call
		one.events, one.base = pc.events(one.interval), time.Now().UnixMicro()
		return pace(ctx, t, one, pc, idle, m, runtime.NumCPU())
	}
	if c.Target != upkept {
		return measure(), ctx.Err()
	}
	text, err := os.ReadFile(p.rig.configFile())
	if err != nil {
		return sample{}, err
	}
	o := &operator{pid: t.pid, admin: t.admin, config: p.rig.configFile(), text: p.rig.configText()}
	s := pacedUnderUpkeep(ctx, o, measure)
	return s, os.WriteFile(p.rig.configFile(), text, 0o600)
}
