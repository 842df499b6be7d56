package rawio

import "errors"

// ErrWake says that the time to wait is over, and nothing has arrived.
var ErrWake = errors.New("nothing arrived in time")

// IsTimeout recognises the timeouts of sockets, of contexts and of fasthttp alike.
func IsTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
