package process

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// reapDelay is how long an orphan that has died stays in the table of processes at most.
const reapDelay = 200 * time.Millisecond

// keep is one for the program, since Sabir adopts all orphans alike.
var keep keeper

// keeper starts agents and finds what descends from them. All that happens on one goroutine, for two reasons: a scan never
// meets an agent that is started but not known yet, and the death of the thread that has started an agent would kill the agent.
// The goroutine runs as long as there are agents.
type keeper struct {
	mu    sync.Mutex
	users int
	jobs  chan func()
	ended chan struct{} // closed when the goroutine has ended

	// These belong to the goroutine.
	families []*family
	seen     map[ident]*family // whom the processes of the last scan belonged to
	since    uint64            // when the first agent was started
	marks    []byte            // memory for those of one process
	adopts   bool
	session  int // Sabir's own
}

// hold keeps the goroutine until release.
func (k *keeper) hold() chan<- func() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users++; k.users == 1 {
		before := k.ended // it may still be in a scan
		k.jobs, k.ended = make(chan func()), make(chan struct{})
		go k.run(k.jobs, before, k.ended)
	}
	return k.jobs
}

func (k *keeper) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.users--; k.users == 0 {
		close(k.jobs)
	}
}

// do runs a job while nothing is started, scanned or reaped.
func (k *keeper) do(job func()) {
	jobs := k.hold()
	defer k.release()
	done := make(chan struct{})
	jobs <- func() { defer close(done); job() }
	<-done
}

