//go:build !unix

package main

import "os"

// restartSignals receives nothing: there is no such signal here.
func restartSignals() (signals <-chan os.Signal, stop func()) { return nil, func() {} }
