package langgraph

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// defaultGraph is the name of a graph where the request has none; it asks for no model.
const defaultGraph = "agent"

// requests reads and writes the call that opens a run.
type requests struct{}

// DecodeRequest takes the stream modes that the client asks for, its thread where the body names it, and what it says. Runs are
// named by the server.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var in requestBody
	if err := json.Decode(body, &in); err != nil {
		return hub.JSONError(err)
	}
	if ok, err := decodeProtocol(req, &in, body); ok {
		return err
	}
	in.run(req, body)
	if in.isOther() {
		return conversation.Required("input", in.Input)
	}
	return nil
}

// hasArtifact reports whether a result has what the graph keeps beside what the model reads of it.
func hasArtifact(list rawjson.Value) bool {
	for m := range rawjson.Each(list) {
		if stored := rawjson.Get(m, "kwargs"); !rawjson.IsNull(rawjson.Get(m, "artifact")) || !rawjson.IsNull(rawjson.Get(stored, "artifact")) {
			return true
		}
	}
	return false
}

// isOther reports whether nothing shows that the body is one of the protocol's. One that goes on without an input has something else of it.
func (asked *requestBody) isOther() bool {
	return rawjson.IsNull(asked.Graph) && rawjson.IsNull(asked.Modes) && rawjson.IsNull(asked.Modes2) && rawjson.IsNull(asked.Command) && rawjson.IsNull(asked.Config)
}

// requestBody is the body of a request: of a run, of a command of the thread protocol, or of one for its events.
type requestBody struct {
	Graph   rawjson.Value `json:"assistant_id"`
	Modes   rawjson.Value `json:"stream_mode"`
	Modes2  rawjson.Value `json:"streamMode"`
	Input   rawjson.Value `json:"input"`
	Command rawjson.Value `json:"command"`
	Config  rawjson.Value `json:"config"`
	Missing rawjson.Value `json:"if_not_exists"`

	ID       rawjson.Value `json:"id"`
	Method   rawjson.Value `json:"method"`
	Params   rawjson.Value `json:"params"`
	Channels rawjson.Value `json:"channels"`

	All rawjson.Object
}

// run reads what asks for a run.
func (asked *requestBody) run(req *hub.Request, body []byte) {
	if req.Modes = rawjson.NotNull(asked.Modes); req.Modes == nil {
		req.Modes = rawjson.NotNull(asked.Modes2)
	}
	req.Thread = rawjson.Text(asked.Config, "configurable", "thread_id")
	req.Run, req.Body = req.Unique, body
	req.Create = string(rawjson.Body(asked.Missing)) == "create"
	if graph := rawjson.Body(asked.Graph); string(graph) != defaultGraph {
		req.Model = graph
	}
	req.Partial = len(req.Thread) > 0 || rawjson.NotNull(asked.Command) != nil
	input := rawjson.ReadObject(asked.Input)
	req.Extra, req.State = extra(&asked.All), others(&input, "messages")
	command := rawjson.ReadObject(asked.Command)
	req.Unread.AddIf("extra", conversation.HasBeyond(&asked.All, readOfRuns) || conversation.HasBeyond(&command, readOfCommands))
	req.Answers = decodeResume(rawjson.NotNull(rawjson.Get(asked.Command, "resume")))
	req.Messages, _ = messages{}.DecodeMessages(nil, rawjson.NotNull(input.Get("messages")))
	req.Unread.AddIf("messages.result.artifact", bytes.Contains(body, []byte(`"artifact"`)) && hasArtifact(input.Get("messages")))
	if text := rawjson.Body(asked.Input); len(text) > 0 {
		req.Messages = []hub.Message{{Role: hub.RoleUser, Parts: []hub.Part{{Kind: hub.PartText, Text: text}}}}
	}
	if len(req.Messages) > 0 && req.Messages[0].Role == hub.RoleResults {
		req.Partial = true // their calls stand in a thread that the URL names
	}
	req.Repeats = req.Whole
	req.Remember(true)
}

