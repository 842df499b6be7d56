package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// valgrind runs the subject and reads what was counted.
type valgrind struct {
	dir     string // for what is thrown away
	subject string
}

const subjectPackage = "github.com/sabir-proxy/sabir/bench/count/subject"

// newValgrind builds the subject, always in the same way: static, for the processors that every Go binary runs on.
func newValgrind(ctx context.Context, dir string) (*valgrind, error) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		return nil, errors.New("valgrind is not installed: apt-get install valgrind, or what your system calls it")
	}
	v := &valgrind{dir: dir, subject: filepath.Join(dir, "subject")}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", v.subject, subjectPackage)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=")
	return v, command(build)
}

// command runs c and says what it wrote if it fails.
func command(c *exec.Cmd) error {
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(c.Path), err, bytes.TrimSpace(out))
	}
	return nil
}

// firstThread ends the names of files with the counts of the thread that the subject stays on. What other threads do, which
// watch and tidy, depends on the time.
const firstThread = "-01"

// callgrind runs the subject; its counts go to files that begin with dir/out. The collector and the scheduler of Go
// would add what has nothing to do with deltas.
func (v *valgrind) callgrind(ctx context.Context, trigger string, units int, names []string) error {
	args := append([]string{
		"-q", "--tool=callgrind", "--separate-threads=yes", trigger, "--callgrind-out-file=" + filepath.Join(v.dir, "out"),
		v.subject, strconv.Itoa(units),
	}, names...)
	c := exec.CommandContext(ctx, "valgrind", args...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=off", "GODEBUG=asyncpreemptoff=1", "GOTRACEBACK=none")
	return command(c)
}

// How often the subject measures each name, and calls mark for it; see bench/count/subject.
const (
	rounds = 2
	marks  = 2*rounds + 1
)

// figure is what one measurement has come to, in instructions per delta.
type figure struct {
	name string
	cost int
}

// count measures each of names.
func (v *valgrind) count(ctx context.Context, names []string) ([]figure, error) {
	if err := v.callgrind(ctx, "--dump-before=main.mark", deltas, names); err != nil {
		return nil, err
	}
	figures := make([]figure, 0, len(names))
	for i, name := range names {
		cost, err := v.cost(marks*i + 1)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure{name, cost})
	}
	return figures, nil
}

// cost reads what was written at the marks of one measurement.
func (v *valgrind) cost(mark int) (int, error) {
	least, err := v.least(mark)
	if err != nil {
		return 0, err
	}
	cost := perDelta(least[0], least[1])
	if cost <= 0 {
		return 0, fmt.Errorf("twice the deltas cost no more than once: %d and %d instructions; has something else asked callgrind for counts?", least[1], least[0])
	}
	return cost, nil
}

// least are the counts of both kinds of work, once and twice, of one measurement. What came before the first of its marks does not matter. Of
// the rounds the least counts, as anything else that the runtime did only adds to it.
func (v *valgrind) least(mark int) (least [2]int64, err error) {
	least = [2]int64{math.MaxInt64, math.MaxInt64}
	for i := range 2 * rounds {
		n, err := v.total(mark + 1 + i)
		if err != nil {
			return least, err
		}
		least[i%2] = min(least[i%2], n)
	}
	return least, nil
}

// perDelta is the cost of one delta, rounded, when deltas have cost once and twice as many have cost twice.
func perDelta(once, twice int64) int { return int((twice - once + deltas/2) / deltas) }

// total reads the file that was written at the mark of that number, counted from 1.
func (v *valgrind) total(mark int) (int64, error) {
	name := filepath.Join(v.dir, "out."+strconv.Itoa(mark)+firstThread)
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	n, err := parseTotal(string(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return n, os.Remove(name)
}

// parseTotal finds the sum in a file of callgrind: the line "totals: 2318712", whose only event are instructions.
func parseTotal(text string) (int64, error) {
	events, totals := field(text, "events:"), field(text, "totals:")
	if events != "Ir" {
		return 0, fmt.Errorf("counts %q, want instructions (Ir)", events)
	}
	n, err := strconv.ParseInt(totals, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("totals are %q, want a number", totals)
	}
	return n, nil
}

// field returns what stands behind name at the start of a line.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
