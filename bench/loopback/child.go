package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

// roles are what a process of this program can be beside the load: its first argument. The second is the spec as JSON.
var roles = map[string]func(ln net.Listener, spec spec) error{
	"upstream": serveUpstream,
	"raw":      serveRaw,
	"reverse":  serveReverse,
	"splice":   serveSplice,
	"sabir":    serveSabir,
}

// spec is what a role needs to know.
type spec struct {
	Upstream string       `json:"upstream,omitempty"` // host:port
	Config   string       `json:"config,omitempty"`   // file, of sabir
	Profile  string       `json:"profile,omitempty"`  // file, of sabir
	Splice   spliceScript `json:"splice,omitzero"`
	Dialects string       `json:"dialects,omitempty"` // folder with their recordings, of the upstream
}

// serveRole runs a role until standard input ends: that is when the parent is gone, however that came about.
func serveRole(args []string, stdin io.Reader, stdout io.Writer) error {
	var s spec
	if len(args) != 2 {
		return fmt.Errorf("role %s: want its spec as the one argument", args[0])
	}
	if err := json.Unmarshal([]byte(args[1]), &s); err != nil {
		return err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintln(stdout, ln.Addr())
	failed := make(chan error, 1)
	go func() { failed <- roles[args[0]](ln, s) }()
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, stdin)
		close(gone)
	}()
	select {
	case err := <-failed:
		return err
	case <-gone:
		ln.Close() // ends the role
		select {
		case err := <-failed:
			return err
		case <-time.After(time.Second):
			return nil
		}
	}
}

// child is a running process that serves on addr.
type child struct {
	cmd   *exec.Cmd
	addr  string
	admin string // of the proxy: where operators ask
	in    io.Closer
	done  chan struct{} // closed when the process has ended
}

// startRole starts a role of this program.
func startRole(ctx context.Context, dir, role string, s spec) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return start(exec.CommandContext(ctx, self, role, string(text)), filepath.Join(dir, role+".log"))
}

// start starts a process and waits until it has printed its address.
func start(cmd *exec.Cmd, logFile string) (*child, error) {
	c := &child{cmd: cmd, done: make(chan struct{})}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stderr = log
	dieWithParent(cmd)
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // its status says nothing: it is ended by us
		close(c.done)
	}()
	found := address.FindAllString(line, 2)
	if len(found) == 0 {
		c.stop()
		text, _ := os.ReadFile(logFile)
		return nil, fmt.Errorf("%s did not start: %s%s", filepath.Base(cmd.Path), line, text)
	}
	if c.addr = found[0]; len(found) > 1 {
		c.admin = found[1]
	}
	return c, nil
}

// startLimit is how long a peer may take until it listens.
const startLimit = 120 * time.Second

// startListening starts a process that does not say when it is ready, and waits until it listens on addr.
func startListening(ctx context.Context, cmd *exec.Cmd, addr, logFile string) (*child, error) {
	c := &child{cmd: cmd, addr: addr, done: make(chan struct{})}
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	dieWithParent(cmd)
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = cmd.Wait()
		close(c.done)
	}()
	for limit := time.Now().Add(startLimit); time.Now().Before(limit) && ctx.Err() == nil && !c.ended(); sleep(ctx, 50*time.Millisecond) {
		var d net.Dialer
		if conn, err := d.DialContext(ctx, "tcp", addr); err == nil {
			conn.Close()
			return c, nil
		}
	}
	c.stop()
	text, _ := os.ReadFile(logFile)
	return nil, fmt.Errorf("%s does not listen: %s", filepath.Base(cmd.Path), lastLine(text))
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

func (c *child) pid() int { return c.cmd.Process.Pid }

// stop ends the process: by the end of its input, by an interrupt, by force.
func (c *child) stop() {
	c.in.Close()
	_ = c.cmd.Process.Signal(os.Interrupt) // fails where there is no such thing
	select {
	case <-c.done:
	case <-time.After(3 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}
