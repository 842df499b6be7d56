//go:build !race

package datastream_test

const raceEnabled = false
