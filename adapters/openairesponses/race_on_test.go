//go:build race

package openairesponses

const raceEnabled = true
