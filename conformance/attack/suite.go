package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/sabir-proxy/sabir/conformance/recorded"
)

// suite makes the attacks one after the other.
type suite struct {
	ctx     context.Context
	opt     *options
	out     io.Writer
	dir     string
	binary  string
	streams []*recorded.Stream
	rig     *rig // nil until an attack needs it
}

func newSuite(ctx context.Context, o *options, out io.Writer) (*suite, error) {
	moreFiles()
	dir, err := os.MkdirTemp("", "sabir-attack-")
	if err != nil {
		return nil, err
	}
	s := &suite{ctx: ctx, opt: o, out: out, dir: dir, binary: o.sabir}
	if s.streams, err = recorded.Load(o.root); err == nil && s.binary == "" {
		s.binary, err = build(ctx, o.root, dir)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *suite) close() {
	if s.rig != nil {
		s.rig.close()
	}
	_ = os.RemoveAll(s.dir)
}

// run makes the selected attacks.
func (s *suite) run() *report {
	r := &report{opt: s.opt, begun: time.Now()}
	for _, a := range s.opt.selected() {
		if s.ctx.Err() != nil || !supported && !a.inMemory {
			r.left++
			continue
		}
		t := s.try(a)
		r.trials = append(r.trials, t)
		s.print(t)
	}
	r.took = time.Since(r.begun)
	fmt.Fprintln(s.out, r.summary())
	return r
}

// soak makes a long run in place of the attacks.
func (s *suite) soak() error {
	r, err := runSoak(s.ctx, s)
	if err != nil {
		return err
	}
	fmt.Fprintln(s.out, r)
	if s.opt.doc != "" {
		if err := r.write(s.opt.doc); err != nil {
			return err
		}
	}
	if len(r.Faults) > 0 {
		return fmt.Errorf("the soak found %d things that do not hold", len(r.Faults))
	}
	return nil
}

// defaultLimit is how long an attack may take before it is given up, which is a fault.
const defaultLimit = 2 * time.Minute

// try makes one attack.
func (s *suite) try(a *attack) *trial {
	limit := a.limit
	if limit == 0 {
		limit = defaultLimit
	}
	ctx, cancel := context.WithTimeout(s.ctx, limit+s.opt.time)
	defer cancel()
	t := &trial{attack: a, ctx: ctx, opt: s.opt, suite: s, random: newRandom(s.opt.seed, a.name)}
	begun := time.Now()
	if a.inMemory || a.alone {
		a.run(t)
	} else {
		s.onRig(t)
	}
	t.took = time.Since(begun)
	if ctx.Err() != nil && s.ctx.Err() == nil {
		t.fault("it was not over after %v", limit+s.opt.time)
	}
	return t
}

// newRandom depends on the seed and the name only, so that an attack does the same alone as among others.
func newRandom(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// onRig makes an attack on the process that all such attacks share, with a canary beside it.
func (s *suite) onRig(t *trial) {
	if err := s.ready(); err != nil {
		t.fault("%v", err)
		return
	}
	t.rig = s.rig
	w, err := t.rig.watch(t)
	if err != nil {
		t.fault("the process cannot be watched: %v", err)
		return
	}
	t.run(t)
	w.judge(t)
}

// ready starts the shared process, or a new one if it has died.
func (s *suite) ready() error {
	if s.rig != nil && s.rig.process.alive() {
		return nil
	}
	if s.rig != nil {
		s.rig.close()
	}
	var err error
	s.rig, err = newRig(s)
	return err
}

// print writes what became of an attack.
func (s *suite) print(t *trial) {
	verdict := "held"
	if !t.held() {
		verdict = "FAULT"
	}
	fmt.Fprintf(s.out, "%-5s %-48s %9d tried  %6.1fs  %s\n", verdict, t.name, t.tried, t.took.Seconds(), t.tries)
	for _, f := range t.faults {
		fmt.Fprintf(s.out, "      ! %s\n", strings.ReplaceAll(f, "\n", "\n        "))
	}
	if t.more > 0 {
		fmt.Fprintf(s.out, "      ! and %d more\n", t.more)
	}
	if s.opt.loud {
		for _, f := range t.figures {
			fmt.Fprintf(s.out, "      %s: %s\n", f.name, f.value)
		}
		if !t.held() && t.rig != nil {
			fmt.Fprintln(s.out, clip(t.rig.process.log.all(), 4000))
		}
	}
}
