//go:build !race

package proxy

// raceEnabled excludes allocation tests: the race detector allocates.
const raceEnabled = false
