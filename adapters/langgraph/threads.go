package langgraph

import (
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// newThread reads the body of POST /threads, which may be empty.
func newThread(body []byte) (id string, mayExist bool, err error) {
	if len(body) == 0 {
		return "", true, nil
	}
	var json rawjson.Decoder
	var in struct {
		ID     rawjson.Value `json:"thread_id"`
		Exists rawjson.Value `json:"if_exists"`
	}
	if err := json.Decode(body, &in); err != nil {
		return "", false, hub.JSONError(err)
	}
	return string(rawjson.AppendUnescaped(nil, rawjson.Body(in.ID))), string(rawjson.Body(in.Exists)) == "do_nothing", nil
}

// appendReply answers what clients ask of threads.
func appendReply(dst []byte, op hub.Operation, a *hub.Agent) []byte {
	w := jsonwriter.New(dst)
	switch op {
	case hub.OpNewThread, hub.OpThread:
		appendThread(w, &a.Thread)
	case hub.OpState:
		appendState(w, &a.Thread)
	case hub.OpHistory:
		w.Open('[')
		if len(a.Thread.Messages) > 0 {
			appendState(w, &a.Thread)
		}
		w.Close(']')
	case hub.OpStop, hub.OpForgetThread:
		w.Raw([]byte("{}"))
	}
	return w.Buf
}

func appendThread(w *jsonwriter.Writer, t *hub.Thread) {
	now := timeOf(t)
	w.Open('{')
	w.Text("thread_id", rawjson.AppendEscaped(nil, []byte(t.ID)))
	w.Const("created_at", now)
	w.Const("updated_at", now)
	w.Const("state_updated_at", now)
	w.Value("metadata", []byte("{}"))
	w.Const("status", map[bool]string{false: "idle", true: "busy"}[t.Busy])
	w.Value("config", []byte("{}"))
	appendValues(w, t)
	w.Value("interrupts", []byte("{}"))
	w.Close('}')
}

// appendState writes the state of a graph that has nothing to do next. There are no checkpoints but this one.
func appendState(w *jsonwriter.Writer, t *hub.Thread) {
	id := rawjson.AppendEscaped(nil, []byte(t.ID))
	w.Open('{')
	appendValues(w, t)
	w.Value("next", []byte("[]"))
	w.Value("tasks", []byte("[]"))
	w.Value("interrupts", []byte("[]"))
	w.Value("metadata", []byte("{}"))
	w.Const("created_at", timeOf(t))
	w.OpenAt("checkpoint", '{')
	w.Text("thread_id", id)
	w.Const("checkpoint_ns", "")
	w.Text("checkpoint_id", id)
	w.Close('}')
	w.Value("parent_checkpoint", []byte("null"))
	w.Close('}')
}

// appendValues writes what was said. What has no place in messages is in no state of a graph either.
func appendValues(w *jsonwriter.Writer, t *hub.Thread) {
	w.OpenAt("values", '{')
	w.Key("messages")
	w.Append(func(dst []byte) []byte { return messages{}.AppendMessages(dst, t.Messages, new(hub.Losses)) })
	w.Close('}')
}

func timeOf(t *hub.Thread) string { return time.UnixMilli(t.Time).UTC().Format(time.RFC3339Nano) }
