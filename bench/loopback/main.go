// Command loopback measures the whole proxy over the loopback interface, beside floors that do less:
//
//	go run ./bench/loopback -short                                 all there is to see, in less than a minute
//	go run ./bench/loopback -mode flowing -from evolve -to agui    one kind of measurement, one pair
//
// A simulated agent server, the proxy and the floors are processes of their own, all on free ports of 127.0.0.1; the
// load comes from this process. The proxy is the program of this repository, built before the run.
//
// # Modes
//
//	flowing   streams of 500 deltas of 12 characters, as fast as they come, in pieces of 4 KiB; with -segmented, one
//	          TCP segment per event. Shown: CPU time per million events, events per second.
//	paced     many streams with a fixed rate each. Shown: CPU time per event, and how much later than it was due each
//	          event arrives. Servers send by a timetable and never wait for an answer, and latency counts from the
//	          timetable, so a proxy that stalls cannot hide it.
//	slow      very many streams with an event a second. Shown: memory per open stream, as what the resident set is
//	          above that of the idle process.
//
// # Floors
//
//	direct    no proxy: what the rig itself can do
//	raw       two goroutines per connection that copy bytes between sockets and know no HTTP
//	reverse   net/http/httputil.ReverseProxy with immediate flushing
//	splice    net/http with a search for the text of each line, put between fixed strings, flushed when the input has
//	          run dry: the least that somebody would write instead of a proxy, and right for this one stream only
//
// # Right before fast
//
// Every body that comes back is compared with one that was read by the dialect's decoder and found to hold every delta
// once, in order and unchanged, and a good end. A body that differs is read, too. One bad stream makes the exit status 1.
//
// # Noise
//
// Rounds go over all measurements in turn, so that what is compared was measured at nearly the same time; figures are
// medians over the rounds. The share of the machine that other programs used meanwhile is shown beside each, and -quiet
// leaves out what they have disturbed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "loopback:", err)
		os.Exit(1) //nolint:forbidigo // main is what exits
	}
}

// options are the command line.
type options struct {
	mode      string
	from, to  string
	streams   int
	events    int
	rate      float64
	duration  time.Duration
	rounds    int
	segmented bool
	short     bool
	json      bool
	quiet     float64
	sabir     string
	profile   string
	timeout   time.Duration
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 && roles[args[0]] != nil {
		return serveRole(args, stdin, stdout)
	}
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	p, err := newPlan(o)
	if err != nil {
		return err
	}
	report, err := p.measure(ctx, stderr)
	if err != nil {
		return err
	}
	if o.json {
		err = report.writeJSON(stdout)
	} else {
		err = report.writeMarkdown(stdout)
	}
	if err == nil && report.Bad > 0 {
		err = fmt.Errorf("%d streams were wrong; the first: %s", report.Bad, report.FirstBad)
	}
	return err
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("loopback", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.mode, "mode", "all", "flowing, paced, slow or all")
	f.StringVar(&o.from, "from", "", "dialect of the agent server; with -to, the only pair (default: a few pairs)")
	f.StringVar(&o.to, "to", "", "dialect of the clients")
	f.IntVar(&o.streams, "streams", 0, "streams at the same time (default: flowing 64, paced 500, slow 2000; short: paced 200)")
	f.IntVar(&o.events, "events", 500, "deltas of a flowing stream")
	f.Float64Var(&o.rate, "rate", 20, "events per second of a paced stream")
	f.DurationVar(&o.duration, "duration", 0, "time of one measurement (default: flowing 2s, paced and slow 10s; short: 300ms, 3s and 2s)")
	f.IntVar(&o.rounds, "rounds", 0, "how often each measurement is made (default: 5; short: 3, paced and slow 1)")
	f.BoolVar(&o.segmented, "segmented", false, "flowing streams in one TCP segment per event, not in pieces of 4 KiB")
	f.BoolVar(&o.short, "short", false, "less of everything: done within a minute")
	f.BoolVar(&o.json, "json", false, "every single sample, as JSON")
	f.Float64Var(&o.quiet, "quiet", 0, "measure again, up to twice, while other programs use more than this share of the machine, and leave such rounds out where enough others remain (0: take all as they are)")
	f.StringVar(&o.sabir, "sabir", "", "binary of the proxy (default: build ./cmd/sabir)")
	f.StringVar(&o.profile, "profile", "", "write CPU profiles of the proxy to files that begin with this; the proxy then runs inside this program")
	f.DurationVar(&o.timeout, "timeout", 30*time.Minute, "limit of the whole run")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, fmt.Errorf("argument %q is not expected", f.Arg(0))
	}
	return o, o.check()
}

func (o *options) check() error {
	switch {
	case o.mode != "all" && o.mode != flowing && o.mode != paced && o.mode != slow:
		return fmt.Errorf("-mode %s: want flowing, paced, slow or all", o.mode)
	case (o.from == "") != (o.to == ""):
		return errors.New("-from and -to belong together")
	case o.streams < 0 || o.events < 2 || o.rate <= 0 || o.duration < 0 || o.rounds < 0:
		return errors.New("streams, duration and rounds are not negative, rate is more than 0 and events more than 1")
	}
	return nil
}
