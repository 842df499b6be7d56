package copilot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

func newQueue(known ...string) *copilot.EmbedQueue {
	store := copilot.NewEmbedStore(8)
	for _, id := range known {
		for _, session := range []string{"", "s1"} {
			store.Add([]byte(session), []byte(id), copilot.Embed{Provider: []byte("YouTube"), Title: []byte(`"` + id + `"`)})
		}
	}
	return copilot.NewEmbedQueue(copilot.EmbedQueueConfig{Store: store})
}

// through passes a normalized stream through a stage, an event at a time, and checks that it stays normalized.
func through(t *testing.T, stage hub.Stage, evs []hub.Event) []hub.Event {
	t.Helper()
	var all []hub.Event
	for i := range evs {
		all = append(all, clone(t, stage.Push(nil, evs[i:i+1], 0))...)
	}
	all = append(all, clone(t, stage.Flush(nil, nil))...)
	check := adaptertest.Checker{Replace: true}
	for i := range all {
		if err := check.Event(&all[i]); err != nil {
			t.Errorf("behind the stage: %v\n%s", err, adaptertest.Lines(all))
		}
	}
	if err := check.End(); err != nil {
		t.Errorf("behind the stage: %v", err)
	}
	return all
}

// order is a stream in few words: what starts and ends, and the embeds between.
func order(evs []hub.Event) string {
	var words []string
	for i := range evs {
		ev := &evs[i]
		switch {
		case ev.Kind == hub.Data && strings.HasPrefix(string(ev.Name), "caco."):
			words = append(words, "embed:"+string(ev.ID))
		case ev.Kind == hub.ToolStart, ev.Kind == hub.ToolEnd:
			words = append(words, strings.TrimPrefix(ev.Kind.String(), "tool.")+":"+string(ev.ID))
		case ev.Kind == hub.TextStart && !ev.Flags.Has(hub.User):
			words = append(words, ev.Chan.String()+":"+string(ev.ID))
		case ev.Kind == hub.RunEnd:
			words = append(words, ev.Status.String())
		}
	}
	return strings.Join(words, " ")
}

const (
	toolStart = `{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"embed_media","arguments":{}}}`
	embedA    = `{"type":"caco.embed","data":{"outputId":"out_a","provider":"YouTube","title":"A"}}`
	toolEnd   = `{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"queued"}}}`
	markerA   = `{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"[output:out_a] queued"}}}`
	delta     = `{"type":"assistant.message_delta","data":{"messageId":"m1","deltaContent":"Here"}}`
	full      = `{"type":"assistant.message","data":{"messageId":"m1","content":"Here it is"}}`
	thought   = `{"type":"assistant.reasoning_delta","data":{"reasoningId":"r1","deltaContent":"Hm"}}`
	idle      = `{"type":"session.idle","data":{}}`
	failure   = `{"type":"session.error","data":{"errorType":"x","message":"gone"}}`
)

