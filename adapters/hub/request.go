package hub

// AsItCame is the half of a [RequestCodec] that sends a request on as its client wrote it. Codecs embed it that only read: the
// agent speaks the dialect of its clients, or what asks it does; to translate a request into another dialect is a matter of
// its own, and takes a codec that writes.
type AsItCame struct{}

// AppendRequest appends the body as it came.
func (AsItCame) AppendRequest(dst []byte, req *Request) ([]byte, error) {
	return append(dst, req.Body...), nil
}