// readOfRuns are the members of a run that have a place in the model, or change nothing in what it says. Others are interrupt_before, webhook …
var readOfRuns = rawjson.NamesOf([]string{
	"assistant_id", "stream_mode", "streamMode", "input", "command", "config", "context", "metadata", "if_not_exists", "on_disconnect", "on_completion",
	"multitask_strategy", "stream_subgraphs", "stream_resumable", "durability", "checkpoint_during", "feedback_keys", "checkpoint", "checkpoint_id",
	"langsmith_tracer", "run_id", "thread_id",
})

// readOfCommands is what has a place in the model. Others say where a graph goes on, and with which state.
var readOfCommands = rawjson.NamesOf([]string{"resume"})

// without are the members of an object but for some, nil if there are no others.
func without(v rawjson.Value, names ...string) rawjson.Value {
	o := rawjson.ReadObject(v)
	return others(&o, names...)
}

// others is without for an object that was read.
func others(o *rawjson.Object, names ...string) rawjson.Value {
	left := rawjson.NamesOf(names)
	w := jsonwriter.New(nil)
	w.Open('{')
	for key, value := range o.All() {
		if !left.Has(key) && !rawjson.IsNull(value) {
			w.Value(string(key), value)
		}
	}
	w.Close('}')
	if len(w.Buf) == len("{}") {
		return nil
	}
	return w.Buf
}

// extras are the members of a body that are for the graph alone.
var extras = []string{"config", "context", "metadata"}

// extra is what the application tells its graph. The id of a thread is no part of it.
func extra(body *rawjson.Object) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	if configurable := without(rawjson.Get(body.Get("config"), "configurable"), "thread_id"); configurable != nil {
		w.OpenAt("config", '{')
		w.Value("configurable", configurable)
		w.Close('}')
	}
	for _, name := range extras[1:] {
		if v := body.Get(name); rawjson.Kind(v) == '{' && !rawjson.IsEmptyObject(v) {
			w.Value(name, v)
		}
	}
	w.Close('}')
	if len(w.Buf) == len("{}") {
		return hub.Meta{}
	}
	return hub.Meta{Dialect: nameRaw, Raw: w.Buf}
}

// decodeResume reads the answer to an interrupt, the answers of the middleware in the order of its questions, or those to several
// interrupts by their ids.
func decodeResume(v rawjson.Value) (all []hub.Decision) {
	if v == nil {
		return nil
	}
	if list := rawjson.Get(v, keyDecisions); rawjson.Kind(list) == '[' {
		return decisionsOf(nil, list)
	}
	for key, value := range rawjson.EachField(v) {
		if !isInterrupt(key) && !isDecision(value) {
			return []hub.Decision{decision(v)}
		}
		d := decision(value)
		if list := decisionsOf(nil, rawjson.Get(value, keyDecisions)); len(list) == 1 {
			d = list[0]
		}
		d.Ask = key
		all = append(all, d)
	}
	if len(all) == 0 {
		all = append(all, decision(v))
	}
	return all
}

// keyDecisions is where answers to the middleware stand.
const keyDecisions = "decisions"

func decisionsOf(all []hub.Decision, list rawjson.Value) []hub.Decision {
	for v := range rawjson.Each(list) {
		all = append(all, decision(v))
	}
	return all
}

// isDecision reports whether a value decides something: such a one stands for an interrupt whose id is not that of LangGraph.
func isDecision(v rawjson.Value) bool {
	return rawjson.Kind(v) == '{' && (rawjson.Get(v, keyDecisions) != nil || decision(v).Decided)
}

// isInterrupt reports whether a key is the id of an interrupt: a hash of 128 bits in hexadecimal digits.
func isInterrupt(key []byte) bool {
	for _, c := range key {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(key) == 32
}

// decisions are the words of agent inboxes, and of the middleware of LangChain, for what a human decides.
var decisions = map[string]bool{"accept": true, "approve": true, "edit": true, "ignore": false, "reject": false}

func decision(v rawjson.Value) hub.Decision {
	d := conversation.Decision(v)
	word := string(rawjson.Text(v, "type"))
	if approved, ok := decisions[word]; ok && !d.Decided {
		d.Decided, d.Approved = true, approved
		d.Reason = rawjson.First(d.Reason, rawjson.Text(v, "message"))
	}
	if word == "approve" || word == "reject" {
		d.Payload = nil // it says no more, in words of the middleware's that other agents do not know
	}
	return d
}
