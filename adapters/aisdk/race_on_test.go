//go:build race

package aisdk

const raceEnabled = true
