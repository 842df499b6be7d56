//go:build !linux

package main

import (
	"errors"
	"os/exec"
)

var errUnsupported = errors.New("processes are watched on Linux only")

func dieWithParent(*exec.Cmd) {}

func resident(int) (int64, error) { return 0, errUnsupported }

func peak(int) (int64, error) { return 0, errUnsupported }

func resetPeak(int) error { return errUnsupported }

func openFiles(int) (int, error) { return 0, errUnsupported }

func moreFiles() {}

// supported reports whether the process can be watched from outside.
const supported = false
