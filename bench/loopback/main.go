// Command loopback measures the whole proxy over the loopback interface, beside floors that do less:
//
//	go run ./bench/loopback -short                                 all there is to see, in a few minutes
//	go run ./bench/loopback -pairs all -peers -doc report.md       everything, as a document with plots
//	go run ./bench/loopback -mode flowing -from evolve -to agui    one kind of measurement, one pair
//
// A simulated agent server, the proxy and the floors are processes of their own, all on free ports of 127.0.0.1; the
// load comes from this process. The proxy is the program of this repository, built before the run.
//
// # Modes
//
//	size         the idle process, and the program
//	codec        split, decode, sequence and encode alone, in memory, by the benchmarks of package bench
//	flowing      streams of 500 deltas of 12 characters, as fast as they come, in pieces of 4 KiB. Shown: CPU time per
//	             million events, events per second
//	segmented    the same in one TCP segment per event
//	recorded     streams of real agent servers, with calls, results and reasoning, over and over
//	shapes       long streams as servers really write them: ids, usage, times, parts side by side
//	shapes-segmented  the same, one TCP segment per event
//	shapes-paced      the same as paced streams
//	paced        many streams with a fixed rate each. Shown: CPU time per event, and how much later than it was due each
//	             event arrives. Servers send by a timetable and never wait for an answer, and latency counts from the
//	             timetable, so a proxy that stalls cannot hide it
//	upkeep       paced streams while the configuration changes twice a second and metrics are read ten times
//	slow         very many streams with an event a second. Shown: memory per open stream, as what the resident set is
//	             above that of the idle process
//	count        flowing streams, one at a time up to very many at the same time
//	length       flowing streams of a hundred to a million events, and the exponent of the cost
//	arguments    the same for the arguments of a tool, up to 50 MB in fragments of 48 bytes
//	cancel       very many silent streams: how long after a client has left the server sees its connection closed
//	profile      where the CPU time goes
//	peers        flowing, beside programs of others that translate; peers-paced and peers-slow likewise
//
// # Floors
//
//	direct    no proxy: what the rig itself can do
//	raw       two goroutines per connection that copy bytes between sockets and know no HTTP
//	reverse   net/http/httputil.ReverseProxy with immediate flushing
//	nginx     proxy_buffering off, where peers are measured
//	splice    net/http with a search for the text of each line, put between fixed strings, flushed when the input has
//	          run dry: the least that somebody would write instead of a proxy, and right for this one stream only
//
// # Right before fast
//
// Every body that comes back is compared with one that was read by the dialect's decoder and found to hold every delta
// once, in order and unchanged, and a good end. A body that differs is read, too. One bad stream makes the exit status 1, but for those
// of peers, which are reported.
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
	"strings"
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
	mode     string
	pairs    string
	from, to string
	streams  int
	events   int
	rate     float64
	duration time.Duration
	rounds   int
	short    bool
	peers    bool
	json     bool
	quiet    float64
	sabir    string
	settings string
	route    string
	over     string
	inside   bool
	profile  string
	save     string
	load     string
	doc      string
	plots    string
	timeout  time.Duration
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
	r, err := o.report(ctx, stderr)
	if r == nil {
		return err
	}
	return errors.Join(err, o.write(r, stdout), r.fault())
}

// report measures, or reads what was measured before.
func (o *options) report(ctx context.Context, progress io.Writer) (*report, error) {
	if o.load != "" {
		return loadReports(strings.Split(o.load, ","))
	}
	p, err := newPlan(*o)
	if err != nil {
		return nil, err
	}
	return p.measure(ctx, progress)
}

func (o *options) write(r *report, stdout io.Writer) error {
	if o.doc != "" {
		return r.writeDocument(o.doc, o.plots)
	}
	if o.json {
		return r.writeJSON(stdout)
	}
	return r.writeMarkdown(stdout)
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	f := flag.NewFlagSet("loopback", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.mode, "mode", "all", "what to measure, separated by commas: "+strings.Join(modes, ", ")+", or all")
	f.StringVar(&o.pairs, "pairs", "", "few, usual or all (default: usual; short: few)")
	f.StringVar(&o.from, "from", "", "dialect of the agent server; with -to, the only pair")
	f.StringVar(&o.to, "to", "", "dialect of the clients")
	f.IntVar(&o.streams, "streams", 0, "streams at the same time (default: as the mode needs)")
	f.IntVar(&o.events, "events", 0, "deltas of a flowing stream (default: 500)")
	f.Float64Var(&o.rate, "rate", 20, "events per second of a paced stream")
	f.DurationVar(&o.duration, "duration", 0, "time of one measurement (default: as the mode needs)")
	f.IntVar(&o.rounds, "rounds", 0, "how often each measurement is made (default: as the mode needs)")
	f.BoolVar(&o.short, "short", false, "less of everything: done within a few minutes")
	f.BoolVar(&o.peers, "peers", false, "measure beside other programs, too; those that are not there are installed from package registries into "+peersDir)
	f.BoolVar(&o.json, "json", false, "every single sample, as JSON")
	f.Float64Var(&o.quiet, "quiet", 0, "measure again, up to twice, while other programs use more than this share of the machine, and leave such rounds out where enough others remain (0: take all as they are)")
	f.StringVar(&o.sabir, "sabir", "", "binary of the proxy (default: build ./cmd/sabir)")
	f.StringVar(&o.settings, "settings", "", "lines added to the configuration of the proxy, as YAML: what they cost is the difference from a run without")
	f.StringVar(&o.over, "over", "", "tls: clients ask the proxy, and nginx, by HTTP/1.1 over TLS; http2: by HTTP/2 over TLS; only with -mode paced")
	f.StringVar(&o.route, "route", "", "settings added to each route, as of a flow mapping: \"resume: {grace: 30s}\"")
	f.BoolVar(&o.inside, "inside", false, "run the proxy inside this program, not its binary")
	f.StringVar(&o.profile, "profile", "", "keep CPU profiles of the proxy, in files that begin with this (mode profile)")
	f.StringVar(&o.save, "save", "", "write all samples to this file, after each round")
	f.StringVar(&o.load, "load", "", "measure nothing: report what these files hold, separated by commas; later ones replace modes of earlier ones")
	f.StringVar(&o.doc, "doc", "", "write the report with its plots as a document to this file")
	f.StringVar(&o.plots, "plots", "docs/img", "folder for the plots of the document")
	f.DurationVar(&o.timeout, "timeout", 3*time.Hour, "limit of the whole run")
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
	case (o.from == "") != (o.to == ""):
		return errors.New("-from and -to belong together")
	case o.streams < 0 || o.events < 0 || o.events == 1 || o.rate <= 0 || o.duration < 0 || o.rounds < 0:
		return errors.New("streams, duration and rounds are not negative, rate is more than 0 and events more than 1")
	}
	if o.over != "" && (o.mode != paced || o.over != overTLS && o.over != overHTTP2) {
		return fmt.Errorf("-over %s: want %s or %s, with -mode %s", o.over, overTLS, overHTTP2, paced)
	}
	return o.checkModes()
}
