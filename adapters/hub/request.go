package hub

import "bytes"

// Request is the canonical call that opens a stream.
type Request struct {
	Thread  []byte // string body: the conversation, where the client names it
	Run     []byte // string body: the id that the client gave this run
	Model   []byte // string body: the model that the client asked for
	Version []byte // string body: the version of the protocol that the client speaks
	Call    []byte // raw JSON: the id of a JSON-RPC call
	Modes   []byte // raw JSON: the kinds of events that the client asked for, in dialects where it chooses
	Unique  []byte // string body: unlike that of other calls, for ids that the server has to make
	Usage   bool   // the client asked for usage, in dialects where it must
	Time    int64  // when the request came, in milliseconds since the Unix epoch; 0 = not said
	// MessageIDs are the ids of the messages in the history that the request shows; nil: it shows none.
	MessageIDs *IDSet

	Body []byte // the body as it came; gone when an [Answerer] is asked

	History History
	Tools   ToolList

	// Header returns a field of the HTTP request, "" if there is none. Only for codecs, which it always is there for.
	Header func(name string) string
}

// Detach replaces what points into the body by copies, and lets go of the body and the header.
func (r *Request) Detach() {
	for _, p := range []*[]byte{&r.Thread, &r.Run, &r.Model, &r.Version, &r.Call, &r.Modes, &r.Unique} {
		*p = bytes.Clone(*p)
	}
	r.History.detach()
	r.Header, r.Body = nil, nil
}

// ToolList names the tools that the client runs.
type ToolList struct {
	Known bool // the request has such a list, even an empty one: tools that it does not name are the agent's
	names map[string]bool
}

// maxTools bounds the tools that are remembered of a request.
const maxTools = 4096

// Add adds a tool by its name, a string body.
func (l *ToolList) Add(name []byte) {
	if len(name) == 0 || len(name) > maxPastText || len(l.names) >= maxTools {
		return
	}
	if l.names == nil {
		l.names = map[string]bool{}
	}
	l.names[string(name)] = true
}

// Has reports whether the client runs the tool of that name.
func (l *ToolList) Has(name []byte) bool { return l.names[string(name)] }

// PassThrough is the half of a [RequestCodec] that sends a request on as its client wrote it. Codecs embed it that only read
// requests: answers are translated, requests are not yet, so whoever asks does it in the words of the agent.
type PassThrough struct{}

// AppendRequest appends the body as it came.
func (PassThrough) AppendRequest(dst []byte, req *Request) ([]byte, error) {
	return append(dst, req.Body...), nil
}
