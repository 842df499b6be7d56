package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/goleak"
)

// childVariable makes the test binary be the program.
const childVariable = "SABIR_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		main()
	}
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),    // one for the process, for ever
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"), // looks every 10 s whether its server is gone
	)
}

// outcome is what a run of the program has left.
type outcome struct {
	status         int
	stdout, stderr string
}

// sabir runs the program to its end.
func sabir(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{status, stdout.String(), stderr.String()}
}

// anything is an output that does not matter.
const anything = "*"

// want checks the exit status, and that the outputs hold a text; "" wants an output to be empty.
func (o outcome) want(t *testing.T, status int, stdout, stderr string) {
	t.Helper()
	if o.status != status {
		t.Errorf("exit status %d, want %d", o.status, status)
	}
	holds := func(name, got, want string) {
		t.Helper()
		if want == "" && got != "" || want != anything && !strings.Contains(got, want) {
			t.Errorf("%s: want %q in\n%s", name, want, got)
		}
	}
	holds("standard output", o.stdout, stdout)
	holds("standard error", o.stderr, stderr)
}

func TestExitStatus(t *testing.T) {
	f := func(status int, stdout, stderr string, args ...string) {
		t.Helper()
		sabir(t, "", args...).want(t, status, stdout, stderr)
	}
	f(exitOK, "sabir dialects", "")
	f(exitOK, "sabir dialects", "", "--help")
	f(exitOK, "sabir ", "", "--version")
	f(exitOK, "sabir ", "", "version")
	f(exitUsage, "", "unknown command \"srve\" for \"sabir\"\n\nDid you mean this?\n\tserve\n", "srve")
	f(exitUsage, "", "For help: sabir serve --help", "serve", "--no-such-flag")
	f(exitUsage, "", "Did you mean this?\n\tserve\n", "run")
	f(exitUsage, "", "unknown flag: --config\nIt belongs to a command: sabir acp, sabir check, sabir serve", "--config", "sabir.yaml")
	f(exitUsage, "", "unknown flag: --no-such-flag\nFor help: sabir --help", "--no-such-flag")
	f(exitUsage, "", `unknown command "more"`, "version", "more")
	f(exitUsage, "", "sabir: my.yaml is no argument of its own: --config my.yaml\nFor help: sabir serve --help", "serve", "my.yaml")
	f(exitUsage, "", "sabir: my.yaml is no argument of its own: --config my.yaml", "check", "my.yaml")
	f(exitOK, "sabir serve [--config FILE] [flags]", "", "help", "serve")
	f(exitOK, "sabir dialects", "", "help")
	f(exitUsage, "", `unknown command "srve"`, "help", "srve")
	f(exitUsage, "", `unknown command "more" for "sabir audit verify"`, "help", "audit", "verify", "more")
	f(exitUsage, "", `"from"`, "translate")
	f(exitUsage, "", "none of the others", "check", "--config", "x", "--schema")
	f(exitFailed, "", "sabir: cannot read the configuration: open no-such.yaml", "check", "--config", "no-such.yaml")
	for _, command := range []string{"check", "serve"} {
		f(exitFailed, "", " init writes one, or name yours with --config", command, "--config", "no-such.yaml")
	}
}

// Every command explains itself, with an example, on a terminal of 80 columns.
func TestHelp(t *testing.T) {
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Long == "" || cmd.Short == "" || !strings.Contains(cmd.Example, "  "+strings.Fields(cmd.CommandPath())[0]) {
			t.Errorf("%s: the help lacks words or an example", cmd.CommandPath())
		}
		help := sabir(t, "", strings.Fields(cmd.CommandPath() + " --help")[1:]...)
		help.want(t, exitOK, cmd.Example, "")
		for line := range strings.Lines(help.stdout) {
			if len([]rune(strings.TrimRight(line, "\n"))) > 80 {
				t.Errorf("%s: longer than 80 columns: %s", cmd.CommandPath(), line)
			}
		}
		for _, sub := range cmd.Commands() {
			if !sub.Hidden && sub.Name() != "help" {
				visit(sub)
			}
		}
	}
	visit(newRoot())
}

func TestVersion(t *testing.T) {
	before := version
	t.Cleanup(func() { version = before })
	version = "v1.2.3"
	if got := sabir(t, "", "version"); !strings.HasPrefix(got.stdout, "sabir v1.2.3 (go") {
		t.Errorf("got %q", got.stdout)
	}
	version = ""
	if versionName() == "" {
		t.Error("no version without the linker's")
	}
}

// console collects an output while the program runs, and lets tests wait for what it says.
type console struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // closed and replaced by each write
}

func newConsole() *console { return &console{more: make(chan struct{})} }

func (c *console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.more)
	c.more = make(chan struct{})
	return c.text.Write(p)
}

func (c *console) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// testTimeout bounds what takes no time on an idle machine.
const testTimeout = 2 * time.Minute

// await returns when the text since from holds want, with the place behind it.
func (c *console) await(t *testing.T, from int, want string) int {
	t.Helper()
	deadline := time.After(testTimeout)
	for {
		c.mu.Lock()
		text, more := c.text.String(), c.more
		c.mu.Unlock()
		if at := strings.Index(text[from:], want); at >= 0 {
			return from + at + len(want)
		}
		select {
		case <-more:
		case <-deadline:
			t.Fatalf("want %q in\n%s", want, text[from:])
		}
	}
}

// process is the program while it runs.
type process struct {
	stdout, stderr *console
	stop           context.CancelFunc // as the first signal does
	status         chan int
}

// start runs the program beside the test, which ends it at the latest.
func start(t *testing.T, args ...string) *process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{stdout: newConsole(), stderr: newConsole(), stop: cancel, status: make(chan int, 1)}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.status <- run(ctx, args, strings.NewReader(""), p.stdout, p.stderr)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return p
}

// ends waits for the end and checks the exit status.
func (p *process) ends(t *testing.T, want int) {
	t.Helper()
	select {
	case got := <-p.status:
		if got != want {
			t.Errorf("exit status %d, want %d\n%s", got, want, p.stderr)
		}
	case <-time.After(testTimeout):
		t.Fatalf("does not end\n%s", p.stderr)
	}
}
