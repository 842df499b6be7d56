//go:build race

package tagsplit_test

// raceEnabled: the race detector allocates, so allocations are not counted under it.
const raceEnabled = true
