//go:build race

package simplified_test

const raceEnabled = true