// run does jobs when the goroutine before it, if there was one, has ended.
func (k *keeper) run(jobs <-chan func(), before <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	if before != nil {
		<-before
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	died := make(chan os.Signal, 1)
	signal.Notify(died, unix.SIGCHLD)
	defer signal.Stop(died)
	var soon <-chan time.Time
	for {
		select {
		case job, ok := <-jobs:
			if !ok {
				return
			}
			job()
		case <-died:
			if soon == nil {
				soon = time.After(reapDelay)
			}
		case <-soon:
			soon = nil
			_, _ = k.scan()
		}
	}
}

// adopt makes Sabir the parent of orphans, before the first agent is started.
func (k *keeper) adopt() error {
	if k.adopts {
		return nil
	}
	self, err := readProc(os.Getpid())
	if err != nil {
		return fmt.Errorf("agents need /proc: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	k.session, k.adopts = self.session, true
	return closeOnExec()
}

// closeOnExec keeps from agents what Sabir itself was started with. All that it opens later is kept from them anyway.
func closeOnExec() error {
	open, err := os.ReadDir("/proc/self/fd")
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return err
}

// start starts an agent in a session and, if possible, in a control group of its own.
func (k *keeper) start(f *family, program string, argv []string, attr *os.ProcAttr) error {
	err := k.adopt()
	if err != nil {
		return err
	}
	// If Sabir is killed, the agent is killed as well.
	attr.Sys = &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
	f.cgroup = newCgroup(f.id)
	if f.process, err = startInCgroup(f.cgroup, program, argv, attr); err != nil {
		f.process, err = os.StartProcess(program, argv, attr)
		if err == nil && f.cgroup != "" {
			cgroupParent = func() string { return "" } // what does not work once never does
		}
		f.cgroup.remove()
		f.cgroup = ""
	}
	if err != nil {
		return err
	}
	k.add(f)
	return nil
}

func (k *keeper) add(f *family) {
	f.pid = f.process.Pid
	p, _ := readProc(f.pid)
	f.start = p.start
	if k.since == 0 {
		k.since = f.start
	}
	k.families = append(k.families, f)
}

// startInCgroup fails if there is no control group.
func startInCgroup(c cgroup, program string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	fd, err := unix.Open(string(c), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	within, sys := *attr, *attr.Sys
	sys.UseCgroupFD, sys.CgroupFD = true, fd
	within.Sys = &sys
	return os.StartProcess(program, argv, &within)
}

// forget gives up an agent that has been ended.
func (k *keeper) forget(f *family) {
	k.families = slices.DeleteFunc(k.families, func(g *family) bool { return g == f })
}

// member is a process that an agent has started.
type member struct {
	proc
	root   proc    // the child of Sabir that it descends from
	family *family // nil: that of one of several agents
}

// scan looks at all processes, reaps orphans that have died, and returns all that agents have started, with the agents and
// what was reaped. If it returns none, there is none: what forks away during the scan leaves a parent behind that is found,
// alive or dead, because only Sabir removes the dead among its children.
func (k *keeper) scan() ([]member, error) {
	all, err := processes()
	if err != nil {
		return nil, err
	}
	var members []member
	seen := make(map[ident]*family)
	judged := make(map[int]member)
	for _, p := range all {
		m := member{proc: p, family: k.known(p)}
		if root, ok := rootOf(all, p); ok {
			verdict, again := judged[root.pid]
			if !again {
				verdict = k.judge(root)
				judged[root.pid] = verdict
			}
			m.root, m.family = verdict.root, verdict.family
		}
		if m.root.pid == 0 && m.family == nil {
			continue // none of an agent's
		}
		if m.family != nil {
			seen[p.ident] = m.family
		}
		members = append(members, m)
	}
	k.seen = seen
	k.reap(members)
	return members, nil
}

// rootOf climbs to the child of Sabir that a process descends from. There is none if a process between them has just died.
func rootOf(all map[int]proc, p proc) (proc, bool) {
	self := os.Getpid()
	for range len(all) { // numbers that are used again could make a circle
		if p.parent == self {
			return p, true
		}
		next, ok := all[p.parent]
		if !ok {
			return proc{}, false
		}
		p = next
	}
	return proc{}, false
}

// judge says whose a child of Sabir is, and what descends from it. The member is empty if that is none of an agent's.
func (k *keeper) judge(p proc) member {
	for _, f := range k.families {
		if p.pid == f.pid || p.session == f.pid || p.group == f.pid { // f.pid is not used again before f is forgotten
			return member{root: p, family: f}
		}
	}
	// Every agent has a session of its own, and no process comes back to another session.
	if p.session == k.session || p.start < k.since {
		return member{}
	}
	if f := k.known(p); f != nil {
		return member{root: p, family: f}
	}
	if k.marks == nil {
		k.marks = make([]byte, maxMarks)
	}
	marks := p.marks(k.marks)
	for _, f := range k.families {
		if bytes.Contains(marks, []byte(f.id)) {
			return member{root: p, family: f}
		}
	}
	return member{root: p}
}

// known says whose a process was in the last scan.
func (k *keeper) known(p proc) *family {
	if f := k.seen[p.ident]; slices.Contains(k.families, f) {
		return f
	}
	return nil
}

// reap removes dead orphans. It never takes the end of a child from somebody who waits for it: agents are left to their
// families, and children that were started by other means are no members.
func (k *keeper) reap(members []member) {
	for _, m := range members {
		agent := slices.ContainsFunc(k.families, func(f *family) bool { return f.pid == m.pid })
		if m.zombie && m.parent == os.Getpid() && !agent {
			_, _ = unix.Wait4(m.pid, nil, unix.WNOHANG, nil)
		}
	}
}

// of returns the members that are the family's, without the agent itself.
func (k *keeper) of(f *family, members []member) []member {
	return slices.DeleteFunc(slices.Clone(members), func(m member) bool {
		return m.pid == f.pid || m.family != f && (m.family != nil || k.mayBelongToRunning(m))
	})
}

// mayBelongToRunning says whether an agent that is not to be killed may have started m.
func (k *keeper) mayBelongToRunning(m member) bool {
	return slices.ContainsFunc(k.families, func(f *family) bool { return !f.killing && f.start <= m.root.start })
}
