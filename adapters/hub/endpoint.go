package hub

import "strings"

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
	OpStop                      // ends the runs of {thread}, or the one whose answer has the id {answer}

	OpNewThread    // begins a conversation; [Dialect.NewThread] says how it is to be called
	OpThread       // {thread} itself
	OpState        // what was said in {thread}
	OpHistory      // likewise, as a list of states
	OpForgetThread // forgets {thread}

	operationCount
)

var operationNames = [operationCount]string{"run", "whole", "models", "model", "describe", "connect", "join", "stop",
	"new_thread", "thread", "state", "history", "forget_thread"}

func (o Operation) String() string { return name(operationNames[:], int(o)) }

// Agent is what clients are told of the agent behind a route.
type Agent struct {
	Name, Description string
	Models            []string
	Model             string // the one that is asked for
	Stopped           string // the id of the answer whose run was ended
	Thread            Thread // that is asked for
}

// Thread is a conversation that clients come back to by its name.
type Thread struct {
	ID       string
	Messages []Message
	Busy     bool  // a turn runs
	Time     int64 // now, in milliseconds since the Unix epoch
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

// match compares a path with that of the endpoint, segment by segment.
func (e *Endpoint) match(path string) (params map[string]string, ok bool) {
	want, got := strings.Split(e.Path, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	for i, segment := range want {
		before, rest, named := strings.Cut(segment, "{")
		if !named {
			if segment != got[i] {
				return nil, false
			}
			continue
		}
		name, after, _ := strings.Cut(rest, "}")
		value, ok := strings.CutPrefix(got[i], before)
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
