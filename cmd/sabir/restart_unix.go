//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// restartSignals receives the signals that ask for a hot restart.
func restartSignals() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR2)
	return c, func() { signal.Stop(c) }
}
