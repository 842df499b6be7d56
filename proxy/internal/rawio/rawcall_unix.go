// The race detector follows what passes through sockets by the calls of package syscall.

//go:build unix && (!linux || race)

package rawio

import "syscall"

func rawRead(fd uintptr, p []byte) (int, error) { return syscall.Read(int(fd), p) }

func rawWrite(fd uintptr, p []byte) (int, error) { return syscall.Write(int(fd), p) }
