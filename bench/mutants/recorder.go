package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// recorder runs tests that count what they run.
type recorder struct {
	bench           *bench
	folder, program string

	mu      sync.Mutex
	c       *coverage
	numbers map[string]int // of c.Spans
}

func (l *lab) recorder(ctx context.Context, folder string, covered []string, c *coverage) (*recorder, error) {
	b, err := l.prepare(nil)
	if err != nil {
		return nil, err
	}
	r := &recorder{bench: b, folder: folder, c: c, numbers: map[string]int{}}
	for i, span := range c.Spans {
		r.numbers[span] = i
	}
	var out []byte
	if r.program, out, err = b.build(ctx, folder, "-cover", "-coverpkg=./"+strings.Join(covered, ",./")); err != nil {
		b.close()
		return nil, fmt.Errorf("%s: %w\n%s", folder, err, out)
	}
	return r, nil
}

// recorders is how many tests run at once: most of them wait for something most of the time.
const recorders = 3

// all runs tests, each alone in its process, and notes what they run.
func (r *recorder) all(ctx context.Context, out io.Writer, names []string, files map[string]string, path string) error {
	next := make(chan string)
	faults := make(chan error, recorders)
	for range recorders {
		go func() {
			var fault error
			for name := range next {
				if fault == nil {
					fault = r.one(ctx, out, name, files[name], path)
				}
			}
			faults <- fault
		}()
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	var fault error
	for range recorders {
		fault = errors.Join(fault, <-faults)
	}
	return errors.Join(fault, r.c.write(path))
}

func (r *recorder) one(ctx context.Context, out io.Writer, name, file, path string) error {
	t, err := r.record(ctx, name)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t == nil {
		fmt.Fprintf(out, "%s: %s fails already, and is left out\n", r.folder, name)
		return nil
	}
	t.File, r.c.Tests[name] = file, t
	if len(r.c.Tests)%50 != 0 {
		return nil
	}
	return r.c.write(path) // what is stopped goes on from here
}

// record runs a test alone, and once more if it fails. It returns nil if it fails twice.
func (r *recorder) record(ctx context.Context, name string) (*testRun, error) {
	for range 2 {
		counts, err := os.MkdirTemp(r.bench.dir, "")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(counts)
		b := *r.bench
		b.env = append(os.Environ(), "GOCOVERDIR="+counts) // of processes that the test starts
		profile := filepath.Join(counts, "profile.txt")
		start := time.Now()
		o, err := b.start(ctx, r.program, r.folder, pattern(name), longestTest, "-test.coverprofile="+profile)
		if err != nil {
			return nil, err
		}
		if took := time.Since(start); !o.failed {
			spans, err := r.read(ctx, counts, profile)
			return &testRun{Seconds: took.Seconds(), Spans: spans}, err
		}
	}
	return nil, nil
}

// read returns the numbers of the spans that were run, by the test or by processes that it has started.
func (r *recorder) read(ctx context.Context, counts, profile string) ([]int, error) {
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	if found, _ := filepath.Glob(filepath.Join(counts, "covcounters.*")); len(found) > 0 {
		c := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+counts, "-o="+profile)
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("go tool covdata: %w\n%s", err, out)
		}
		more, err := os.ReadFile(profile)
		if err != nil {
			return nil, err
		}
		text = append(text, more...)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	run := r.note(text)
	slices.Sort(run)
	return slices.Compact(run), nil
}

// note gives numbers to the spans of a profile, also to those that did not run, and returns those that did.
func (r *recorder) note(profile []byte) (run []int) {
	for line := range bytes.Lines(profile) {
		f := strings.Fields(string(line)) // "module/proxy/pump.go:40.55,42.14 2 1"
		if len(f) != 3 {
			continue
		}
		span := strings.TrimPrefix(f[0], r.bench.l.module+"/")
		if _, ok := r.numbers[span]; !ok {
			r.numbers[span] = len(r.c.Spans)
			r.c.Spans = append(r.c.Spans, span)
		}
		if f[2] != "0" {
			run = append(run, r.numbers[span])
		}
	}
	return run
}
