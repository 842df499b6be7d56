//go:build unix

package bench_test

import (
	"syscall"
	"time"
)

// cpuTime is how long the threads of this process have run. Unlike the time on the wall it does not grow while other
// programs have the processor.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
