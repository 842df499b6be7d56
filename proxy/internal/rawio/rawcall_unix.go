//go:build unix && !linux

package rawio

import "syscall"

func rawRead(fd uintptr, p []byte) (int, error) { return syscall.Read(int(fd), p) }

func rawWrite(fd uintptr, p []byte) (int, error) { return syscall.Write(int(fd), p) }
