package a2a

import (
	"bytes"
	"slices"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// requests reads and writes the call that sends a message. Of other calls it reads what their answers depend on.
type requests struct{}

// DecodeRequest takes the id of a JSON-RPC call, the version that the client speaks, the task and context that the message
// continues, and what it says. A message without them begins a conversation; the agent has what was said before any other.
func (requests) DecodeRequest(req *hub.Request, body []byte) error {
	var json rawjson.Decoder
	var call struct {
		ID      rawjson.Value `json:"id"`
		Method  rawjson.Value `json:"method"`
		JSONRPC rawjson.Value `json:"jsonrpc"`
		Params  rawjson.Value `json:"params"`
		Message rawjson.Value `json:"message"`
		Request rawjson.Value `json:"request"`
	}
	if err := json.Decode(body, &call); err != nil {
		return hub.JSONError(err)
	}
	asked, message := body, call.Message
	if call.Params != nil {
		asked, message = call.Params, rawjson.Get(call.Params, "message")
	} else if message == nil {
		message = call.Request // what the REST binding of 0.3 calls it
	}
	rpc := call.JSONRPC != nil || call.Method != nil
	if rpc {
		req.Call = rawjson.OrNull(call.ID)
	}
	m, name := readObject(message), rawjson.Body(call.Method)
	req.Version = versionOf(req, name, message, &m)
	req.Run, req.Thread, req.Body = m.taskID, m.contextID, body
	op, sends := methods[string(name)]
	sends = sends && (op == hub.OpRun || op == hub.OpWhole)
	req.Whole = req.Whole || op == hub.OpWhole
	if req.Other = rpc && !sends || rawjson.Kind(message) != '{'; req.Other {
		return nil
	}
	req.Partial = len(m.taskID)+len(m.contextID) > 0
	req.Begins, req.Resumes = !req.Partial, len(m.taskID) > 0
	req.Extra = extra(asked)
	return decodeNews(req, message, len(m.taskID) > 0)
}

// decodeNews reads the message. In a task that waits, an answer may be data with the member approved, or with answer for a question that is no
// yes or no, and the id of the question where there are several.
func decodeNews(req *hub.Request, message rawjson.Value, waits bool) error {
	b := conversation.Builder{}
	if err := decodeMessage(&b, message, "message"); err != nil {
		return err
	}
	req.Messages = b.Messages
	for i := range req.Messages {
		m := &req.Messages[i]
		kept := m.Parts[:0]
		for _, p := range m.Parts {
			if d, ok := decision(p.Value); ok && waits && p.Kind == hub.PartData && p.Meta.Raw == nil {
				req.Answers = append(req.Answers, d)
			} else {
				kept = append(kept, p)
			}
		}
		m.Parts = kept
	}
	if len(req.Answers) > 0 { // a message that only answers says nothing else
		req.Messages = slices.DeleteFunc(req.Messages, func(m hub.Message) bool { return len(m.Parts) == 0 })
	}
	return nil
}

// decision reads data that answers a question.
func decision(data rawjson.Value) (d hub.Decision, ok bool) {
	d = conversation.Decision(data)
	d.Ask = rawjson.Text(data, "id")
	if given := rawjson.NotNull(rawjson.Get(data, "answer")); !d.Decided && len(given) > 0 {
		d.Payload = given
		return d, true
	}
	return d, d.Decided
}

// extra is what the application tells its agent beside the message. How long to wait for an answer, and how much of the history stands
// in it, means nothing to others.
func extra(asked rawjson.Value) hub.Meta {
	w := jsonwriter.New(nil)
	w.Open('{')
	from := len(w.Buf)
	settled := func(key []byte) bool { return settledMembers[string(key)] }
	configuration := rawjson.ReadObject(rawjson.Get(asked, "configuration"))
	w.ValueIf("configuration", conversation.Extra(&configuration, nameRaw, settled).Raw)
	if v := rawjson.Get(asked, "metadata"); rawjson.Kind(v) == '{' && !rawjson.IsEmptyObject(v) {
		w.Value("metadata", v)
	}
	w.TextIf("tenant", rawjson.Text(asked, "tenant"))
	if len(w.Buf) == from {
		return hub.Meta{}
	}
	w.Close('}')
	return own(w.Buf)
}

var settledMembers = map[string]bool{
	"blocking": true, "returnImmediately": true, "return_immediately": true, "historyLength": true, "history_length": true,
}

func own(v rawjson.Value) hub.Meta { return hub.Meta{Dialect: nameRaw, Raw: v} }

// versionOf tells the version of a request: by its method, by its header, or by the shape of its message. Without a header
// it is the older one.
func versionOf(req *hub.Request, method []byte, message rawjson.Value, m *object) []byte {
	switch {
	case bytes.IndexByte(method, '/') > 0:
		return []byte(version03)
	case len(method) > 0:
		return []byte(version1)
	}
	if req.Header != nil && req.Header("A2A-Version") != "" {
		if req.Header("A2A-Version")[0] == '0' {
			return []byte(version03)
		}
		return []byte(version1)
	}
	if rawjson.Get(message, "parts") != nil && string(m.role) == "ROLE_USER" {
		return []byte(version1)
	}
	return []byte(version03)
}
