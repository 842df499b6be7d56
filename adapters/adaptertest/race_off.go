//go:build !race

package adaptertest

// raceEnabled: the race detector allocates, so allocations are not counted under it.
const raceEnabled = false
