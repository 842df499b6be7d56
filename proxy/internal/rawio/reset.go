package rawio

import (
	"errors"
	"syscall"
)

// IsReset recognises the error of a connection that was reset.
func IsReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
