package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent makes sure that no process is left behind if this one is killed.
func dieWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// resident is how many bytes of a process are in memory.
func resident(pid int) (int64, error) { return statusField(pid, "VmRSS:") }

// peak is the most that was in memory since the last call of resetPeak.
func peak(pid int) (int64, error) { return statusField(pid, "VmHWM:") }

// resetPeak makes peak begin anew (man 5 proc, clear_refs).
func resetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

func statusField(pid int, name string) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			n, err := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("there is no field %s", name)
}

// openFiles is how many descriptors a process holds.
func openFiles(pid int) (int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(entries), err
}

// moreFiles lets this process open as many files as the system allows.
func moreFiles() {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil {
		l.Cur = l.Max
		_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &l)
	}
}

// supported reports whether the process can be watched from outside.
const supported = true
