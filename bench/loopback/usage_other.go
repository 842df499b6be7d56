//go:build !linux

package main

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// Elsewhere than on Linux streams are checked and timed, but what a process uses is not known.
var errUsage = errors.New("the use of CPU and memory is measured on Linux only")

func dieWithParent(*exec.Cmd) {}

func cpuTime(int) (time.Duration, error) { return 0, errUsage }

func resident(int) (int64, error) { return 0, errUsage }

func machineTime() (time.Duration, error) { return 0, errUsage }

func machineName() string { return runtime.GOOS + "/" + runtime.GOARCH }

func family(pid int) []int { return []int{pid} }

// moreFiles does not know how many files there may be.
func moreFiles() int { return 0 }
