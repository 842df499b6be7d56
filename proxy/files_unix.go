//go:build unix

package proxy

import "syscall"

// raiseFileLimit raises the limit of open files as far as the system allows, and returns what it is now; 0 if that is not
// known. Go does so when a program starts, unless something has lowered it since.
func raiseFileLimit() (soft, hard uint64) {
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return 0, 0
	}
	soft, hard = uint64(l.Cur), uint64(l.Max) //nolint:unconvert // some systems have signed ones
	if soft < hard {
		l.Cur = l.Max
		if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l) == nil {
			soft = hard
		}
	}
	return soft, hard
}
