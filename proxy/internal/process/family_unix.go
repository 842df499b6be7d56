//go:build unix && !linux

package process

import (
	"os"
	"syscall"
	"time"
)

// killWait is how long KILL may take.
const killWait = 10 * time.Second

// family is an agent and what is in its process group. Here, nothing else can be found.
type family struct {
	process *os.Process
	pid     int
	ended   chan struct{} // closed when the agent itself has exited
	exit    string
}

func startFamily(_, program string, argv []string, attr *os.ProcAttr) (*family, error) {
	attr.Sys = &syscall.SysProcAttr{Setsid: true}
	process, err := os.StartProcess(program, argv, attr)
	if err != nil {
		return nil, err
	}
	f := &family{process: process, pid: process.Pid, ended: make(chan struct{})}
	go f.wait()
	return f, nil
}

func (f *family) wait() {
	if state, err := f.process.Wait(); err == nil {
		f.exit = state.String()
	}
	close(f.ended)
}

// alive reports whether anything of the group is there.
func (f *family) alive() bool { return syscall.Kill(-f.pid, 0) == nil }

func (f *family) terminate() {
	_ = syscall.Kill(-f.pid, syscall.SIGTERM)
	_ = syscall.Kill(-f.pid, syscall.SIGCONT)
}

// interrupt asks the process group to stop what it does.
func (f *family) interrupt() { _ = syscall.Kill(-f.pid, syscall.SIGINT) }

// kill kills the group. How many do not die is not known here, but whether.
func (f *family) kill() (left int) {
	until := time.Now().Add(killWait)
	for f.alive() {
		if time.Now().After(until) {
			return 1
		}
		_ = syscall.Kill(-f.pid, syscall.SIGKILL)
		time.Sleep(time.Millisecond)
	}
	return 0
}

func (f *family) memory() int64 { return 0 }

func (f *family) close() {}