// TestEmbedQueue, S2-69: all without a network.
func TestEmbedQueue(t *testing.T) {
	f := func(why, want string, records ...string) {
		t.Helper()
		if got := order(through(t, newQueue("out_a", "out_b"), normalized(decode(t, "", records...)))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", why, got, want)
		}
	}
	f("S2-13: not between the start and the end of a call; S2-16: before the first delta",
		"start:t1 end:t1 embed:out_a answer:m1 done", toolStart, embedA, toolEnd, delta, full, idle)
	f("S2-14: before the message, if that is all", "start:t1 end:t1 embed:out_a answer:m1 done", toolStart, embedA, toolEnd, full, idle)
	f("S2-15: before the error", "start:t1 end:t1 embed:out_a failed", toolStart, embedA, toolEnd, failure)
	f("before the end of the run", "start:t1 end:t1 embed:out_a done", toolStart, embedA, toolEnd, idle)
	f("not before thoughts", "start:t1 end:t1 reasoning:r1 embed:out_a answer:m1 done", toolStart, embedA, toolEnd, thought, delta, idle)
	f("S2-20: a marker announces what is known", "start:t1 end:t1 embed:out_a answer:m1 done", toolStart, markerA, full, idle)
	f("S2-20: and nothing that is not", "start:t1 end:t1 answer:m1 done", toolStart,
		strings.Replace(markerA, "out_a", "terminal_out", 1), full, idle)
	f("once, though announced and marked", "start:t1 end:t1 embed:out_a answer:m1 done", toolStart, embedA, markerA, full, idle)
	f("an embed that comes twice", "start:t1 end:t1 embed:out_a answer:m1 done", toolStart, embedA, embedA, toolEnd, full, idle)
	f("several markers, in the object that tools return", "start:t1 end:t1 embed:out_b embed:out_a answer:m1 done", toolStart,
		`{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"{\"textResultForLlm\":\"[output:out_b] and [output:x] and [output:out_a][output:] [output:\"}"}}}`,
		full, idle)
	f("properties at the root, as in live streams", "start:t1 end:t1 embed:out_a answer:m1 done", toolStart,
		`{"type":"tool.execution_complete","toolCallId":"t1","success":true,"result":{"content":"[output:out_a] queued"}}`, full, idle)
	f("a sub-agent's text is not the conversation's", "start:t1 start:t2 answer:m2 end:t2 end:t1 embed:out_a answer:m1 done", toolStart,
		`{"type":"subagent.started","agentId":"a1","data":{"toolCallId":"t1","agentName":"n"}}`,
		`{"type":"tool.execution_start","agentId":"a1","data":{"toolCallId":"t2","toolName":"embed_media"}}`, embedA,
		`{"type":"assistant.message_delta","agentId":"a1","data":{"messageId":"m2","deltaContent":"Inner"}}`,
		`{"type":"tool.execution_complete","agentId":"a1","data":{"toolCallId":"t2","success":true}}`, toolEnd, full, idle)
}

// S2-17: the same triggers for live and history. S2-18: several embeds in one turn stay apart, in order. S2-19: each
// turn's embeds come before its message.
func TestEmbedQueueTurns(t *testing.T) {
	const want = "start:t1 start:t2 end:t1 end:t2 embed:out_a embed:out_b answer:m1 start:t3 end:t3 embed:out_c answer:m2 done"
	live := wireOf(t, "embeds_live")
	if got := order(through(t, newQueue(), normalized(decode(t, "", live...)))); got != want {
		t.Errorf("live:\n got %s\nwant %s", got, want)
	}
	history := slices.DeleteFunc(slices.Clone(live), func(rec string) bool {
		typ := member(rec, "type")
		return typ == "caco.embed" || typ == "assistant.message_delta" || typ == "session.idle"
	})
	evs := through(t, newQueue("out_a", "out_b", "out_c"), normalized(decode(t, "history=true", history...)))
	if got := order(evs); got != want {
		t.Errorf("history:\n got %s\nwant %s", got, want)
	}
	for i := range evs {
		if ev := &evs[i]; ev.Kind == hub.Data {
			if got, id := string(ev.Value), string(ev.ID); got != `{"outputId":"`+id+`","provider":"YouTube","title":"\"`+id+`\""}` {
				t.Errorf("the embed is %s", got)
			}
		}
	}
	for _, rec := range encode(t, "envelope=ws", evs) {
		if member(rec, "type") == "caco.embed" && member(rec, "data", "outputId") == "" {
			t.Errorf("an embed without its key: %s", rec)
		}
	}
}

