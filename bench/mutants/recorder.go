package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// recorder runs tests that count what they run.
type recorder struct {
	bench           *bench
	folder, program string
	c               *coverage
	numbers         map[string]int // of c.Spans
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

// record runs a test alone, and once more if it fails. It returns nil if it fails twice.
func (r *recorder) record(ctx context.Context, name string) (*testRun, error) {
	for range 2 {
		counts, err := os.MkdirTemp(r.bench.dir, "")
		if err != nil {
			return nil, err
		}
		b := *r.bench
		b.env = append(os.Environ(), "GOCOVERDIR="+counts) // of processes that the test starts
		start := time.Now()
		o, err := b.start(ctx, r.program, r.folder, pattern(name), longestTest, "-test.gocoverdir="+counts)
		if err != nil {
			return nil, err
		}
		if took := time.Since(start); !o.failed {
			spans, err := r.read(ctx, counts)
			return &testRun{Seconds: took.Seconds(), Spans: spans}, err
		}
	}
	return nil, nil
}

// read returns the numbers of the spans that were run.
func (r *recorder) read(ctx context.Context, counts string) (run []int, err error) {
	defer os.RemoveAll(counts)
	profile := filepath.Join(counts, "profile.txt")
	c := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+counts, "-o="+profile)
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go tool covdata: %w\n%s", err, out)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return r.note(text), nil
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
