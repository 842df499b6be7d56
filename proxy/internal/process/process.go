// Package process runs an agent as a child process, and ends it together with everything that it has started.
//
//	process.go          starting and ending one agent
//	program.go          what is to be run: the program is found, mistakes are named
//	input.go, lines.go  its stdin and its stdout
//	messages.go         the same, where messages have headers in place of line ends
//	stderr.go           its stderr, line by line
//	family_linux.go     what an agent has started: signals to all of it
//	keeper_linux.go     the one goroutine that starts agents, finds their descendants and reaps orphans
//	chase_linux.go      stopping processes that outrun scans
//	proc_linux.go       what /proc says of processes
//	cgroup_linux.go     a control group per agent, where Sabir may make one
//	family_unix.go      other systems: the process group
//
// # What is ended
//
// Tools of agents run in sessions of their own, so that a signal to the process group does not reach them. On Linux, Sabir
// becomes a child subreaper: whatever an agent starts remains a descendant of Sabir, however often it forks, and whoever dies
// in between. Every scan of /proc therefore finds all of it, and End scans until there is nothing left. Processes are stopped
// before they are killed, so that none of them starts another meanwhile.
//
// While several agents run, an orphan has to be assigned to one of them. In this order: it has been seen as a descendant
// before; it is in the agent's session or process group; it is in the agent's control group; its environment holds the agent's
// SABIR_PROCESS. An orphan that nothing assigns (no control groups here, environment cleared, session of its own, forked twice
// between two scans) lives as long as an agent runs that may have started it, and is killed with the last of these.
//
// Where Sabir may make control groups (version 2: root, or delegated to its user, as with Delegate= of systemd), each agent
// gets one. The kernel kills its members all at once, and no process can leave it by forking.
//
// # What is not
//
//   - What an agent asks others to start (a container engine, systemd-run, cron, a remote host) is no descendant of it.
//   - Programs that gain the rights of another user (sudo) can be killed only by that user or root: Left counts them.
//   - If Sabir itself is killed, the agents are killed with it, but not what they have started. A control group of the whole
//     service (systemd, a container) ends that as well.
//   - On other systems than Linux, the process group is all that is ended.
//
// A program that uses this package starts no child with a session of its own by other means: it would be taken for an orphan.
// The same holds for orphans of a shell that somebody has opened in a container where Sabir is the first process.
package process

import (
	"crypto/rand"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Spec says what to run.
type Spec struct {
	Command []string // program and arguments; the program is looked up in PATH of Env
	Dir     string   // working directory; must exist
	Env     []string // the whole environment, nothing is inherited; SABIR_PROCESS is added
	MaxLine int      // longest line of stdout, in bytes; a longer one ends the stream with ErrLongLine
	Headers bool     // stdin and stdout have messages with a header that says their length, in place of lines; here they are lines
	Stderr  Stderr   // nil: dropped
	Grace   Grace    // how long each step of End may take
}

// Grace says how long End waits for the agent before it uses more force.
type Grace struct {
	Stdin time.Duration // after stdin was closed
	Term  time.Duration // after TERM; then KILL
}

// marker is the variable that tells the descendants of one agent from those of another.
const marker = "SABIR_PROCESS"

// Process is an agent that was started.
type Process struct {
	family *family
	grace  Grace
	in     *input
	out    *lines
	errs   *stderr
	end    sync.Once
	left   atomic.Int32
}

// Start starts an agent. End must be called later, even if the agent ends by itself.
func Start(s Spec) (*Process, error) {
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	std, err := newPipes()
	if err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", program, err)
	}
	id := rand.Text()
	attr := &os.ProcAttr{Dir: s.Dir, Env: s.environment(id), Files: std.child[:]}
	f, err := startFamily(id, program, s.Command, attr)
	std.closeChild()
	if err != nil {
		std.closeOurs()
		return nil, startError(program, err)
	}
	p := &Process{
		family: f, grace: s.Grace,
		in: newInput(std.stdin), out: newLines(std.stdout, s.MaxLine), errs: drain(std.stderr, s.Stderr),
	}
	if s.Headers {
		p.in.headers, p.out.msgs = true, newMessages(s.MaxLine)
	}
	if !running.add(p) {
		p.Kill()
		return nil, startError(program, errEnding)
	}
	return p, nil
}

// Pid is the number of the process itself.
func (p *Process) Pid() int { return p.family.pid }

// Send writes lines to stdin. It never blocks beyond until; then, the error is os.ErrDeadlineExceeded. If a part had been
// written by then, nothing more can be sent. Calls may overlap.
func (p *Process) Send(lines []byte, until time.Time) error { return p.in.send(lines, until) }

// CloseInput ends stdin: the agent has all that it is to read.
func (p *Process) CloseInput() { p.in.close() }

