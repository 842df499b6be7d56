package proxy

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestLastWriteHasItsTime: a stream that was stopped, and whose end has waited for longer than a client may take for its last bytes, still ends
// with them. A client that is cut gets nothing.
func TestLastWriteHasItsTime(t *testing.T) {
	t.Parallel()
	for code, whole := range map[hub.Code]bool{hub.CodeCancelled: true, hub.CodeClientGone: false} {
		ours, theirs := net.Pipe()
		c := &clientConn{Conn: ours, writeTimeout: time.Minute}
		c.limitWrite(hub.Fail(code, nil))
		_ = ours.SetWriteDeadline(time.Unix(1, 0)) // so late is it now
		go func() { _, _ = io.ReadFull(theirs, make([]byte, 4)) }()
		if _, err := c.Write([]byte("last")); (err == nil) != whole {
			t.Errorf("%s: %v", code, err)
		}
		_, _ = ours.Close(), theirs.Close()
	}
}
