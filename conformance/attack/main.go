// Attack is hostile to Sabir: it starts "sabir serve" on loopback, plays clients and upstreams that break every rule, and
// watches from outside whether what Sabir promises still holds.
//
//	go run ./conformance/attack -short                        all there is, in about three minutes
//	go run ./conformance/attack -doc docs/security.md         all of it, longer, with a table of what was tried
//	go run ./conformance/attack -run 'websocket/' -v          one group
//	go run ./conformance/attack -list                         what there is
//	go run ./conformance/attack -soak -time 5m                a long run under mixed load, two hours without -time
//
// Each attack says what it tries, what must hold meanwhile and afterwards, and what held. During every attack on the
// process a well-behaved stream runs beside it and must arrive whole and without long pauses; after it the process must
// have given back streams, goroutines and files, and its memory must have stayed below a bound. The exit status is 1 if
// anything did not hold.
//
// What is random depends on -seed alone, never on time; only how much of it is tried does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "attack:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	seed   uint64
	short  bool
	time   time.Duration
	only   string
	list   bool
	doc    string
	sabir  string
	root   string
	loud   bool
	stream int64

	soak     bool
	rate     float64
	troubles time.Duration

	match *regexp.Regexp
	args  []string
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if o.list {
		for _, a := range o.selected() {
			fmt.Fprintf(stdout, "%-48s %s\n", a.name, a.tries)
		}
		return nil
	}
	s, err := newSuite(ctx, o, stdout)
	if err != nil {
		return err
	}
	defer s.close()
	if o.soak {
		return s.soak()
	}
	r := s.run()
	if o.doc != "" {
		if err := r.writeDocument(o.doc); err != nil {
			return err
		}
	}
	return r.conclusion()
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := &options{args: args}
	f := flag.NewFlagSet("attack", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Uint64Var(&o.seed, "seed", 1, "of everything random")
	f.BoolVar(&o.short, "short", false, "less of everything")
	f.DurationVar(&o.time, "time", 0, "of each attack that goes on as long as it may (default 4m; short: 15s), or of a soak (default 2h)")
	f.StringVar(&o.only, "run", "", "only attacks whose names match this regular expression")
	f.BoolVar(&o.list, "list", false, "list the attacks")
	f.StringVar(&o.doc, "doc", "", "write what was tried and what held to this file")
	f.StringVar(&o.sabir, "sabir", "", "binary to attack (default: build ./cmd/sabir)")
	f.StringVar(&o.root, "root", ".", "the repository")
	f.BoolVar(&o.loud, "v", false, "print the figures of each attack, and the log of the process where something does not hold")
	f.Int64Var(&o.stream, "stream", -1, "only this one of the mutated streams")
	f.BoolVar(&o.soak, "soak", false, "in place of attacks, a long run under mixed load while something goes wrong now and then")
	f.Float64Var(&o.rate, "rate", 0, "streams that a soak begins in a second, on average (default half of what the machine can serve, which is measured first)")
	f.DurationVar(&o.troubles, "troubles", 10*time.Second, "mean time between what goes wrong in a soak")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.rate < 0 {
		return nil, fmt.Errorf("-rate %v: want 0 or more", o.rate)
	}
	if f.NArg() > 0 {
		return nil, fmt.Errorf("argument %q is not expected", f.Arg(0))
	}
	var err error
	if o.match, err = regexp.Compile(o.only); err != nil {
		return nil, err
	}
	if o.time == 0 {
		o.time = o.usualTime()
	}
	return o, nil
}

func (o *options) usualTime() time.Duration {
	switch {
	case o.soak:
		return 2 * time.Hour
	case o.short:
		return 15 * time.Second
	}
	return 4 * time.Minute
}

// selected are the attacks that -run asks for.
func (o *options) selected() (some []*attack) {
	for _, a := range attacks() {
		if o.match.MatchString(a.name) {
			some = append(some, a)
		}
	}
	return some
}
