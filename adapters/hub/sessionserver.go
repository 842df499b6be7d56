package hub

import (
	"slices"
	"strings"
)

// A SessionServer says how agent servers of a dialect keep conversations, so that each thread of a client gets a session there. It
// says it as data: whoever asks the server has one way to do so for all dialects.
type SessionServer struct {
	// RunPaths are the ends of URLs at which a run is asked for without regard to sessions. A URL with another end is the base of
	// the server.
	RunPaths []string

	// Always says that there are no runs without a session.
	Always bool

	// Stateless says that a run without a session gets the whole conversation as such. Other servers get to know what was said before as a
	// text, or not all of it, so that a conversation without a name goes on in the session that has received what it shows.
	Stateless bool

	// Forgets says that servers keep nothing of a conversation but the runs that have asked something: a request has to tell the whole of it.
	Forgets bool

	// Rewrites says that a request whose Trigger says so takes back what was said in its session. Others need another session for that.
	Rewrites bool

	// Run is the path, below the base, at which the run of a request is asked for: in [Request.Session], where that is set. nil: all runs are
	// asked for at the URL itself, and say in their bodies which session they belong to.
	Run func(req *Request) []string

	// Open is the request that opens a session, with what was said before; Exists are the statuses which say that it is there
	// already. nil: the run opens its session itself, where [Request.NewSession] says so.
	Open   func(req *Request, l *Losses) SessionCall
	Exists []int

	// Delete is the request that deletes a session with all that was said in it; a status of Unknown says that it is gone already. Of req it may
	// read what names the session: Session, Model, Settings.User, and what the configuration says of the upstream. It is asked for sessions alone
	// whose id is Sabir's. nil: servers cannot be asked to.
	Delete func(req *Request) SessionCall

	Unknown []int // statuses of a run whose session is not there
	Busy    []int // statuses of a run that is refused because another is going in its session

	// Cancel is the request that ends a run. header returns fields of the answer to it. No path: it cannot be ended so. nil: closing
	// the connection is all that servers know.
	Cancel func(req *Request, header func(name string) string) SessionCall

	// CancelNamed returns the request that ends a run by the name which its stream gives it. It is called when the run is asked for. nil: see
	// Cancel.
	CancelNamed func(req *Request) func(run []byte) SessionCall

	// Listen is the request whose answer is the stream, on servers that tell of all their runs on streams of their own: it is made before
	// the run is asked for, so that nothing is missed. The answer to the run says then only that it begins, and the decoder is a
	// [Listener]. nil: a run is answered by its stream.
	Listen func(req *Request) SessionCall

	// Greeting stands in the first record of that stream, whatever goes on.
	Greeting string

	// Answers are the requests that answer questions, with the answers of a request; the first of them takes the place of the run,
	// which has waited for them and goes on. nil: a run that asks has ended, and answers are part of another.
	Answers func(req *Request) []SessionCall

	// Check finds out whether the questions that a request answers are open in its session, on servers that take an answer by the name of
	// the question alone. It gets the answers to the requests that it wanted so far, and returns the next one; nil once it knows. nil: names
	// of sessions are in the paths of Answers.
	Check func(req *Request, answers [][]byte) (next *SessionCall, open bool)

	// AnswersByName says that servers take the answer to a question by the name that Request.Answers has, whoever has asked for its run.
	AnswersByName bool

	// RunsByName says that servers go on with a run, and take answers to its questions, by the name of the run. They may know by what they
	// are sent who asks.
	RunsByName bool

	// Lost reports whether a refusal says that no run waits for the answer which was given, on servers that have no status for that. nil: they have.
	Lost func(refusal []byte) bool

	// Interrupts says that what goes on in a session has to be cancelled before a run is asked for there: servers take what the user
	// says meanwhile, and answer it late or not at all.
	Interrupts bool

	// Agents are those that a server names where it refuses a run of one that it has not; nil where a refusal is another. nil: none says so.
	Agents func(refusal []byte) []string

	// Outlives reports whether runs go on when their client leaves; nil: none does.
	Outlives func(upstream Options) bool
}

// HasBase reports whether the URL of a server may be its base, below which runs are asked for; nil is no such server.
func (s *SessionServer) HasBase() bool { return s != nil && s.Run != nil }

// IsBase reports whether the path of a URL is the base of a server, and not where a run is asked for.
func (s *SessionServer) IsBase(path string) bool {
	path = strings.TrimRight(path, "/")
	return !slices.ContainsFunc(s.RunPaths, func(run string) bool { return strings.HasSuffix(path, run) })
}

// A SessionCall is a request to a [SessionServer].
type SessionCall struct {
	Method string
	Path   []string // its parts below the base of the server, not escaped
	Beside string   // the end of the URL in whose place the path stands, where the URL ends so; "": none
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

// A Continuer is a decoder of streams that say less than what was asked: where a run goes on, they begin with what was said before, or do not
// say which calls are the client's to run. Continue comes after Reset and before the first record. req is valid during the call.
type Continuer interface {
	Decoder
	Continue(req *Request)
}

// A Listener is a decoder of streams that hold more than the run which was asked for, and in which a run may wait for answers.
type Listener interface {
	Decoder

	// Listen says what was asked. It comes after Reset and before the first record; without it, the decoder looks for a run itself.
	// req is valid during the call.
	Listen(req *Request)

	// Begun reports whether something of the run has come.
	Begun() bool

	// Waits reports whether the run goes on only with answers to what it has asked.
	Waits() bool
}

// ListenerOf is the listener that dec is, or is around; nil for none.
func ListenerOf(dec Decoder) Listener { return inside[Listener](dec) }

// ContinuerOf is the continuer that dec is, or is around; nil for none.
func ContinuerOf(dec Decoder) Continuer { return inside[Continuer](dec) }

func inside[T Decoder](dec Decoder) (none T) {
	for {
		switch d := dec.(type) {
		case T:
			return d
		case interface{ Unwrap() Decoder }:
			dec = d.Unwrap()
		default:
			return none
		}
	}
}
