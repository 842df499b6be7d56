package hub

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Request is the canonical call that opens a stream.
type Request struct {
	Thread  []byte // string body: the conversation, where the client names it
	Run     []byte // string body: the id that the client gave this run
	Answer  []byte // string body: the id that the answer has to have, where the next request on the connection may go on from it
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

	// Unread are the losses of reading: what the request has in a form that its own dialect does not know, such as a number that is none.
	Unread Losses `json:"-"`

	// Beside are the losses for agents of all dialects but the client's own, which has a place for them.
	Beside OwnLosses `json:"-"`

	// Demanded are the losses of what the request has because the API demands it of each client, so that it is no choice of this one's.
	Demanded Losses `json:"-"`

	// Messages are what the client tells of the conversation, with its system text. Dialects whose [Dialect.Messages] is nil
	// leave it and what follows empty.
	Messages []Message
	Partial  bool // the messages are only what is new; the agent has those before
	Keep     bool // the next request will be partial, if the agent does not refuse this one
	Begins   bool // it begins a conversation that the answer names, by which the next request, a partial one, goes on
	Create   bool // the conversation that it names is begun, if it is not known
	// Supersedes says that the run of the conversation which goes on is to end first.
	Supersedes bool
	Resumes    bool // it goes on with the run that it names, which waits for it
	Store      bool // the answer is to be remembered, if that can be: later requests go on from it, or ask for it, by its id
	Alone      bool // no other request may go on from Previous
	Inherits   bool // the tools are those of Previous
	Later      bool // the client does not wait for the answer, but asks for it later
	// Instructions are so many messages in front that hold for this request alone.
	Instructions int
	Previous     []byte     // string body: the answer that the request goes on from, where the client names that in place of a thread
	Prepare      bool       // nothing is to be answered: a later request goes on from this one
	Trigger      Trigger    // whether it goes back in the conversation; TriggerNone where it only goes on
	Answers      []Decision // to questions that name no call among Messages
	Choice       ToolChoice
	Settings     Settings
	State        []byte // raw: the state that client and agent share
	Context      []Context
	Extra        Meta // what the application adds for its agent
	AskWhole     bool // the agent is to answer in one piece
	Whole        bool // the client wants the answer in one piece, not as a stream
	Repeats      bool // such an answer repeats what was said before it, which is Said then
	Said         []Message
	Other        bool // the body asks for something else than a turn, such as the state of an earlier one

	// Session is a string body: the session at the agent's server that the run belongs to; nil: none, or the agent knows it by Thread.
	// NewSession says that it does not exist yet, so that the history must be sent.
	Session    []byte
	NewSession bool

	// Branch marks the ids of messages in the answer, which come back with later requests: the conversation goes on in another session than
	// the one that it began in. nil: it goes on there.
	Branch []byte

	// Upstream are the options of the agent that is asked, for codecs whose agents speak several versions; none: the defaults.
	Upstream Options

	// UpstreamQuery is that of the URL of the agent's server, escaped.
	UpstreamQuery string `json:"-"`

	History History
	Tools   ToolList

	// Renamed are the tools whose names the agent does not take, string bodies by the name that its request has in their place. The answer
	// has that, too, and the sequencer gives the client its own back.
	Renamed map[string][]byte

	// Endpoint is the path of the [Endpoint] that the request calls; "" where it calls none.
	Endpoint string `json:"-"`

	// Header returns a field of the HTTP request, "" if there is none. Only for codecs, which it always is there for.
	Header func(name string) string `json:"-"`

	// Query returns a parameter of the URL, "" if there is none; nil: the URL is not known. See [Request.Parameter].
	Query func(name string) string `json:"-"`
}

// Parameter is a parameter of the request's URL, a string body.
func (r *Request) Parameter(name string) []byte {
	if r.Query == nil {
		return nil
	}
	return rawjson.AppendEscaped(nil, []byte(r.Query(name)))
}

// Remember derives History and MessageIDs from Messages, for dialects whose requests have the whole conversation. ids says
// that clients know messages by them.
func (r *Request) Remember(ids bool) {
	r.History.Known = !r.Partial
	if ids && !r.Partial {
		r.MessageIDs = new(IDSet)
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		if i == 0 || !bytes.Equal(m.ID, r.Messages[i-1].ID) { // else a step of the same message
			r.rememberID(m.ID)
		}
		if m.Role == RoleUser {
			r.History.UserSpoke()
		}
		for j := range m.Parts {
			switch p := &m.Parts[j]; p.Kind {
			case PartCall:
				r.rememberCall(m, p)
			case PartReasoning, PartRaw: // of their own message, where the dialect has them so
				r.rememberID(p.ID)
			}
		}
	}
}

func (r *Request) rememberID(id []byte) {
	if r.MessageIDs != nil && len(id) > 0 {
		r.MessageIDs.Add(id)
	}
}

func (r *Request) rememberCall(m *Message, p *Part) {
	if p.Result != nil {
		r.rememberID(p.Result.ID)
	}
	if m.Role == RoleResults || bytes.HasPrefix(p.ID, []byte(MadeCall)) {
		return
	}
	c := PastCall{ID: p.ID, Name: p.Name, Args: p.Value, Msg: m.ID, ClientRuns: p.ClientRuns, Dynamic: p.Dynamic, Answered: p.Result != nil}
	if c.Answered {
		c.Args = nil // they are not needed again
	}
	if p.Approval != nil {
		c.Ask = p.Approval.ID
	}
	r.History.Add(c)
}

// ToolList names the tools that the client runs.
type ToolList struct {
	Known bool   // the request has such a list, even an empty one: tools that it does not name are the agent's
	Defs  []Tool // in their order, for requests to the agent
	names map[string]bool
}

// Tool is a tool that a request declares.
type Tool struct {
	Name, Description []byte
	Schema            []byte // raw JSON Schema of the arguments, nil where there are none
	Strict            []byte // raw: true, false or [StrictAuto]
	Unread            bool   // it has a member that the model has no place for
	// Meta is a tool that only its own dialect has a form for, such as a web search of the provider's; nothing else is set then.
	Meta Meta
}

// StrictAuto is the [Tool.Strict] of a tool whose arguments are kept to its schema where the API can, after it has made that one which it can
// keep to. The API of Responses does so where nothing is said.
const StrictAuto = `"auto"`

// StrictSaid is [Tool.Strict] for APIs that have no [StrictAuto]: nil where the client has said nothing. They refuse most schemas with
// strict: true, and so do some of their models.
func (t *Tool) StrictSaid() []byte {
	if string(t.Strict) == StrictAuto {
		return nil
	}
	return t.Strict
}

// Define adds a tool with its definition.
func (l *ToolList) Define(t Tool) {
	l.Defs = append(l.Defs, t)
	l.Add(t.Name)
}

// maxTools bounds the tools that are remembered of a request.
const maxTools = 4096

// Add adds a tool by its name, a string body. Its definition is not known then.
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
// requests: whoever asks an agent of such a dialect does it in the words of the agent.
type PassThrough struct{}

// AppendRequest appends the body as it came.
func (PassThrough) AppendRequest(dst []byte, req *Request, _ *Losses) ([]byte, error) {
	return append(dst, req.Body...), nil
}
