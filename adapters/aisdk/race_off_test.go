//go:build !race

package aisdk

const raceEnabled = false
