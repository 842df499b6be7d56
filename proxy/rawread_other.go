//go:build !unix

package proxy

// rawReader reads from a socket without holding a buffer while it waits, which needs Unix.
type rawReader struct{}

func newRawReader(any) *rawReader { return nil }

func (*rawReader) read(*buffer, int64) ([]byte, error) { return nil, nil }
