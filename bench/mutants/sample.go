package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
)

func dir(file string) string { return path.Dir(file) }

// stats are what became of the changes to a package.
type stats struct {
	folder                                      string
	tried, caught, hung, explained, survived, n int // hung are caught too
	faults                                      []string
}

func (t *stats) String() string {
	if t.tried == 0 {
		return t.folder + ": nothing to change"
	}
	share := 100 * t.caught / max(t.caught+t.survived, 1) // of those that anybody could notice
	return fmt.Sprintf("%s: %d tried, %d caught (%d %%; %d by the time limit), %d equivalent, %d unnoticed",
		t.folder, t.tried, t.caught, share, t.hung, t.explained, t.survived)
}

func trySamples(ctx context.Context, l *lab, out io.Writer, o options, c *config, folders []string) error {
	var wrong int
	var shares []string
	for _, folder := range folders {
		t, err := trySample(ctx, l, out, o, c, strings.TrimPrefix(path.Clean(folder), "./"))
		if err != nil {
			return err
		}
		wrong += t.survived + len(t.faults)
		shares = append(shares, t.String())
	}
	fmt.Fprintf(out, "\nseed %d\n%s\n", o.seed, strings.Join(shares, "\n"))
	if wrong > 0 {
		return fmt.Errorf("%d changes went unnoticed, or are listed wrongly", wrong)
	}
	return nil
}

func trySample(ctx context.Context, l *lab, out io.Writer, o options, c *config, folder string) (*stats, error) {
	files, err := l.files(ctx, folder)
	if err != nil {
		return nil, err
	}
	all, err := mutantsOf(folder, files)
	if err != nil {
		return nil, err
	}
	s := &session{l: l, out: out, o: o, c: c, t: &stats{folder: folder}, judges: append([]string{folder}, c.Packages[folder].Then...)}
	mutants := sample(only(all, o.only), o.seed, folder)
	if err := s.prepare(ctx, mutants); err != nil {
		return nil, err
	}
	for _, fault := range c.stale(folder, all) {
		s.fault(fault)
	}
	s.run(ctx, mutants)
	return s.t, ctx.Err()
}

// prepare finds out what the tests cover, and builds the changes that come first together. Where that cannot be, each is built for
// itself.
func (s *session) prepare(ctx context.Context, mutants []mutant) error {
	s.covers = map[string]*coverage{}
	for _, folder := range s.judges {
		c, err := s.l.coverage(ctx, s.out, folder, s.c.judged(folder, s.t.folder))
		if err != nil {
			return err
		}
		s.covers[folder] = c
	}
	likely := mutants[:min(len(mutants), s.o.n+s.o.n/2)] // some do not compile
	board, err := s.l.switchboard(ctx, s.t.folder, likely)
	if err == nil {
		s.board, s.plain = board, &board.programs
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fmt.Fprintf(s.out, "each change to %s is built for itself: %v\n", s.t.folder, err)
	s.board, s.plain = &switchboard{}, &programs{}
	s.plain.bench, err = s.l.prepare(nil)
	return err
}

// only keeps what begins with place, "file" or "file:line".
func only(all []mutant, place string) (kept []mutant) {
	for _, m := range all {
		if place == "" || m.file == place || fmt.Sprintf("%s:%d", m.file, m.line) == place {
			kept = append(kept, m)
		}
	}
	return kept
}

// session tries the changes to one package.
type session struct {
	l      *lab
	out    io.Writer
	o      options
	c      *config
	judges []string // folders whose tests run
	covers map[string]*coverage

	board *switchboard
	plain *programs // without a change
	known likely

	mu sync.Mutex
	t  *stats
}

// run tries mutants, in their order, until n of them did compile.
func (s *session) run(ctx context.Context, mutants []mutant) {
	next := make(chan mutant)
	var wg sync.WaitGroup
	for range s.o.jobs {
		wg.Go(func() {
			for m := range next {
				s.try(ctx, m)
			}
		})
	}
	for _, m := range mutants {
		if ctx.Err() != nil || s.enough() {
			break
		}
		next <- m
	}
	close(next)
	wg.Wait()
}

func (s *session) enough() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.t.n >= s.o.n
}

func (s *session) try(ctx context.Context, m mutant) {
	s.mu.Lock()
	if s.t.n >= s.o.n { // another worker was faster
		s.mu.Unlock()
		return
	}
	s.t.n++
	s.mu.Unlock()
	v, err := s.judge(ctx, m)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, errBuild):
		s.t.n--
	case err != nil:
		s.fault(err.Error())
	default:
		if v.hung {
			s.t.hung++
		}
		s.count(m, v)
	}
}

// judge returns the test that caught a change, "" if none did, whether only the time limit did, and how many tests were tried.
func (s *session) judge(ctx context.Context, m mutant) (v verdict, err error) {
	changed, n, end, err := s.programs(m)
	if err != nil {
		return v, err
	}
	defer end()
	for _, folder := range s.judges {
		c := s.covers[folder]
		tests := c.covering(m, folder)
		c.quickest(tests)
		s.known.first(folder, m.file, tests)
		v.tests += len(tests)
		j := judge{changed.starter(folder, n), s.plain.starter(folder, 0), c.limit}
		o, err := j.try(ctx, tests)
		if err != nil {
			return v, err
		}
		if o.failed {
			s.known.note(folder, m.file, o.test())
			v.by, v.hung = folder+" "+o.reason(), o.hung
			return v, nil
		}
	}
	return v, nil
}

// verdict is what became of a change.
type verdict struct {
	by    string // what caught it, "" if nothing did
	hung  bool   // only by the time limit
	tests int    // that run it
}

// programs returns the tests that have a change, and the number that switches it on.
func (s *session) programs(m mutant) (p *programs, n int, end func(), err error) {
	if s.board.broken[m] {
		return nil, 0, nil, errBuild
	}
	if n := s.board.numbers[m]; n != 0 {
		return &s.board.programs, n, func() {}, nil
	}
	src, err := os.ReadFile(m.file)
	if err != nil {
		return nil, 0, nil, err
	}
	b, err := s.l.prepare(map[string][]byte{m.file: m.apply(src)})
	if err != nil {
		return nil, 0, nil, err
	}
	return &programs{bench: b}, 0, b.close, nil
}

func (s *session) count(m mutant, v verdict) {
	why, by := s.c.explains(m), v.by
	s.t.tried++
	switch {
	case by != "" && why != "":
		s.t.caught++
		s.fault(fmt.Sprintf("%s: is called equivalent, but %s catches it: %v", configFile, by, m))
	case by != "":
		s.t.caught++
		if s.o.verbose {
			fmt.Fprintf(s.out, "caught      %v    by: %s\n", m, by)
		}
	case why != "":
		s.t.explained++
		if s.o.verbose {
			fmt.Fprintf(s.out, "equivalent  %v    %s\n", m, why)
		}
	default:
		s.t.survived++
		fmt.Fprintf(s.out, "UNNOTICED   %v    %s\n", m, v.tried())
	}
}

func (v verdict) tried() string {
	if v.tests == 0 {
		return "no test runs this line"
	}
	return fmt.Sprintf("%d tests run it", v.tests)
}

func (s *session) fault(text string) {
	s.t.faults = append(s.t.faults, text)
	fmt.Fprintln(s.out, "WRONG      ", text)
}
