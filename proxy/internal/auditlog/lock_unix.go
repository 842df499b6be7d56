//go:build unix

package auditlog

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock waits until no other process writes to the file.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX) }

func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
