//go:build race

package bench_test

// raceEnabled says that allocations cannot be counted: the race detector makes its own.
const raceEnabled = true
