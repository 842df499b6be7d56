//go:build !unix

package proxy

// rawWriter writes to a socket, which needs Unix.
type rawWriter struct{}

func newRawWriter(any) *rawWriter { return nil }

func (*rawWriter) write([]byte) (int, error) { return 0, nil }
