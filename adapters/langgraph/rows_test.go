package langgraph

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The rows are those of the list of bugs that other translators had. Each test says what would go wrong.

// strictly decodes records, named and separated from their data by a space, and sequences the events.
func strictly(t *testing.T, cause error, records ...string) (all []hub.Event) {
	t.Helper()
	dec := Dialect.NewDecoder(Dialect.Defaults())
	seq := sequencer.New(sequencer.Config{})
	take := func(evs []hub.Event) {
		for i := range evs {
			all = append(all, copied(&evs[i]))
		}
	}
	for _, r := range records {
		name, data, _ := strings.Cut(r, " ")
		evs, err := dec.Decode(nil, wire.Record{Event: []byte(name), Data: []byte(data)})
		if err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		take(seq.Push(nil, evs, 0))
	}
	take(seq.Push(nil, dec.Finish(nil, cause), 0))
	take(seq.Flush(nil, cause))
	return all
}

func copied(ev *hub.Event) hub.Event {
	out := *ev
	for _, p := range []*[]byte{&out.ID, &out.Msg, &out.Name, &out.Text, &out.Value, &out.SubAgent} {
		*p = append([]byte(nil), *p...)
	}
	if ev.More != nil {
		more := *ev.More
		out.More = &more
	}
	return out
}

// emitted joins the events of a kind: what is called for each.
func emitted(evs []hub.Event, kind hub.Kind, what func(*hub.Event) string) string {
	var all []string
	for i := range evs {
		if evs[i].Kind == kind {
			all = append(all, what(&evs[i]))
		}
	}
	return strings.Join(all, ";")
}

func callOf(ev *hub.Event) string { return string(ev.ID) + string(ev.Value) + string(ev.Text) }
func textOf(ev *hub.Event) string { return string(ev.Text) }
func endOf(ev *hub.Event) string  { return ev.Status.String() }

// written encodes normalized events.
func written(modes string, evs ...hub.Event) string {
	o, _ := Dialect.ParseOptions(map[string]any{"modes": modes})
	enc, out := Dialect.NewEncoder(o), wire.NewOut(wire.SSE)
	for i := range evs {
		enc.Encode(out, &evs[i])
	}
	enc.Finish(out)
	return string(out.Buf)
}

const pieceOf = `messages [{"id":"m1","type":"AIMessageChunk","content":"",`

