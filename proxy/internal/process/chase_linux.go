package process

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	maxLooks  = 5000 // at the children of Sabir, in one chase
	quietLook = 50   // so many without news end the chase; together they take longer than a program takes to start
)

// chase stops what outruns scans: processes that start their successor and end. Their parents are dead, so each of them is a
// child of Sabir for most of its life, and those are listed much faster than all processes.
func (f *family) chase(stopped map[ident]bool) {
	for looks, quiet := 0, 0; looks < maxLooks && quiet < quietLook; looks++ {
		quiet++
		for _, p := range keep.children() {
			if stopped[p.ident] {
				continue
			}
			m := keep.judge(p)
			m.proc = p
			if m.root.pid == 0 || len(keep.of(f, []member{m})) == 0 {
				continue
			}
			_ = unix.Kill(p.pid, unix.SIGSTOP) // its number is not used again before it is reaped
			stopped[p.ident] = true
			quiet = 0
		}
	}
}

// children lists the living children of Sabir outside its session, and reaps dead ones. A kernel that cannot list them
// leaves it to the scans.
func (k *keeper) children() (living []proc) {
	self := os.Getpid()
	buf := make([]byte, 16<<10)
	n, _ := readFile("/proc/self/task/"+strconv.Itoa(self)+"/children", buf) // the main thread is the one that adopts
	for _, number := range bytes.Fields(buf[:n]) {
		pid, _ := strconv.Atoi(string(number))
		p, err := readProc(pid)
		switch {
		case err != nil || p.parent != self || p.session == k.session:
		case p.zombie:
			k.reap([]member{{proc: p}})
		default:
			living = append(living, p)
		}
	}
	return living
}
