package hub

// Multiplex is how clients of a dialect have several requests side by side on one WebSocket: each message names the request that it is
// about, on either way.
type Multiplex struct {
	// Read takes a message of the client apart. On error it says which request the message names, as far as that can be read.
	Read func(message []byte) (Multiplexed, error)

	// Named is the request that a message names of which only the beginning is there; nil if that does not show it.
	Named func(head []byte) []byte

	// AppendRecord appends the message that carries a record of the answer to a request, nothing for a record that is not for clients
	// of a WebSocket. n counts those of the answer, from 0.
	AppendRecord func(dst, request []byte, n int64, record []byte) []byte

	// AppendSign appends a message that carries none.
	AppendSign func(dst, request []byte, sign MultiplexSign) []byte

	// AppendFailure appends the message with which a request fails that has no answer.
	AppendFailure func(dst, request []byte, f *Failure) []byte
}

// MultiplexSign is what a client learns of a request beside the records of its answer.
type MultiplexSign uint8

// Signs.
const (
	MultiplexJoined MultiplexSign = iota // there is a run to come back to
	MultiplexNone                        // there is none
	MultiplexEnded                       // no more records come
)

// Multiplexed is what a client wants by a message.
type Multiplexed struct {
	Operation Operation     // OpRun, OpJoin, or OpStop for a request of before
	Request   []byte        // string body: what the client calls the request
	Thread    []byte        // string body: whose run it comes back to, of OpJoin
	After     int64         // so many records it has of that
	Header    []HeaderField // that the client would send with a request of its own
	Body      []byte        // likewise, of OpRun
}
