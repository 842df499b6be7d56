package process

import (
	"os"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// killWait is how long KILL may take: processes that wait for a broken disk or file server do not die.
const killWait = 10 * time.Second

// maxFreezes bounds the attempts to stop everything before it is killed.
const maxFreezes = 50

// family is an agent and all that it has started.
type family struct {
	id      string
	cgroup  cgroup
	process *os.Process
	pid     int
	start   uint64
	ended   chan struct{} // closed when the agent itself has exited; it stays in the table of processes until close
	exit    string
	killing bool // all that is left is to be killed
}

func startFamily(id, program string, argv []string, attr *os.ProcAttr) (*family, error) {
	f := &family{id: id, ended: make(chan struct{})}
	var err error
	keep.hold() // until close, so that the thread lives on
	keep.do(func() { err = keep.start(f, program, argv, attr) })
	if err != nil {
		keep.release()
		return nil, err
	}
	go f.wait()
	return f, nil
}

// wait waits for the end of the agent itself, and leaves it in the table of processes: as long as it is there, its number and
// with it its process group are not used again.
func (f *family) wait() {
	var info unix.Siginfo
	if !f.poll(&info) {
		_ = f.waitid(&info, 0)
	}
	f.exit = exitOf(&info)
	close(f.ended)
}

// poll waits for the end without a thread of its own, which holds as much memory as all else of a process that waits. It reports false
// where the kernel is too old for that.
func (f *family) poll(info *unix.Siginfo) bool {
	fd, err := unix.PidfdOpen(f.pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	file := os.NewFile(uintptr(fd), "pidfd")
	defer file.Close()
	raw, err := file.SyscallConn()
	if err != nil {
		return false
	}
	var failed error
	err = raw.Read(func(uintptr) bool {
		failed = f.waitid(info, unix.WNOHANG)
		return failed != nil || info.Signo != 0
	})
	return err == nil && failed == nil
}

// waitid asks for the end of the agent, and waits for it without WNOHANG.
func (f *family) waitid(info *unix.Siginfo, options int) error {
	for {
		err := unix.Waitid(unix.P_PID, f.pid, info, unix.WEXITED|unix.WNOWAIT|options, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// exitOf reads what waitid(2) has filled in: behind three numbers and the padding of a pointer, those of the process, of the
// user, and the status.
func exitOf(info *unix.Siginfo) string {
	const statusAt = 4 + unsafe.Sizeof(uintptr(0))/4
	status := (*[8]int32)(unsafe.Pointer(info))[statusAt]
	switch info.Code {
	case 1: // CLD_EXITED
		return "exit status " + strconv.Itoa(int(status))
	case 2, 3: // CLD_KILLED, CLD_DUMPED
		return "signal: " + unix.Signal(status).String()
	}
	return ""
}

func (f *family) isEnded() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}

// alive reports whether anything of the family still runs.
func (f *family) alive() bool {
	left := 0
	keep.do(func() { left = count(f.members()) })
	return left > 0 || !f.isEnded()
}

// members returns what the agent has started. It runs in the keeper.
func (f *family) members() ([]member, error) {
	members, err := keep.scan()
	return keep.of(f, members), err
}

// count counts at least one if there may be members that could not be seen.
func count(members []member, err error) int {
	if err != nil {
		return max(1, len(members))
	}
	return len(members)
}

// terminate asks the process group to end. A stopped process needs CONT to do so.
func (f *family) terminate() {
	_ = unix.Kill(-f.pid, unix.SIGTERM)
	_ = unix.Kill(-f.pid, unix.SIGCONT)
}

// interrupt asks the process group to stop what it does.
func (f *family) interrupt() { _ = unix.Kill(-f.pid, unix.SIGINT) }

// kill kills the family and returns how many processes do not die.
func (f *family) kill() (left int) {
	until := time.Now().Add(killWait)
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		ended := f.isEnded() // asked before: an agent that ends during the scan may have hidden others from it
		keep.do(func() { left = f.strike() })
		if !ended {
			left++
		}
		if left == 0 || time.Now().After(until) {
			return left
		}
		time.Sleep(pause)
	}
}

// strike stops everything, kills it, and returns how many there were. Those whose parents are dead may be gone only at the
// next time. The group gets its signals also as a whole: that needs no descriptor, and nothing in it escapes by forking.
func (f *family) strike() int {
	f.killing = true
	f.cgroup.kill()
	_ = unix.Kill(-f.pid, unix.SIGSTOP)
	members, err := f.freeze()
	_ = unix.Kill(-f.pid, unix.SIGKILL)
	for _, m := range members {
		m.signal(unix.SIGKILL)
	}
	return count(members, err)
}

// freeze stops all members, so that none is born while others are killed.
func (f *family) freeze() ([]member, error) {
	stopped := make(map[ident]bool)
	members, err := f.members()
	for range maxFreezes {
		born := false
		for _, m := range members {
			if !m.zombie && !stopped[m.ident] {
				m.signal(unix.SIGSTOP)
				stopped[m.ident] = true
				born = true
			}
		}
		if !born {
			break
		}
		f.chase(stopped)
		members, err = f.members()
	}
	return members, err
}

// memory adds up what is resident.
func (f *family) memory() (sum int64) {
	if f.isEnded() {
		return 0
	}
	keep.do(func() {
		members, _ := keep.scan()
		for _, m := range members {
			if m.family == f {
				sum += m.memory
			}
		}
	})
	return sum
}

// close removes the agent from the table of processes and forgets it.
func (f *family) close() {
	ended := f.isEnded()
	keep.do(func() {
		if ended {
			_, _ = f.process.Wait()
		} else {
			_ = f.process.Release()
		}
		keep.forget(f)
	})
	f.cgroup.remove()
	keep.release()
}
