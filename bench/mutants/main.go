// Command mutants asks whether the tests would notice: it changes one token of the code, a sample of such changes one after
// another, and runs the tests against each. What no test catches is printed.
//
//	go run ./bench/mutants                                        80 changes in each package of mutants.yaml
//	go run ./bench/mutants -packages adapters/hub -n 20 -seed 2   others, or fewer
//	go run ./bench/mutants -seeded                                instead: the faults that confirm the tables in docs/
//
// The source tree stays as it is: the compiler gets the changed file through -overlay. The sample of a package depends on
// -seed and the code of that package alone, and code that changes leaves the rest of it. A change that does not compile is
// none, and another takes its place. The first of a sample are built together, each in a copy of its function that a variable of
// the environment switches on; the rest is built one by one.
//
// Only tests that run a changed line can notice it. So each test of the package, and of those that mutants.yaml names for it, runs
// once alone and counts what it runs; the cache (os.UserCacheDir) keeps that until the file of the test, or one that it ran, has
// changed. A change is then tried by the tests that run its statements, in groups: those that caught a change to the same file
// before, those whose files have a similar name, those that are quick and run little. Where it changes a variable or a constant
// outside of functions, tests count that run what mentions it, or stand in a file that does. A change to a line that no test runs is unnoticed at once.
//
// A test that fails has caught the change only if it fails again, without the others of its group, and passes without the change: a busy machine
// catches nothing. A test that runs into the limit of memory, or of time, has caught the change; those that only the time limit
// caught are counted separately. The limit follows from what each test took alone. mutants.yaml also says which changes no test
// can catch because they change nothing observable, and why. They are tried all the same: an entry that a test catches, and one
// that fits no code, is an error.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

const configFile = "bench/mutants/mutants.yaml"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	seed    uint64
	n, jobs int
	only    string // prefix of what is tried: a file or file:line
	verbose bool
}

func run(ctx context.Context, out io.Writer, args []string) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	var o options
	flags.Uint64Var(&o.seed, "seed", 1, "`number` that the sample comes from")
	flags.IntVar(&o.n, "n", 80, "how many changes to try in each package")
	flags.IntVar(&o.jobs, "jobs", 1, "how many to try at once; tests of timing may fail by themselves with more than one")
	flags.StringVar(&o.only, "only", "", "try only changes in this `file` or file:line, all of them if -n allows")
	flags.BoolVar(&o.verbose, "v", false, "print also what was caught, and by which test")
	packages := flags.String("packages", "", "`folders` to change, with commas between; those of mutants.yaml otherwise")
	seeded := flags.Bool("seeded", false, "try the faults listed beside the tables in docs/ instead")
	rows := flags.String("rows", "", "with -seeded: only these `rows`, with commas between")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, err := readConfig(configFile)
	if err != nil {
		return err
	}
	l, err := newLab(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	if *seeded {
		return trySeeded(ctx, l, out, o, list(*rows))
	}
	folders := list(*packages)
	if len(folders) == 0 {
		folders = c.folders()
	}
	return trySamples(ctx, l, out, o, c, folders)
}

// list splits at commas.
func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}
