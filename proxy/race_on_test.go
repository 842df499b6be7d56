//go:build race

package proxy

// raceEnabled excludes tests of allocations, as the race detector allocates, and long ones of a single goroutine.
const raceEnabled = true
