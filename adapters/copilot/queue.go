package copilot

import (
	"bytes"
	"slices"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/stages"
)

// Caco shows media in the conversation: a tool stores them and announces a caco.embed while it is still running. The
// announcement is to stand behind the tool and before the text that follows. In the log of a session there is none; there
// a marker in the result of the tool, [output:id], names what was stored.

// Embed is a stored output. Its slices are plain text.
type Embed struct{ Provider, Title []byte }

// EmbedQueueConfig says what an [EmbedQueue] knows.
type EmbedQueueConfig struct {
	// Triggers are the types of events before which the queue is emptied, of those in DefaultTriggers. The end of a run
	// always empties it, however it ends.
	Triggers []string

	// Store remembers what is announced, and knows what the outputs in markers are. nil: markers are left alone.
	Store *EmbedStore
}

// DefaultTriggers are those of Caco.
var DefaultTriggers = []string{"assistant.message_delta", "assistant.message", "session.error"}

// EmbedQueue is a stage for streams of this dialect: it puts announcements in their place, and makes those that only a
// marker stands for, each once. It treats live streams and history alike. One stream is one session; so is a queue.
type EmbedQueue struct {
	cfg   EmbedQueueConfig
	queue *stages.Queue
	known map[string]bool // outputs that were announced

	session []byte // that of the run, a string body
	made    []hub.Event
	text    []byte
}

// NewEmbedQueue makes a queue.
func NewEmbedQueue(cfg EmbedQueueConfig) *EmbedQueue {
	if cfg.Triggers == nil {
		cfg.Triggers = DefaultTriggers
	}
	q := &EmbedQueue{cfg: cfg}
	deltas := slices.Contains(cfg.Triggers, "assistant.message_delta")
	full := slices.Contains(cfg.Triggers, "assistant.message")
	q.queue = stages.NewQueue(stages.QueueConfig{Hold: isCaco, Release: func(ev *hub.Event) bool {
		switch {
		case ev.Chan != hub.AnswerText || ev.Flags.Has(hub.User):
			return false
		case ev.Kind == hub.TextStart || ev.Kind == hub.TextDelta && ev.Op == hub.Append:
			return deltas
		}
		return full && (ev.Kind == hub.TextEnd || ev.Kind == hub.TextDelta)
	}})
	q.Reset()
	return q
}

// isCaco reports whether an event is one that the application, not the agent, has made.
func isCaco(ev *hub.Event) bool { return ev.Kind == hub.Data && hasPrefix(ev.Name, cacoPrefix) }

// Len is how many announcements wait.
func (q *EmbedQueue) Len() int { return q.queue.Len() }

// Reset implements [hub.Stage].
func (q *EmbedQueue) Reset() {
	q.queue.Reset()
	q.known = map[string]bool{}
	q.made, q.session = q.made[:0], q.session[:0]
}

// Push implements [hub.Stage].
func (q *EmbedQueue) Push(dst, in []hub.Event, now time.Duration) []hub.Event {
	for i := range in {
		ev := &in[i]
		switch {
		case ev.Kind == hub.RunStart:
			q.session = append(q.session, ev.Ref...)
		case ev.Kind != hub.Data || string(ev.Name) != typeEmbed:
		case !q.isNew(ev.ID):
			continue
		case q.cfg.Store != nil:
			q.cfg.Store.note(q.session, ev.Value)
		}
		dst = q.queue.Push(dst, in[i:i+1], now)
		if ev.Kind == hub.ToolEnd && q.cfg.Store != nil {
			dst = q.announce(dst, ev, now)
		}
	}
	return dst
}

// Flush implements [hub.Stage].
func (q *EmbedQueue) Flush(dst []hub.Event, cause error) []hub.Event {
	return q.queue.Flush(dst, cause)
}

// isNew reports whether an output was not announced before, and remembers it. Without an id it always is new.
func (q *EmbedQueue) isNew(id []byte) bool {
	if len(id) == 0 || len(q.known) >= maxKnown {
		return true
	}
	if q.known[string(id)] {
		return false
	}
	q.known[string(id)] = true
	return true
}

// announce queues the outputs that the result of a tool names.
func (q *EmbedQueue) announce(dst []hub.Event, ev *hub.Event, now time.Duration) []hub.Event {
	result := ev.Text
	if body, ok := rawjson.Str(ev.Value); ok {
		result = body
	}
	if !bytes.Contains(result, []byte(markerHead)) {
		return dst
	}
	_, result, _ = ResultText(nil, result)
	q.text = rawjson.AppendUnescaped(q.text[:0], result)
	for id := range markers(q.text) {
		embed, ok := q.cfg.Store.Lookup(q.session, id)
		body := rawjson.AppendEscaped(nil, id)
		if !ok || !q.isNew(body) {
			continue
		}
		q.made = append(q.made[:0], embed.event(body))
		dst = q.queue.Push(dst, q.made, now)
	}
	return dst
}

// event is the announcement. It belongs to no sub-agent: the conversation shows it.
func (e Embed) event(id []byte) hub.Event {
	data := appendText([]byte{'{'}, `"outputId":"`, id)
	data = append(rawjson.AppendString(append(data, `"provider":`...), e.Provider), ',')
	data = append(rawjson.AppendString(append(data, `"title":`...), e.Title), '}')
	return hub.Event{Kind: hub.Data, Name: []byte(typeEmbed), ID: id, Op: hub.Emit, Value: data, Flags: hub.Synthetic}
}

const markerHead = "[output:"

// markers goes through the ids in a plain text with markers, [output:id].
func markers(text []byte) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for {
			i := bytes.Index(text, []byte(markerHead))
			if i < 0 {
				return
			}
			text = text[i+len(markerHead):]
			end := bytes.IndexByte(text, ']')
			if end < 0 || end > 0 && !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
