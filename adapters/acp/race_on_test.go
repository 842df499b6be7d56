//go:build race

package acp_test

// raceEnabled: the race detector allocates.
const raceEnabled = true
