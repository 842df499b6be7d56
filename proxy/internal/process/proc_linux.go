package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// proc is one process of the system as /proc shows it.
type proc struct {
	ident
	parent, group, session int
	zombie                 bool
	memory                 int64
}

// ident is a process for ever: the number alone is used again.
type ident struct {
	pid   int
	start uint64 // ticks since the system has started
}

// processes lists all processes that are there.
func processes() (map[int]proc, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	all := make(map[int]proc, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue // no process
		}
		p, err := readProc(pid)
		switch {
		case err == nil:
			all[pid] = p
		case err != unix.ENOENT && err != unix.ESRCH: // it has not just ended, so the list would be wrong
			return nil, err
		}
	}
	return all, nil
}

// readProc reads /proc/<pid>/stat.
func readProc(pid int) (proc, error) {
	var buf [1024]byte
	n, err := readFile("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return proc{}, err
	}
	return parseStat(pid, buf[:n])
}

// parseStat reads a line of proc_pid_stat(5). The name of the program stands in parentheses and may hold anything.
func parseStat(pid int, line []byte) (proc, error) {
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) < 22 {
		return proc{}, fmt.Errorf("/proc/%d/stat is not understood: %q", pid, line)
	}
	field := func(number int) int64 { // as the manual counts
		v, _ := strconv.ParseInt(string(fields[number-3]), 10, 64)
		return v
	}
	return proc{
		ident:  ident{pid: pid, start: uint64(field(22))},
		parent: int(field(4)), group: int(field(5)), session: int(field(6)),
		zombie: fields[0][0] == 'Z', memory: field(24) * int64(os.Getpagesize()),
	}, nil
}

// readFile fills buf with the beginning of a file and returns how much that is. Files of /proc need no polling, so this is
// much cheaper than os.ReadFile.
func readFile(name string, buf []byte) (n int, err error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	for n < len(buf) {
		k, err := unix.Read(fd, buf[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return n, err
		case k == 0:
			return n, nil
		default:
			n += k
		}
	}
	return n, nil
}

// signal sends a signal to this process, and never to another one that has got its number meanwhile.
func (p proc) signal(sig unix.Signal) {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, gone := readProc(p.pid); gone == nil && now.ident != p.ident {
		return
	}
	if err != nil { // an old system, or no descriptors left
		_ = unix.Kill(p.pid, sig)
		return
	}
	_ = unix.PidfdSendSignal(fd, sig, nil, 0)
}

// maxMarks is enough for any sensible environment.
const maxMarks = 256 << 10

// marks are what may tell whose a process is: its control group, and the environment that its program was started with, unless
// the program has written over it. There are none of dead processes, and no environments of other users' processes.
func (p proc) marks(buf []byte) []byte {
	dir := "/proc/" + strconv.Itoa(p.pid)
	n, _ := readFile(dir+"/cgroup", buf)
	m, _ := readFile(dir+"/environ", buf[n:])
	return buf[:n+m]
}
