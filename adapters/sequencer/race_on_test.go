//go:build race

package sequencer_test

// raceEnabled: the race detector allocates, so allocations are not counted under it.
const raceEnabled = true
