package hub

import (
	"iter"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// An Endpoint is what clients of a dialect call below the URL that they are given. A route whose path ends with /* serves them.
type Endpoint struct {
	Method string
	// Path is what stands below the path of the route, "" for that itself. {name} is one segment, or what stands in one before
	// the rest of it: /models/{model}:generateContent.
	Path      string
	Operation Operation
}

// Operation is what an [Endpoint] is for. The proxy has one handler for each.
type Operation uint8

// Operations.
const (
	OpRun      Operation = iota // a turn: a stream, or the whole answer if the body asks for it
	OpWhole                     // a turn, answered in one piece
	OpModels                    // the models that there are
	OpModel                     // one of them: {model}
	OpDescribe                  // the agents that there are
	OpConnect                   // what was said in a thread; nothing is remembered, so that is nothing
	OpJoin                      // the rest of a run whose stream the client has lost; none is kept
	OpStop                      // ends the runs of {thread}, the one whose answer has the id {answer}, or the one that [Dialect.StopsRun] says

	OpNewThread    // begins a conversation; [Dialect.NewThread] says how it is to be called
	OpThread       // {thread} itself
	OpState        // what was said in {thread}
	OpHistory      // likewise, as a list of states
	OpForgetThread // forgets {thread}
	OpItems        // what was said in {thread}, as a list in pages
	OpAddItems     // adds to what was said in {thread}; [Dialect.NewThread] reads it

	OpAnswer       // the answer {answer} as it was given
	OpInput        // what was said before it, as a list in pages
	OpForgetAnswer // forgets it

	OpGetRun   // {run}: how far it is, and what came of it
	OpRuns     // the runs of {thread}
	OpJoinRun  // what came of {run}
	OpRejoin   // the rest of {run}, as a stream
	OpNotify   // a URL of the client's that is to be called when a run goes on
	OpExtended // what the agent tells of itself to those whom it knows
	OpOther    // what the dialect has, and Sabir does not
	OpUnknown  // what the dialect does not have

	OpFindThreads  // the conversations that there are
	OpUpdateThread // changes what the client notes on {thread}
	OpAlive        // whether there is anybody
	OpCommand      // begins a turn in {thread}, and is answered at once: what comes of it is read by OpEvents
	OpEvents       // what comes of the turns of {thread}, one after the other, as one stream

	operationCount
)

var operationNames = [operationCount]string{"run", "whole", "models", "model", "describe", "connect", "join", "stop",
	"new_thread", "thread", "state", "history", "forget_thread", "items", "add_items", "answer", "input", "forget_answer",
	"get_run", "runs", "join_run", "rejoin", "notify", "extended", "other", "unknown", "find_threads", "update_thread", "alive",
	"command", "events"}

func (o Operation) String() string { return name(operationNames[:], int(o)) }

// Agent is the description of the agent behind a route that clients receive.
type Agent struct {
	Name, Description string
	Models            []string
	Model             string                   // the one that is asked for
	Stopped           string                   // the id of the answer whose run was ended, or of the run
	Answer            string                   // the id of the answer that is asked for
	Thread            Thread                   // that is asked for
	Threads           iter.Seq[*Thread]        // those that there are, the one used last first; each is valid until the next
	Runs              []PastRun                // those that are asked for, of Thread if that is named
	URL               string                   // of the route, as the client reaches it
	Asked             *Request                 // what the request says of its form; not nil
	Query             func(name string) string // a parameter of the request's URL
}

// PastRun is a run that clients ask about by its name, with what they said in it. While it runs nothing of its answer is there.
type PastRun struct {
	Run
	Began, Changed int64 // in milliseconds since the Unix epoch
}

// Thread is a conversation that clients come back to by its name.
type Thread struct {
	ID       string
	Messages []Message
	Asks     []Event // that wait for an answer
	Busy     bool    // a turn runs
	Time     int64   // now, in milliseconds since the Unix epoch
	Begun    int64   // when it began, likewise
	Changed  int64   // when its last run began or ended, likewise; 0 where none is known
	Meta     []byte  // raw: what the client notes about it, nil for nothing
	Added    int     // so many of Messages, at the end, are those that an [OpAddItems] has added
}

// NewThread is a conversation that a client begins by a request for that, or what it adds to one.
type NewThread struct {
	ID       string // "" for any
	Prefix   string // of the id that it gets then
	MayExist bool   // there may be one of that name already
	Messages []Message
	Meta     []byte // raw, see [Thread.Meta]
}

// Serves reports whether clients of the dialect call something of that kind.
func (d *Dialect) Serves(op Operation) bool {
	return slices.ContainsFunc(d.Endpoints, func(e Endpoint) bool { return e.Operation == op })
}

// FindEndpoint returns the endpoint that a request calls, and the values of the names in its path. path is what stands below the
// path of the route, decoded.
func (d *Dialect) FindEndpoint(method, path string) (e *Endpoint, params map[string]string) {
	path = strings.TrimSuffix(path, "/")
	for i := range d.Endpoints {
		e := &d.Endpoints[i]
		if e.Method != method {
			continue
		}
		if params, ok := e.match(path); ok {
			return e, params
		}
	}
	return nil, nil
}

// MethodsAt are the methods by which an endpoint is called whose path is this one, as [Dialect.FindEndpoint] compares them; nil where there is none.
func (d *Dialect) MethodsAt(path string) (methods []string) {
	for i := range d.Endpoints {
		method := d.Endpoints[i].Method
		if e, _ := d.FindEndpoint(method, path); e != nil && !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	return methods
}

// match compares a path with that of the endpoint, segment by segment.
func (e *Endpoint) match(path string) (params map[string]string, ok bool) {
	want, got, more := e.Path, path, true
	for more {
		var segment, is string
		var also bool
		segment, want, more = strings.Cut(want, "/")
		if is, got, also = strings.Cut(got, "/"); also != more {
			return nil, false
		}
		before, rest, named := strings.Cut(segment, "{")
		if !named {
			if segment != is {
				return nil, false
			}
			continue
		}
		name, after, _ := strings.Cut(rest, "}")
		value, ok := strings.CutPrefix(is, before)
		if !ok || !strings.HasSuffix(value, after) || len(value) == len(after) {
			return nil, false
		}
		if params == nil {
			params = map[string]string{}
		}
		params[name] = strings.TrimSuffix(value, after)
	}
	return params, true
}

// UsualRoute is the path of a route at which clients of the dialect find it with the URL that they use by themselves, or one that is
// easily described. It ends with /* where they call more than one URL.
func (d *Dialect) UsualRoute() string {
	switch {
	case d.RoutePath != "":
		return d.RoutePath
	case len(d.Endpoints) > 0:
		return "/" + d.Name + "/*"
	}
	return "/" + d.Name
}

// RunBelow is the path of a run below that of a route which ends with /*: the first one that needs no name in it. Bodies that name their
// operation themselves go to the route itself.
func (d *Dialect) RunBelow() string {
	if d.Envelope != nil {
		return ""
	}
	for _, e := range d.Endpoints {
		if e.Operation == OpRun && e.Path != "" && !strings.Contains(e.Path, "{") {
			return e.Path
		}
	}
	if e, _ := d.FindEndpoint("POST", ""); e != nil && e.Operation != OpRun {
		return d.runOfThread()
	}
	return ""
}

// runOfThread is the path of a run of a conversation that clients name in it, with a name.
func (d *Dialect) runOfThread() string {
	for _, e := range d.Endpoints {
		if e.Operation == OpRun && strings.Contains(e.Path, "{thread}") {
			return strings.Replace(e.Path, "{thread}", "thread-1", 1)
		}
	}
	return ""
}

// RunNamed is the run that the body of an [OpStop] names by a member: "" where it names none, or there is no body.
func RunNamed(body []byte, member string) (run string, err error) {
	if len(body) == 0 {
		return "", nil
	}
	all, err := rawjson.DecodeObject(body)
	if err != nil {
		return "", JSONError(err)
	}
	switch v := all.Get(member); rawjson.Kind(v) {
	case 0, 'n':
		return "", nil
	case '"':
		return string(rawjson.AppendUnescaped(nil, rawjson.Body(v))), nil
	}
	return "", NewError(ReasonType, member, -1, "want a text")
}
