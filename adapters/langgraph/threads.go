package langgraph

import (
	"strconv"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// newThread reads the body of POST /threads, which may be empty.
func newThread(body []byte) (hub.NewThread, error) {
	if len(body) == 0 {
		return hub.NewThread{MayExist: true}, nil
	}
	var json rawjson.Decoder
	var in struct {
		ID     rawjson.Value `json:"thread_id"`
		Exists rawjson.Value `json:"if_exists"`
	}
	if err := json.Decode(body, &in); err != nil {
		return hub.NewThread{}, hub.JSONError(err)
	}
	meta, err := noteThread(nil, body)
	return hub.NewThread{
		ID: string(rawjson.AppendUnescaped(nil, rawjson.Body(in.ID))), MayExist: string(rawjson.Body(in.Exists)) == "do_nothing", Meta: meta,
	}, err
}

// noteThread reads the metadata that a body gives a thread, beside those that it has.
func noteThread(before, body []byte) ([]byte, error) {
	if len(body) == 0 {
		return before, nil
	}
	var json rawjson.Decoder
	var in struct {
		Metadata rawjson.Value `json:"metadata"`
	}
	if err := json.Decode(body, &in); err != nil {
		return nil, hub.JSONError(err)
	}
	if rawjson.Kind(in.Metadata) != '{' {
		return before, nil
	}
	w := jsonwriter.New(nil)
	w.Open('{')
	given := rawjson.ReadObject(in.Metadata)
	for key, v := range rawjson.EachField(before) {
		if given.Get(string(key)) == nil {
			w.Value(string(key), v)
		}
	}
	for key, v := range given.All() {
		w.Value(string(key), v)
	}
	w.Close('}')
	return w.Buf, nil
}

func appendThread(w *jsonwriter.Writer, t *hub.Thread) {
	now := timeOf(t.Time)
	w.Open('{')
	w.Text("thread_id", escaped(t.ID))
	w.Const("created_at", timeOf(t.Begun))
	w.Const("updated_at", now)
	w.Const("state_updated_at", now)
	w.Value("metadata", rawjson.Or(t.Meta, "{}"))
	w.Const("status", statusOf(t))
	w.Value("config", []byte("{}"))
	appendValues(w, t)
	w.OpenAt("interrupts", '{')
	if len(t.Asks) > 0 {
		appendInterrupts(w, taskWaiting, t.Messages, t.Asks)
	}
	w.Close('}')
	w.Close('}')
}

// statusOf says what a thread is at.
func statusOf(t *hub.Thread) string {
	switch {
	case t.Busy:
		return "busy"
	case len(t.Asks) > 0:
		return "interrupted"
	}
	return "idle"
}

// taskWaiting is the task of a thread that waits for an answer. There is one: the graph is the agent's own.
const taskWaiting = defaultGraph

// appendState writes the state of a graph that has nothing to do next, or waits. There are no checkpoints but this one.
func appendState(w *jsonwriter.Writer, t *hub.Thread) {
	id := escaped(t.ID)
	w.Open('{')
	appendValues(w, t)
	appendTasks(w, t)
	w.Value("metadata", rawjson.Or(t.Meta, "{}"))
	w.Const("created_at", timeOf(max(t.Changed, t.Begun))) // clients ignore events that are older
	w.OpenAt("checkpoint", '{')
	w.Text("thread_id", id)
	w.Const("checkpoint_ns", "")
	w.Text("checkpoint_id", id)
	w.Close('}')
	w.Value("parent_checkpoint", []byte("null"))
	w.Close('}')
}

// appendTasks writes what comes next, and what it waits for.
func appendTasks(w *jsonwriter.Writer, t *hub.Thread) {
	if len(t.Asks) == 0 {
		for _, name := range []string{"next", "tasks", "interrupts"} {
			w.Value(name, []byte("[]"))
		}
		return
	}
	w.Value("next", []byte(`["`+taskWaiting+`"]`))
	w.OpenAt("tasks", '[')
	w.Open('{')
	w.Const("id", taskWaiting)
	w.Const("name", taskWaiting)
	w.Value("error", []byte("null"))
	appendInterrupts(w, "interrupts", t.Messages, t.Asks)
	w.Close('}')
	w.Close(']')
	appendInterrupts(w, "interrupts", t.Messages, t.Asks)
}

func appendValues(w *jsonwriter.Writer, t *hub.Thread) {
	w.OpenAt("values", '{')
	appendSaid(w, t.Messages)
	w.Close('}')
}

// appendSaid writes what was said. What has no place in messages is in no state of a graph either.
func appendSaid(w *jsonwriter.Writer, ms []hub.Message) {
	w.Key(keyMessages)
	w.Append(func(dst []byte) []byte { return messages{}.AppendMessages(dst, ms, new(hub.Losses)) })
}

// appendInterrupts writes the questions that wait, as a stream would. Nothing is written where there are none.
func appendInterrupts(w *jsonwriter.Writer, name string, ms []hub.Message, asks []hub.Event) {
	if len(asks) == 0 {
		return
	}
	calls := map[string]*outCall{}
	for i := range ms {
		for j := range ms[i].Parts {
			if p := &ms[i].Parts[j]; p.Kind == hub.PartCall {
				calls[string(p.ID)] = &outCall{id: p.ID, name: p.Name, args: rawjson.AppendEscaped(nil, p.Value)}
			}
		}
	}
	w.OpenAt(name, '[')
	for i := range asks {
		w.Open('{')
		w.Text("id", asks[i].ID)
		w.Value("value", appendAsk(nil, &asks[i], calls[string(asks[i].Ref)]))
		w.Close('}')
	}
	w.Close(']')
}

// wanted is what a search asks for.
type wanted struct {
	Metadata rawjson.Value `json:"metadata"`
	IDs      rawjson.Value `json:"ids"`
	Status   rawjson.Value `json:"status"`
	Limit    rawjson.Value `json:"limit"`
	Offset   rawjson.Value `json:"offset"`
}

// appendThreads writes the threads that a search finds, the one used last first.
func appendThreads(w *jsonwriter.Writer, a *hub.Agent) {
	var json rawjson.Decoder
	var want wanted
	_ = json.Decode(a.Asked.Body, &want) // a body that is none asks for all
	from, limit := numberOr(want.Offset, 0), numberOr(want.Limit, mostFound)
	w.Open('[')
	defer w.Close(']')
	if limit == 0 {
		return
	}
	for t := range a.Threads {
		if !want.has(t) {
			continue
		}
		if from--; from >= 0 {
			continue
		}
		appendThread(w, t)
		if limit--; limit == 0 {
			return // each costs to be read
		}
	}
}

// mostFound is how many threads and runs a list has, unless its client says so.
const mostFound = 10

// has reports whether a thread is one that is looked for.
func (want *wanted) has(t *hub.Thread) bool {
	if status, ok := rawjson.Str(want.Status); ok && string(status) != statusOf(t) {
		return false
	}
	named := rawjson.Kind(want.IDs) != '['
	for id := range rawjson.Each(want.IDs) {
		named = named || string(rawjson.AppendUnescaped(nil, rawjson.Body(id))) == t.ID
	}
	for key, v := range rawjson.EachField(want.Metadata) {
		if string(rawjson.Get(t.Meta, string(key))) != string(v) {
			return false
		}
	}
	return named
}

func numberOr(v rawjson.Value, fallback int) int {
	if n, err := strconv.Atoi(string(v)); err == nil && n >= 0 {
		return n
	}
	return fallback
}

func escaped(text string) []byte { return rawjson.AppendEscaped(nil, []byte(text)) }

func timeOf(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339Nano) }
