// Command sabir lets every client of an agent server speak its own dialect: it decodes the agent's stream in one and
// re-encodes it in another, live.
//
// This package holds what a person or a service manager meets: arguments, configuration, signals, exit statuses. Each
// command has a file of its own, and its help is its manual. Nothing here ends the process but main.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sabir-proxy/sabir/proxy"
	"github.com/sabir-proxy/sabir/proxy/printable"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // something is wrong with a configuration, a stream or the network
	exitUsage  = 2 // the command line is wrong; nothing was begun
)

func main() {
	inherits = true
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		endAtOnce(<-signals, signals)
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// endAtOnce ends the process by a second signal; the first has asked for an orderly end. What agents that are programs have started would
// outlive it. Signals do again what they do to every program, so that a third one does not wait for that.
func endAtOnce(by os.Signal, signals chan<- os.Signal) {
	signal.Stop(signals)
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		proxy.KillAgents()
		if say := logEndAtOnce.Load(); say != nil {
			(*say)()
		}
	}()
	select {
	case <-killed:
	case <-time.After(killTime):
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil && self.Signal(by) == nil {
		time.Sleep(killTime) // the signal is on its way
	}
	os.Exit(exitFailed)
}

// logEndAtOnce says in the log of a server that it is ended at once: what it cuts then stands neither there nor in the audit. nil: there is none.
var logEndAtOnce atomic.Pointer[func()]

// killTime is how long a process waits that is to end at once.
const killTime = 2 * time.Second

// run is the whole program but the process: it returns the exit status. Commands that serve end when ctx is done.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(append([]string{}, args...)) // nil would mean those of the process
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var failed *failure
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailed
	case errors.As(err, &failed):
		fmt.Fprintln(stderr, "sabir:", shown(err))
		return exitFailed
	}
	fmt.Fprintf(stderr, "sabir: %s\n%sFor help: %s --help\n", shown(err), takers(cmd, err), cmd.CommandPath())
	return exitUsage
}

// takers says which commands take a flag that stands without one.
func takers(cmd *cobra.Command, err error) string {
	flag, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok || cmd.HasParent() {
		return ""
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.Flags().Lookup(flag) != nil {
			names = append(names, "sabir "+c.Name())
		}
	}
	if names == nil {
		return ""
	}
	return "It belongs to a command: " + strings.Join(names, ", ") + "\n"
}

// shown is an error for a terminal: servers and files choose parts of it.
func shown(err error) string { return string(printable.Escape([]byte(err.Error()))) }

// errReported ends a command that has already printed what is wrong.
var errReported = errors.New("already reported")

// failure is what went wrong once the command line was understood. Errors of other types, most of them cobra's, blame
// the command line.
type failure struct{ err error }

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usageError blames the command line for something that only the command itself can know.
type usageError struct{ error }

// work marks the errors of a command's work as failures.
func work(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		var usage usageError
		if err == nil || errors.As(err, &usage) {
			return err
		}
		return &failure{err}
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "sabir",
		Short: "Let every client of an agent server speak its own dialect",
		Long: `Sabir stands beside an agent server. It decodes the server's stream in one
dialect and re-encodes it in another, live, with order repaired and honest
endings.

Exit status: 0 when all went well, 1 when something is wrong with a
configuration, a stream or the network, 2 when the command line is wrong.`,
		Example: `  sabir demo --once                      see one run, side by side
  sabir proxy --to URL --client agui     stand in front of your agent
  sabir init                             write the configuration for that
  sabir serve --config sabir.yaml        serve what a configuration says
  sabir dialects                         what can be translated`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// Not by cobra's Version: its template calls methods by their names, and the linker would keep every method of every library.
	version := root.Flags().BoolP("version", "v", false, "version for sabir")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			cmd.Println(versionLine())
			return nil
		}
		return cmd.Help()
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newProxy(), newInit(), newServe(), newCheck(), newTranslate(), newDetect(), newDialects(), newDemo(), newRecord(), newReplay(), newConvert(), newACP(), newKey(), newAudit(), newHealth(), newVersion())
	addHelp(root)
	return root
}

// addHelp adds cobra's command help, for which a name that is none is a command line that is wrong.
func addHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		about, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("unknown command %q for %q", rest[0], about.CommandPath())
		}
		if err != nil {
			return err
		}
		return about.Help()
	}
}

// count is "1 route" or "2 routes".
func count[N int | int64 | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}
