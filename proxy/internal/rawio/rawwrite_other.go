//go:build !unix

package rawio

// Writer writes to a socket, which needs Unix.
type Writer struct{}

func NewWriter(any) *Writer { return nil }

func (*Writer) Write([]byte) (int, error) { return 0, nil }
