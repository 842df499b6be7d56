//go:build !linux

package main

import (
	"context"
	"errors"
)

// soakReport is never made here.
type soakReport struct{ Faults []string }

func (*soakReport) write(string) error { return nil }

func runSoak(context.Context, *suite) (*soakReport, error) {
	return nil, errors.New("the soak needs Linux, where a process can be watched from outside")
}
