//go:build !unix

package main

import "time"

// cpuTime is 0: the time of processors that the process has used is not known.
func cpuTime() time.Duration { return 0 }
