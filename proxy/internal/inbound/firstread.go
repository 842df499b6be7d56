package inbound

import "github.com/sabir-proxy/sabir/proxy/internal/rawio"

// firstRead reads the first bytes of requests, into a buffer that all connections share.
type firstRead struct {
	reader *rawio.Reader // nil where the socket itself cannot be read
	buf    rawio.Buffer
}

// await waits for the first bytes of a request. A connection that waits has no buffer: it takes one when there is something to read.
// Where that is not possible, p, which is not empty, is where the first byte arrives.
func (c *Conn) await(p []byte) error {
	if c.first == nil && !c.Secure() && c.Stream == nil {
		c.first = &firstRead{reader: rawio.NewReader(c.Conn)}
	}
	if c.first == nil || c.first.reader == nil {
		n, err := c.Conn.Read(p[:1])
		if n == 0 {
			return err
		}
		c.begin(p[:n])
		return nil
	}
	got, err := c.first.reader.Read(&c.first.buf, firstBuffer)
	if len(got) > 0 {
		c.begin(got)
	}
	c.first.buf.Release()
	return err
}

// begin begins a buffer with what has arrived, no more than it holds.
func (c *Conn) begin(got []byte) {
	c.buf = firstBuffers.Get().(*[firstBuffer]byte)[:]
	c.r, c.w = 0, copy(c.buf, got)
}