// Interrupt sends what a terminal sends for Ctrl-C, to the process group, as terminals do: programs run others that wait for it. It has
// no effect when the process itself has ended.
func (p *Process) Interrupt() {
	select {
	case <-p.family.ended:
	default:
		p.family.interrupt()
	}
}

// Next blocks for the next piece of stdout and appends it to dst: whole lines only, each with its line end, as many as are
// there up to some 64 KiB; a last line without an end gets one. The error is io.EOF after the last line, and it stays. There
// is one reader at a time.
//
// The stream ends when no process holds stdout open any more. That may be long after the process itself has exited, if something
// that it has started holds it: see Ended, and call End. What is still in the pipe when End returns can be read. What is not
// read stays in the pipe, so an agent that has much to say before it ends can do so only while Next is called.
func (p *Process) Next(dst []byte) ([]byte, error) { return p.out.next(dst) }

// NextUntil is Next for a reader that waits until a time at most, or until Wake: the error is os.ErrDeadlineExceeded then. After any other
// error, Next says what is left, and how stdout has ended.
func (p *Process) NextUntil(dst []byte, until time.Time) ([]byte, error) {
	return p.out.nextUntil(dst, until)
}

// Wake makes NextUntil return: the one that waits, or else the next one.
func (p *Process) Wake() { p.out.wake() }

// Ended is closed when the process itself has exited, by itself or not. What it has started may still run.
func (p *Process) Ended() <-chan struct{} { return p.family.ended }

// Exit says, for the log, how the process itself has ended: "exit status 3", "signal: killed"; "" while it runs. It says
// nothing about success: many agents return 0 or 1 as it happens.
func (p *Process) Exit() string {
	select {
	case <-p.family.ended:
		return p.family.exit
	default:
		return ""
	}
}

// Succeeded reports whether the process itself has ended with status 0, which counts for those programs that end their work by it.
func (p *Process) Succeeded() bool { return p.Exit() == "exit status 0" }

// Memory is what the agent and everything that it has started hold in memory, in bytes. What they share counts more than
// once. It is 0 where that is not known.
func (p *Process) Memory() int64 { return p.family.memory() }

// Left is how many processes End has left behind because not even KILL ends them: they belong to another user, or the system
// does not let go of them. It is meant for the log, and 0 before End has returned.
func (p *Process) Left() int { return int(p.left.Load()) }

// End ends the agent and everything that it has started: it closes stdin and waits, sends TERM to the process group and
// waits, and sends KILL to all of it until nothing is left. It returns after that. It may be called more than once and from
// several goroutines; all of them wait for the end. A Next or Send that blocks returns.
func (p *Process) End() { p.end.Do(p.stop) }

// Kill ends the agent as End does, without waiting for it to end by itself. It has no effect while End is at work.
func (p *Process) Kill() {
	p.end.Do(func() {
		p.grace = Grace{}
		p.stop()
	})
}

func (p *Process) stop() {
	p.in.close()
	p.endsWithin(p.grace.Stdin)
	if p.family.alive() {
		p.family.terminate()
		p.goneWithin(p.grace.Term)
	}
	p.left.Store(int32(p.family.kill()))
	p.out.finish()
	p.errs.finish()
	running.remove(p)
	p.family.close()
}

// endsWithin waits for the end of the process itself.
func (p *Process) endsWithin(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.family.ended:
	case <-t.C:
	}
}

// goneWithin waits for the end of everything. Nothing tells when the last orphan ends, so it looks again and again.
func (p *Process) goneWithin(d time.Duration) {
	until := time.Now().Add(d)
	for pause := time.Millisecond; p.family.alive(); pause = min(2*pause, maxPause) {
		rest := time.Until(until)
		if rest <= 0 {
			return
		}
		p.pause(min(pause, rest))
	}
}

// maxPause is the longest time between two looks at what is left.
const maxPause = 50 * time.Millisecond

// pause waits, but no longer than the process itself runs.
func (p *Process) pause(d time.Duration) {
	select {
	case <-p.family.ended:
		time.Sleep(d)
	default:
		p.endsWithin(d)
	}
}

// pipes are the three streams, from both sides.
type pipes struct {
	child                 [3]*os.File
	stdin, stdout, stderr *os.File
}

func newPipes() (*pipes, error) {
	var p pipes
	var errs [3]error
	p.child[0], p.stdin, errs[0] = os.Pipe()
	p.stdout, p.child[1], errs[1] = os.Pipe()
	p.stderr, p.child[2], errs[2] = os.Pipe()
	for _, err := range errs {
		if err != nil {
			p.closeChild()
			p.closeOurs()
			return nil, err
		}
	}
	return &p, nil
}

func (p *pipes) closeChild() { closeAll(p.child[:]...) }

func (p *pipes) closeOurs() { closeAll(p.stdin, p.stdout, p.stderr) }

// closeAll closes files; nil ones were never opened.
func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
