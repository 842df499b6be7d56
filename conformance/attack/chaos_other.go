//go:build !linux

package main

// chaosAttacks need what this system does not have.
func chaosAttacks() []*attack { return nil }
