package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
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
