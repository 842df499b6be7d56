package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// sessions are contexts. A server takes any name for one, and says of none that it is new. Its tasks go on when their client leaves, and a message
// goes into the task that it names.
var sessions = hub.SessionServer{
	RunsByName:  true,
	CancelNamed: cancelTask,
	Outlives:    func(upstream hub.Options) bool { return upstream.EnumOr("disconnect", "cancel") == "continue" },
}

// cancelTask ends a task, in the version and the binding that it was asked for.
func cancelTask(req *hub.Request) func(task []byte) hub.SessionCall {
	version, rpc := spoken(req)
	method := methodOf(version, hub.OpStop)
	end := endOfStream
	if req.AskWhole {
		end = endOfWhole
	}
	return func(task []byte) hub.SessionCall {
		if !rpc {
			return hub.SessionCall{Method: "POST", Beside: end, Path: []string{"tasks", string(rawjson.AppendUnescaped(nil, task)) + ":cancel"}, Body: []byte("{}")}
		}
		w := jsonwriter.New(nil)
		w.Open('{')
		w.Const("jsonrpc", "2.0")
		w.Value("id", rawjson.Value("1"))
		w.Const("method", method)
		w.OpenAt("params", '{')
		w.Text("id", task)
		w.Close('}')
		w.Close('}')
		return hub.SessionCall{Method: "POST", Body: w.Buf}
	}
}

// Ends of the URLs at which the binding to REST takes messages.
const (
	endOfStream = "/message:stream"
	endOfWhole  = "/message:send"
)