func TestRowsDecoded(t *testing.T) {
	f := func(name, got, want string) {
		t.Run(name, func(t *testing.T) {
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	// Row A1: parallel calls are distinguished by their index.
	f("A1 parallel calls", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","name":"f","args":"{}","index":0},{"id":"c2","name":"g","args":"[","index":1}]},{}]`,
		pieceOf+`"tool_call_chunks":[{"args":"]","index":1}]},{}]`), hub.ToolReady, callOf), `c1{};c2[]`)
	// Row A3: the first call may have any index, as Anthropic counts the text block, too.
	f("A3 first index is 1", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","name":"f","args":"{","index":1}]},{}]`,
		pieceOf+`"tool_call_chunks":[{"args":"}","index":1}]},{}]`), hub.ToolReady, callOf), `c1{}`)
	// Row A6: no index at all, or null.
	f("A6 index missing or null", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","name":"f","args":"{"}]},{}]`,
		pieceOf+`"tool_call_chunks":[{"args":"}","index":null}]},{}]`), hub.ToolReady, callOf), `c1{}`)
	// Row A7: distinct calls under one index.
	f("A7 one index for all", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","name":"f","args":"{}","index":0}]},{}]`,
		pieceOf+`"tool_call_chunks":[{"id":"c2","name":"f","args":"[]","index":0}]},{}]`), hub.ToolReady, callOf), `c1{};c2[]`)
	// Row A9: a call without an id gets one, the same each time.
	f("A9 id missing", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"name":"f","args":"{}","index":0}]},{}]`), hub.ToolReady, callOf), `call-m1-0{}`)
	// Row A10: the name comes after the arguments have begun.
	f("A10 name late", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","args":"{","index":0}]},{}]`,
		pieceOf+`"tool_call_chunks":[{"name":"f","args":"}","index":0}]},{}]`), hub.ToolReady, callOf), `c1{}`)
	// Rows B1, B4, B5: arguments that come whole, or not at all.
	f("B1 whole arguments", emitted(strictly(t, nil,
		`messages [{"id":"m1","type":"ai","content":"","tool_calls":[{"id":"c1","name":"f","args":{"a":1}}]},{}]`), hub.ToolReady, callOf), `c1{"a":1}`)
	f("B4 B5 no arguments", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","name":"f","args":"","index":0}]},{}]`), hub.ToolReady, callOf), `c1{}`)
	// Row B6: arguments that are no JSON are passed on as they are, flagged, and never as {}.
	f("B6 invalid arguments", emitted(strictly(t, nil,
		`messages [{"id":"m1","type":"ai","content":"","invalid_tool_calls":[{"id":"c1","name":"f","args":"{a"}]},{}]`), hub.ToolReady, callOf), `c1{a`)
	// Row B10: two calls in one piece; see A1. Row B11: pieces that alternate.
	f("B11 interleaved arguments", emitted(strictly(t, nil,
		pieceOf+`"tool_call_chunks":[{"id":"c1","name":"f","args":"{\"a\"","index":0},{"id":"c2","name":"g","args":"{\"b\"","index":1}]},{}]`,
		pieceOf+`"tool_call_chunks":[{"args":":1}","index":0},{"args":":2}","index":1}]},{}]`), hub.ToolReady, callOf), `c1{"a":1};c2{"b":2}`)
	// Row D1: unanswered calls are left to the client; those of a graph that went on are not.
	f("D1 calls left to the client", emitted(strictly(t, nil,
		`messages [{"id":"m1","type":"ai","content":"","tool_calls":[{"id":"c1","name":"f","args":{}}],"response_metadata":{"finish_reason":"stop"}},{}]`), hub.RunEnd, endOf), `tools`)
	// Row D5: an empty reason is none.
	f("D5 empty reason", emitted(strictly(t, nil,
		`messages [{"id":"m1","type":"ai","content":"a","response_metadata":{"finish_reason":"length"}},{}]`,
		`messages [{"id":"m1","type":"ai","content":"b","response_metadata":{"finish_reason":""}},{}]`), hub.RunEnd, endOf), `length`)
	// Row D11: unknown reasons are good ends, known ones are what they say.
	for reason, want := range map[string]string{"stop": "done", "end_turn": "done", "x": "done", "max_tokens": "length", "content_filter": "filtered", "refusal": "refused"} {
		f("D11 "+reason, emitted(strictly(t, nil,
			`messages [{"id":"m1","type":"ai","content":"a","response_metadata":{"stop_reason":"`+reason+`"}},{}]`), hub.RunEnd, endOf), want)
	}
	// Row E1: a connection that breaks is no good end, although the end of the body is one.
	f("E1 reset", emitted(strictly(t, hub.Fail(hub.CodeReset, nil), pieceOf+`"x":1},{}]`), hub.RunEnd, endOf), `truncated`)
	f("E1 empty body", emitted(strictly(t, nil), hub.RunEnd, endOf), `truncated`)
	// Row E7: an error in the middle is one, and what comes after it is dropped.
	f("E7 error midway", emitted(strictly(t, nil,
		`messages [{"id":"m1","type":"ai","content":"a"},{}]`, `error {"error":"E","message":"m"}`, `messages [{"id":"m1","type":"ai","content":"b"},{}]`,
	), hub.TextDelta, textOf), `a`)
	// Row H8: counts on every piece add up, and are reported once.
	f("H8 usage on every piece", emitted(strictly(t, nil,
		pieceOf+`"usage_metadata":{"input_tokens":3,"output_tokens":1}},{}]`, pieceOf+`"usage_metadata":{"output_tokens":4}},{}]`,
		`values {"messages":[{"id":"m1","type":"ai","content":"","usage_metadata":{"input_tokens":3,"output_tokens":5}}]}`,
	), hub.Usage, func(ev *hub.Event) string {
		u := ev.More.Usage
		if u.In == 3 && u.Out == 5 {
			return "3 in, 5 out"
		}
		return "other counts"
	}), `3 in, 5 out`)
	// Row I11: reasoning under either name.
	f("I11 reasoning_content", emitted(strictly(t, nil,
		`messages [{"id":"m1","type":"ai","content":"","additional_kwargs":{"reasoning_content":"hm"}},{}]`), hub.TextDelta, textOf), `hm`)
}

