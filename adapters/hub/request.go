package hub

// AsItCame is the half of a [RequestCodec] that sends a request on as its client wrote it. Codecs embed it that only read
// requests: answers are translated, requests are not yet, so whoever asks does it in the words of the agent.
type AsItCame struct{}

// AppendRequest appends the body as it came.
func (AsItCame) AppendRequest(dst []byte, req *Request) ([]byte, error) {
	return append(dst, req.Body...), nil
}
