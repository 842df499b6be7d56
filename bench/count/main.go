// Command count says how many instructions of the processor a delta costs, and a kilobyte of a request, pair by pair, and
// holds them against those that were last accepted. Valgrind counts them, so the figure is the same on a busy machine and an
// idle one, and from run to run within one percent.
//
//	go run ./bench/count                                fails where a pair costs 5 % more than in baseline.txt
//	go run ./bench/count -update                        accepts what is
//	go run ./bench/count -profile evolve/agui/text      which functions they are; needs callgrind_annotate
//	go run ./bench/count -growth hostile-tools          how the cost of what is hostile grows with its size: the exponent, and a thing's
//	go run ./bench/count acp/aisdk/text agui/acp/args   only these, without a comparison
//
// A measurement is a pair and what the stream is long of: from/to/text, from/to/reasoning or from/to/args. Split, decode,
// sequence and encode of the proxy's own engine are counted, in memory, in the middle of an endless part: what n deltas
// cost is taken from what 2n deltas cost, so that nothing but deltas remains.
//
// from/to/request is a request of 20 KB, read and written for an agent, where from has whole conversations; the unit is the
// kilobyte that came.
//
// What is hostile has thousands of one thing, see bench.Hostile and bench.HostileStreams. That some of it grows with its size, and not with
// the square, is checked with the rest.
//
// The figures are those of a compiler and a processor family: the baseline names both. Vector instructions are those that
// Valgrind knows, up to AVX2.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
)

// deltas is how many are measured: enough for the noise of the runtime to vanish.
const deltas = 500

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("count", flag.ContinueOnError)
	update := flags.Bool("update", false, "write the baseline anew")
	profile := flags.String("profile", "", "a `measurement`: show the functions that its instructions are in")
	growth := flags.Bool("growth", false, "how the cost of what is hostile grows with its size, of measurements whose names hold an argument")
	path := flags.String("baseline", filepath.Join("bench", "count", "baseline.txt"), "`file` with the accepted figures")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sabir-count-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	v, err := newValgrind(ctx, dir)
	if err != nil {
		return err
	}
	switch {
	case *profile != "":
		return v.profile(ctx, out, *profile)
	case *growth:
		return v.showGrowth(ctx, out, flags.Args())
	case flags.NArg() > 0:
		return v.show(ctx, out, flags.Args())
	}
	return errors.Join(v.check(ctx, out, *path, *update), v.checkGrowth(ctx))
}

// show prints the figures of some measurements.
func (v *valgrind) show(ctx context.Context, out io.Writer, names []string) error {
	got, err := v.count(ctx, names)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, format(got))
	return err
}

// check measures everything, and compares it or accepts it.
func (v *valgrind) check(ctx context.Context, out io.Writer, path string, update bool) error {
	names := plan()
	figures, err := v.count(ctx, names)
	if err != nil {
		return err
	}
	got := baseline{toolchain: toolchain(), figures: figures}
	if update {
		return os.WriteFile(path, []byte(got.String()), 0o644)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; make it with -update", err)
	}
	want, err := parseBaseline(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	report, err := compare(want, got)
	fmt.Fprintf(out, "%s%d measurements, instructions per delta or kilobyte: %s\n", report, len(names), summary(figures))
	if err != nil {
		return fmt.Errorf("%w\nif it must be, accept it with: go run ./bench/count -update", err)
	}
	return nil
}

// toolchain is what the figures depend on besides the code. Patch releases of Go do not change them by much.
func toolchain() string {
	version := runtime.Version()
	if parts := strings.SplitN(version, ".", 3); len(parts) == 3 {
		version = parts[0] + "." + parts[1]
	}
	return version + " " + runtime.GOOS + "/" + runtime.GOARCH
}