func TestRowsWritten(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	start := hub.Event{Kind: hub.RunStart, ID: b("r1")}
	call := []hub.Event{
		{Kind: hub.ToolStart, ID: b("c1"), Name: b("f"), Msg: b("m1")},
		{Kind: hub.ToolArgs, ID: b("c1"), Text: b("{}")},
		{Kind: hub.ToolReady, ID: b("c1"), Name: b("f"), Value: b("{}")},
	}
	text := func(id, msg, s string) []hub.Event {
		return []hub.Event{
			{Kind: hub.TextStart, ID: b(id), Msg: b(msg)}, {Kind: hub.TextDelta, ID: b(id), Msg: b(msg), Text: b(s)},
			{Kind: hub.TextEnd, ID: b(id), Msg: b(msg)},
		}
	}
	all := func(parts ...[]hub.Event) (evs []hub.Event) {
		evs = append(evs, start)
		for _, p := range parts {
			evs = append(evs, p...)
		}
		return append(evs, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	}
	result := []hub.Event{{Kind: hub.ToolEnd, ID: b("c1"), Name: b("f"), Status: hub.StatusOK, Text: b("ok")}}

	// Row A14: the same stream twice gives the same bytes.
	t.Run("A14 no random ids", func(t *testing.T) {
		evs := all(text("p1", "", "a"), call, result)
		if first, second := written("messages-tuple", evs...), written("messages-tuple", evs...); first != second {
			t.Errorf("first  %s\nsecond %s", first, second)
		}
	})
	// Rows C2, C5: text, call, text. No character is lost, and what follows the result is behind it.
	t.Run("C2 C5 text around a call", func(t *testing.T) {
		got := written("messages-tuple", all(text("p1", "m1", "before"), call, result, text("p2", "m1", "after"))...)
		last := -1
		for _, want := range []string{`"id":"m1","type":"AIMessageChunk","content":"before"`, `"id":"c1","name":"f"`, `"tool_call_id":"c1"`, `"id":"m1-2","type":"AIMessageChunk","content":"after"`} {
			at := strings.Index(got, want)
			if at < last || at < 0 {
				t.Errorf("%s is not there, or in the wrong place:\n%s", want, got)
			}
			last = at
		}
	})
	// Row B9: a call that was cut is no complete one. Its pieces stay pieces, and no state repeats it as a call.
	t.Run("B9 truncated call", func(t *testing.T) {
		got := written("values", start, hub.Event{Kind: hub.ToolStart, ID: b("c1"), Name: b("f")}, hub.Event{Kind: hub.ToolArgs, ID: b("c1"), Text: b(`{\"a\":`)},
			hub.Event{Kind: hub.RunEnd, Status: hub.StatusTruncated})
		if strings.Contains(got, `"tool_calls"`) {
			t.Errorf("half a call is repeated as a call:\n%s", got)
		}
	})
	// Row E5: nothing comes after the end.
	t.Run("E5 nothing after the end", func(t *testing.T) {
		for _, status := range []hub.Status{hub.StatusDone, hub.StatusFailed, hub.StatusPaused} {
			got := written("messages-tuple", start, hub.Event{Kind: hub.RunEnd, Status: status})
			records := strings.Split(strings.TrimSpace(got), "\n\n")
			if last := records[len(records)-1]; !strings.HasPrefix(last, "event: end") && !strings.HasPrefix(last, "event: error") {
				t.Errorf("%s: the last record is %s", status, last)
			}
		}
	})
	// Row H1: counts that grow are not added twice by a reader that adds.
	t.Run("H1 growing counts", func(t *testing.T) {
		count := func(out int64) []hub.Event {
			more := hub.More{Usage: hub.NoCounts}
			more.Usage.In, more.Usage.Out = 10, out
			return []hub.Event{{Kind: hub.Usage, Scope: hub.StepScope, Msg: b("m1"), More: &more}}
		}
		got := written("messages-tuple", all(text("p1", "m1", "a"), count(2), count(5))...)
		for _, want := range []string{`"input_tokens":10,"output_tokens":2,"total_tokens":12`, `"input_tokens":0,"output_tokens":3,"total_tokens":3`} {
			if strings.Count(got, want) != 1 {
				t.Errorf("%s is not there once:\n%s", want, got)
			}
		}
	})
	// Row I2: the signature of reasoning reaches the client.
	t.Run("I2 signature", func(t *testing.T) {
		got := written("messages-tuple", start, hub.Event{Kind: hub.TextStart, ID: b("p1"), Chan: hub.Reasoning},
			hub.Event{Kind: hub.TextDelta, ID: b("p1"), Chan: hub.Reasoning, Text: b("hm")},
			hub.Event{Kind: hub.TextEnd, ID: b("p1"), More: &hub.More{Sig: b("c2ln")}})
		if !strings.Contains(got, `"signature":"c2ln"`) {
			t.Errorf("the signature is lost:\n%s", got)
		}
	})
}

// TestAnswer: a client gets the modes that it asks for, and ids that no other run has.
func TestAnswer(t *testing.T) {
	f := func(body string, want ...string) {
		t.Helper()
		req := hub.Request{Unique: []byte("u1")}
		if err := Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		enc, out := Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.SSE)
		enc.(hub.Answerer).Answer(&req)
		for _, ev := range []hub.Event{
			{Kind: hub.RunStart}, {Kind: hub.TextStart, ID: []byte("p")}, {Kind: hub.TextDelta, ID: []byte("p"), Text: []byte("Hi")},
			{Kind: hub.TextEnd, ID: []byte("p")}, {Kind: hub.StepStart, ID: []byte("s"), Name: []byte("n")}, {Kind: hub.RunEnd, Status: hub.StatusDone},
		} {
			enc.Encode(out, &ev)
		}
		var got []string
		for line := range strings.Lines(string(out.Buf)) {
			if name, ok := strings.CutPrefix(line, "event: "); ok {
				got = append(got, strings.TrimSpace(name))
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: got the events %v, want %v", body, got, want)
		}
		if !strings.Contains(string(out.Buf), `"run_id":"u1"`) || !strings.Contains(string(out.Buf), `"id":"u1-1"`) {
			t.Errorf("%s: the ids are not made of that of the call:\n%s", body, out.Buf)
		}
	}
	f(`{"input":{}}`, "metadata", "messages", "tasks", "end")
	f(`{"stream_mode":["values","messages-tuple"]}`, "metadata", "messages", "end")
	f(`{"stream_mode":"messages"}`, "metadata", "messages/partial", "messages/complete", "end")
	f(`{"stream_mode":"values"}`, "metadata", "values", "values", "end")
	f(`{"stream_mode":["updates"]}`, "metadata", "updates", "end")
	f(`{"stream_mode":"events"}`, "metadata", "messages", "end")
}

func TestRequest(t *testing.T) {
	req := hub.Request{Unique: []byte("u1")}
	body := []byte(`{"config":{"configurable":{"thread_id":"t 1"}},"streamMode":["values"]}`)
	if err := Dialect.Requests.DecodeRequest(&req, body); err != nil {
		t.Fatal(err)
	}
	if string(req.Thread) != "t 1" || string(req.Modes) != `["values"]` || string(req.Run) != "u1" {
		t.Errorf("thread %q, modes %s, run %q", req.Thread, req.Modes, req.Run)
	}
	if err := Dialect.Requests.DecodeRequest(&req, []byte(`[]`)); err == nil {
		t.Error("a list is taken for a request")
	}
}

// TestExtension: what Extend writes is found again, and the decoder passes over it.
func TestExtension(t *testing.T) {
	out := wire.NewOut(wire.SSE)
	payload := `{"x-agent-stream":{"kind":"plan","items":[]}}`
	Dialect.NewEncoder(Dialect.Defaults()).(hub.Extender).Extend(out, []byte(payload))
	rec, _, err := wire.NewSplitter(wire.SSE, 0).Split(out.Buf, true)
	if err != nil || string(Dialect.Extension(rec)) != payload {
		t.Fatalf("found %s, %v", Dialect.Extension(rec), err)
	}
	evs, err := Dialect.NewDecoder(Dialect.Defaults()).Decode(nil, rec)
	if err != nil || len(evs) > 0 {
		t.Errorf("the decoder made %d events of it, %v", len(evs), err)
	}
	for _, other := range []wire.Record{
		{Event: []byte("custom"), Data: []byte(`{"text":"\"x-agent-stream\""}`)},
		{Event: []byte("values"), Data: []byte(payload)},
		{Event: []byte("custom"), Data: []byte(`["x-agent-stream"]`)},
	} {
		if found := Dialect.Extension(other); found != nil {
			t.Errorf("%s %s is taken for an extension", other.Event, other.Data)
		}
	}
}

func TestObserve(t *testing.T) {
	f := func(name string, want hub.Observation) {
		t.Helper()
		if got := Dialect.Observe(wire.Record{Event: []byte(name), Data: []byte(`{}`)}); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	f("metadata", hub.ObservedNothing)
	f("messages|tools:1", hub.ObservedNothing)
	f("error", hub.ObservedEnd)
	f("error|child:1", hub.ObservedNothing)
	f("end", hub.ObservedEnd)
}
