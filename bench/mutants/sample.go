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
	"time"
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

// prepare builds those that come first together, and sees that the tests pass while none of them is switched on. Where that cannot
// be, each is built for itself.
func (s *session) prepare(ctx context.Context, mutants []mutant) (err error) {
	likely := mutants[:min(len(mutants), s.o.n+s.o.n/2)] // some do not compile
	if s.board, err = s.l.switchboard(ctx, s.t.folder, likely); err == nil {
		if s.limit, err = s.board.healthy(ctx, s.judges); err == nil {
			return nil
		}
		s.board.bench.close()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	fmt.Fprintf(s.out, "each change to %s is built for itself: %v\n", s.t.folder, err)
	s.board = nil
	s.limit, err = s.l.healthy(ctx, s.judges)
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

// healthy runs the tests of folders on the code as it is, and returns how long changed code may take.
func (l *lab) healthy(ctx context.Context, folders []string) (time.Duration, error) {
	b, err := l.prepare(nil)
	if err != nil {
		return 0, err
	}
	defer b.close()
	return timed(folders, func(folder string) (outcome, error) { return b.testTwice(ctx, folder, nil, longestTests) })
}

// healthy does the same where changes can be switched on.
func (s *switchboard) healthy(ctx context.Context, folders []string) (time.Duration, error) {
	return timed(folders, func(folder string) (outcome, error) {
		program, err := s.program(ctx, folder)
		if err != nil {
			return outcome{}, err
		}
		return s.bench.runTwice(ctx, program, folder, nil, longestTests)
	})
}

// longestTests is how long the tests of a folder may take when nothing is changed.
const longestTests = 8 * time.Minute

func timed(folders []string, test func(folder string) (outcome, error)) (time.Duration, error) {
	var longest time.Duration
	for _, folder := range folders {
		start := time.Now()
		o, err := test(folder)
		if err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", folder, err, o.output)
		}
		if o.failed {
			return 0, fmt.Errorf("%s: the tests fail already\n%s", folder, o.output)
		}
		longest = max(longest, time.Since(start))
	}
	return 2*longest + 10*time.Second, nil
}

// session tries the changes to one package.
type session struct {
	l      *lab
	out    io.Writer
	o      options
	c      *config
	judges []string // folders whose tests run
	limit  time.Duration

	board *switchboard // nil: none
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
	by, hung, err := s.judge(ctx, m)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, errBuild):
		s.t.n--
	case err != nil:
		s.fault(err.Error())
	default:
		if hung {
			s.t.hung++
		}
		s.count(m, by)
	}
}

// judge returns the test that caught a change, "" if none did, and whether only the time limit did.
func (s *session) judge(ctx context.Context, m mutant) (by string, hung bool, err error) {
	test, end, err := s.tester(m)
	if err != nil {
		return "", false, err
	}
	defer end()
	for _, folder := range s.judges {
		o, err := test(ctx, folder, s.known.tests(folder, m.file))
		if err != nil {
			return "", false, err
		}
		if o.failed {
			s.known.note(folder, m.file, o.test())
			return folder + " " + o.reason(), o.hung, nil
		}
	}
	return "", false, nil
}

type tester = func(ctx context.Context, folder string, first []string) (outcome, error)

// tester makes what runs the tests of folders against a change.
func (s *session) tester(m mutant) (test tester, end func(), err error) {
	if s.board != nil && s.board.broken[m] {
		return nil, nil, errBuild
	}
	if s.board != nil && s.board.numbers[m] != 0 {
		b := s.board.with(s.board.numbers[m])
		return func(ctx context.Context, folder string, first []string) (o outcome, err error) {
			program, err := s.board.program(ctx, folder)
			if err != nil {
				return o, err
			}
			return b.runTwice(ctx, program, folder, first, s.limit)
		}, func() {}, nil
	}
	src, err := os.ReadFile(m.file)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.l.prepare(map[string][]byte{m.file: m.apply(src)})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, folder string, first []string) (outcome, error) {
		return b.testTwice(ctx, folder, first, s.limit)
	}, b.close, nil
}

func (s *session) count(m mutant, by string) {
	why := s.c.explains(m)
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
		fmt.Fprintf(s.out, "UNNOTICED   %v\n", m)
	}
}

func (s *session) fault(text string) {
	s.t.faults = append(s.t.faults, text)
	fmt.Fprintln(s.out, "WRONG      ", text)
}
