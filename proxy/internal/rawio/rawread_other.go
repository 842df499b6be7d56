//go:build !unix

package rawio

// Reader reads from a socket without holding a buffer while it waits, which needs Unix.
type Reader struct{}

func NewReader(any) *Reader { return nil }

func (*Reader) Read(*Buffer, int64) ([]byte, error) { return nil, nil }

func (*Reader) Silent() bool { return true }
