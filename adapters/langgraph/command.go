package langgraph

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// The thread protocol ("v2") is what useStream of @langchain/react and client.threads.stream speak. A client posts commands, which are
// answered at once,
//
//	{"id":1,"method":"run.start","params":{"input":{"messages":[…]},"config":{…},"assistant_id":"agent"}}
//	{"id":2,"method":"input.respond","params":{"namespace":[],"interrupt_id":"i1","response":{"decisions":[{"type":"approve"}]}}}
//
// and then reads what comes of them, as often as it wants to, with a request that names channels and namespaces:
//
//	{"channels":["lifecycle","messages"],"namespaces":[[]],"depth":1}

// decodeProtocol reads a body of the thread protocol; ok is false for one that is none.
func decodeProtocol(req *hub.Request, in *requestBody, body []byte) (ok bool, err error) {
	method, isCommand := rawjson.Str(in.Method)
	switch {
	case isCommand && in.ID != nil:
		req.Version, req.Call = []byte(protocolVersion), in.ID
		return true, decodeCommand(req, string(method), rawjson.Or(in.Params, "{}"))
	case rawjson.Kind(in.Channels) == '[':
		req.Version, req.Modes, req.Other = []byte(protocolVersion), body, true
		return true, nil
	}
	return false, nil
}

// decodeCommand reads what a command begins: a run, in a thread that there need not be yet, or one that goes on with answers.
func decodeCommand(req *hub.Request, method string, params rawjson.Value) error {
	if method != "run.start" && method != "input.respond" {
		req.Other = true
		return nil
	}
	var json rawjson.Decoder
	var in requestBody
	if err := json.Decode(params, &in); err != nil {
		return hub.JSONError(err)
	}
	in.run(req, params)
	req.Create, req.Partial, req.Repeats = method == "run.start", true, true
	req.Supersedes = supersedes[string(rawjson.Text(params, "multitask_strategy"))]
	if method == "input.respond" {
		req.Answers = responses(params)
	}
	return nil
}

// supersedes are the strategies that end the run which goes on.
var supersedes = map[string]bool{"interrupt": true, "rollback": true}

// responses are the answers to one interrupt, or to several.
func responses(params rawjson.Value) (all []hub.Decision) {
	add := func(v rawjson.Value) {
		response := rawjson.NotNull(rawjson.Get(v, "response"))
		d := decision(response)
		if list := decisionsOf(nil, rawjson.Get(response, keyDecisions)); len(list) == 1 {
			d = list[0]
		}
		d.Ask = rawjson.Text(v, "interrupt_id")
		all = append(all, d)
	}
	if list := rawjson.Get(params, "responses"); rawjson.Kind(list) == '[' {
		for v := range rawjson.Each(list) {
			add(v)
		}
		return all
	}
	add(params)
	return all
}

// appendAccepted answers a command whose run has begun. Events before it have smaller numbers than its own.
func appendAccepted(w *jsonwriter.Writer, a *hub.Agent) {
	w.Open('{')
	w.Const("type", "success")
	w.Value("id", a.Asked.Call)
	w.OpenAt("result", '{')
	w.Text("run_id", a.Asked.Run)
	w.Close('}')
	w.OpenAt("meta", '{')
	w.Text("thread_id", a.Asked.Thread)
	w.Int("applied_through_seq", firstSeq(a.Asked.Time))
	w.Close('}')
	w.Close('}')
}

// appendRefused answers a command of which nothing comes.
func appendRefused(dst []byte, asked *hub.Request, f *hub.Failure) []byte {
	code := []byte(f.Code)
	if f.Code == hub.CodeNoEndpoint {
		code = []byte("unknown_command")
	}
	w := jsonwriter.New(dst)
	w.Open('{')
	w.Const("type", "error")
	w.Value("id", rawjson.Or(asked.Call, "null"))
	w.Text("error", code)
	w.Const("message", f.Text())
	w.Close('}')
	return w.Buf
}
