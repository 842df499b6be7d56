package hub

// A SessionServer says how agent servers of a dialect keep conversations, so that each thread of a client gets a session there. It
// says it as data: whoever asks the server has one way to do so for all dialects.
type SessionServer struct {
	// RunPaths are the ends of URLs at which a run is asked for without regard to sessions. A URL with another end is the base of
	// the server.
	RunPaths []string

	// Always says that there are no runs without a session. A conversation that has no name gets one for each of its runs then.
	Always bool

	// Run is the path, below the base, at which the run of a request is asked for: in [Request.Session], where that is set.
	Run func(req *Request) []string

	// Open is the request that opens a session, with what was said before; Exists are the statuses which say that it is there
	// already. nil: the run opens its session itself, where [Request.NewSession] says so.
	Open   func(req *Request, l *Losses) SessionCall
	Exists []int

	Unknown []int // statuses of a run whose session is not there
	Busy    []int // statuses of a run that is refused because another is going in its session

	// Cancel is the request that ends a run. header returns fields of the answer to it. No path: it cannot be ended so. nil: closing
	// the connection is all that servers know.
	Cancel func(req *Request, header func(name string) string) SessionCall

	// Outlives reports whether runs go on when their client leaves; nil: none does.
	Outlives func(upstream Options) bool
}

// A SessionCall is a request to a [SessionServer].
type SessionCall struct {
	Method string
	Path   []string // its parts below the base of the server, not escaped
	Query  string   // escaped
	Body   []byte   // JSON; nil for none
}

// A BackgroundServer says how agent servers of a dialect are asked for runs that go on without a reader: one request begins a run and is
// answered at once, and another asks for what is said in it.
type BackgroundServer struct {
	// Wants reports whether runs are asked for so.
	Wants func(upstream Options) bool

	// Follow reads the answer to the request that began a run: what asks for its stream, or for all of it where it has ended, and what
	// ends it. Their paths are below the URL at which the run was begun. The error is an *[Error].
	Follow func(answer []byte) (read, cancel SessionCall, err error)
}
