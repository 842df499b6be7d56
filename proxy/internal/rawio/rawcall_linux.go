//go:build !race

package rawio

import (
	"syscall"
	"unsafe"
)

// rawRead reads from a socket that does not block. It does not tell the scheduler that it is in a system call: one that
// cannot wait is over before that would pay, and the word costs a tenth of what a paced event does.
func rawRead(fd uintptr, p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// rawWrite is the same for writing.
func rawWrite(fd uintptr, p []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}