// S2-12: queue, flush, and flush of an empty queue. S2-21: a queue knows one session only.
func TestEmbedQueueFlush(t *testing.T) {
	q, other := newQueue(), newQueue()
	embed := normalized(decode(t, "", embedA))[1:2]
	if out := q.Flush(nil, nil); len(out) != 0 || q.Len() != 0 {
		t.Errorf("an empty queue gives %s", adaptertest.Lines(out))
	}
	if out := q.Push(nil, embed, 0); len(out) != 0 || q.Len() != 1 {
		t.Errorf("it keeps %d and gives %s", q.Len(), adaptertest.Lines(out))
	}
	if other.Len() != 0 || len(other.Flush(nil, nil)) != 0 {
		t.Errorf("another session's queue has it")
	}
	if out := q.Flush(nil, nil); len(out) != 1 || string(out[0].ID) != "out_a" {
		t.Errorf("flush gives %s", adaptertest.Lines(out))
	}
	if out := q.Flush(nil, nil); len(out) != 0 || q.Len() != 0 {
		t.Errorf("flush does not clear: %s", adaptertest.Lines(out))
	}
	if out := q.Push(nil, embed, 0); len(out) != 0 || q.Len() != 0 {
		t.Errorf("the same embed again: it keeps %d and gives %s", q.Len(), adaptertest.Lines(out))
	}
	q.Reset()
	if out := q.Push(nil, embed, 0); len(out) != 0 || q.Len() != 1 {
		t.Errorf("after Reset, it keeps %d and gives %s", q.Len(), adaptertest.Lines(out))
	}
}

// S2-16: which events empty the queue can be chosen.
func TestEmbedQueueTriggers(t *testing.T) {
	f := func(want string, triggers ...string) {
		t.Helper()
		q := copilot.NewEmbedQueue(copilot.EmbedQueueConfig{Triggers: triggers})
		got := ""
		for _, ev := range through(t, q, normalized(decode(t, "", toolStart, embedA, toolEnd, delta, full, idle))) {
			if ev.Kind == hub.Data || ev.Kind == hub.TextDelta || ev.Kind == hub.TextEnd || ev.Kind == hub.RunEnd {
				got += " " + ev.Kind.String()
			}
		}
		if got != want {
			t.Errorf("triggers %q:\n got%s\nwant%s", triggers, got, want)
		}
	}
	f(" data text.delta text.delta text.end run.end", "assistant.message_delta")
	f(" text.delta text.delta data text.end run.end", "assistant.message")
	f(" text.delta text.delta text.end data run.end", "session.error")
	f(" text.delta text.delta text.end data run.end", "")
}

// TestEmbedQueueWithoutStore: other events of the application wait as well; without a store, markers stay what they are.
func TestEmbedQueueWithoutStore(t *testing.T) {
	q := copilot.NewEmbedQueue(copilot.EmbedQueueConfig{})
	evs := normalized(decode(t, "", toolStart, `{"type":"caco.reload","data":{}}`, markerA, full, idle))
	if got := order(through(t, q, evs)); got != "start:t1 end:t1 embed: answer:m1 done" {
		t.Errorf("got %s", got)
	}
}

// TestEmbedStore: S2-20 for callers that keep a store. What a live stream announces, the history of the same session announces again, and
// that of no other; of more than the store holds, the oldest is forgotten.
func TestEmbedStore(t *testing.T) {
	store := copilot.NewEmbedStore(2)
	pass := func(option string, records ...string) string {
		q := copilot.NewEmbedQueue(copilot.EmbedQueueConfig{Store: store})
		return order(through(t, q, normalized(decode(t, option, records...))))
	}
	named := func(session string) string { return `{"type":"session.start","data":{"sessionId":"` + session + `"}}` }
	pass("", named("s1"), toolStart, embedA, toolEnd, full, idle)
	f := func(want, session string) {
		t.Helper()
		if got := pass("history=true", named(session), toolStart, markerA, full); got != want {
			t.Errorf("history of %q:\n got %s\nwant %s", session, got, want)
		}
	}
	const known, unknown = "start:t1 end:t1 embed:out_a answer:m1 done", "start:t1 end:t1 answer:m1 done"
	f(known, "s1")
	f(unknown, "s2")
	f(unknown, "")
	pass("", named("s2"), embedA, strings.Replace(embedA, "out_a", "out_b", 1), idle)
	f(unknown, "s1")
	f(known, "s2")
	store.Add([]byte("s3"), []byte("out_a"), copilot.Embed{Title: []byte(strings.Repeat("x", 2000))})
	f(unknown, "s3")
	f(known, "s2")
}
