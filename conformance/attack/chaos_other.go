//go:build !linux

package main

import (
	"context"
	"errors"
)

// chaosAttacks need what this system does not have.
func chaosAttacks() []*attack { return nil }

func (*suite) seamed(context.Context) (string, error) {
	return "", errors.New("the program with seams is for Linux")
}
