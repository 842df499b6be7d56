package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dieWithParent makes sure that no process is left behind if this one is killed.
func dieWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

// cpuTime is how long all threads of a process have run, those that have ended included. It reads the clock of the
// process, which counts in nanoseconds where /proc counts in hundredths of a second.
func cpuTime(pid int) (time.Duration, error) {
	const schedClock = 2 // CPUCLOCK_SCHED of linux/posix-timers.h
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedClock), &t); err != nil {
		return 0, fmt.Errorf("cannot read the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// family lists a process and all that it has started, and those, as far as they live.
func family(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		if err != nil {
			continue
		}
		for _, f := range files {
			text, _ := os.ReadFile(f) // the thread may have ended
			for _, word := range strings.Fields(string(text)) {
				if child, err := strconv.Atoi(word); err == nil {
					all = append(all, child)
				}
			}
		}
	}
	return all
}

// moreFiles lets this process and those it starts open as many files as the system allows, and returns how many.
func moreFiles() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	// Not by package unix: package syscall knows that it was called, and leaves the limit to what is started.
	most := syscall.Rlimit{Cur: max(l.Max, 1<<18), Max: max(l.Max, 1<<18)} // who may raise the upper limit does
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &most) != nil {
		most = syscall.Rlimit{Cur: l.Max, Max: l.Max}
		_ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &most)
	}
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) != nil {
		return 0
	}
	return int(min(l.Cur, 1<<30))
}

// resident is how many bytes of a process are in memory.
func resident(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	return fieldKB(text, "Rss:")
}

func fieldKB(text []byte, name string) (int64, error) {
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte(name)); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(string(bytes.TrimSpace(rest)), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("there is no field %s", name)
}

// machineTime is how long all processors have worked so far, for whomever; time taken by other guests of the same
// host counts as well.
func machineTime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux that Go runs on
	var busy time.Duration
	for i, f := range strings.Fields(line) {
		const idle, iowait, guest = 4, 5, 9 // guest time is part of user time
		if i == 0 || i == idle || i == iowait || i >= guest {
			continue
		}
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		busy += time.Duration(n) * tick
	}
	return busy, nil
}

// machineName describes the processor and the kernel.
func machineName() string {
	model := "unknown processor"
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return model
	}
	return model + ", Linux " + unix.ByteSliceToString(u.Release[:])
}
