package anthropic

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The rows are those of the list of bugs that other translators had. Each test says what would go wrong. Rows about what
// servers send are fixtures, which name them; here are those about what is written, from streams as other dialects are
// decoded to.

// TestRowsWritten compares the blocks that a stream is written as.
func TestRowsWritten(t *testing.T) {
	f := func(name string, decoded []hub.Event, want ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			records := written(t, nil, decoded...)
			checkOrder(t, records)
			if got := blockTypes(records); got != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
	weather := `{"type":"tool_use","id":"a","name":"weather","input":{}}`
	clock := `{"type":"tool_use","id":"b","name":"clock","input":{}}`
	fragment := func(s string) string {
		return `{"type":"input_json_delta","partial_json":"` + strings.ReplaceAll(s, `"`, `\"`) + `"}`
	}
	emitted := func(s string) string { return `{"type":"text_delta","text":"` + s + `"}` }
	textStart, stop := `{"type":"text","text":""}`, func(reason string) string { return `{"stop_reason":"` + reason + `","stop_sequence":null}` }
	mused := func(s string) string { return `{"type":"thinking_delta","thinking":"` + s + `"}` }
	thinkStart := `{"type":"thinking","thinking":"","signature":""}`

	// Row A10: no block before the name of its call is known.
	f("A10 the name comes after the arguments",
		[]hub.Event{start(), args("a", `{}`), asked("a", ""), asked("a", "weather"), end(hub.StatusTools)},
		weather, fragment("{}"), stop("tool_use"))
	// Row A13: ids that the API would not take back.
	f("A13 an id with a dot and a colon",
		[]hub.Event{start(), asked("functions.Bash:0", "weather"), end(hub.StatusTools)},
		`{"type":"tool_use","id":"sabir_functions-2eBash-3a0","name":"weather","input":{}}`, fragment("{}"), stop("tool_use"))
	// Row B1: arguments that came whole are streamed, too.
	f("B1 arguments in one piece",
		[]hub.Event{start(), asked("a", "weather"), {Kind: hub.ToolReady, ID: []byte("a"), Value: []byte(`{"q":1}`)}, end(hub.StatusTools)},
		weather, fragment(`{"q":1}`), stop("tool_use"))
	// Row B3: the last fragment comes with the end.
	f("B3 the last fragment just before the end",
		[]hub.Event{start(), asked("a", "weather"), args("a", `{"q":`), args("a", `1}`), end(hub.StatusTools)},
		weather, fragment(`{"q":`), fragment(`1}`), stop("tool_use"))
	// Rows B4, B5: a call without arguments has an empty object, not an empty text.
	f("B4 B5 no arguments",
		[]hub.Event{start(), asked("a", "weather"), args("a", ""), end(hub.StatusTools)},
		weather, fragment(`{}`), stop("tool_use"))
	// Row B6: arguments that are no JSON must not become {}, which a client would run.
	f("B6 arguments that are no JSON",
		[]hub.Event{start(), asked("a", "weather"), args("a", `{"q":`), end(hub.StatusTools)},
		weather, fragment(`{"q":`), `{"type":"api_error","message":"The arguments of a tool call are not valid JSON."}`)
	// Row B9: a call that was cut is not complete.
	f("B9 cut inside the arguments",
		[]hub.Event{start(), asked("a", "weather"), args("a", `{"q":`), end(hub.StatusLength)},
		weather, fragment(`{"q":`), stop("max_tokens"))
	// Row B10: all calls of a chunk, with arguments or without.
	f("B10 two calls at once",
		[]hub.Event{start(), asked("a", "weather"), asked("b", "clock"), end(hub.StatusTools)},
		weather, fragment(`{}`), clock, fragment(`{}`), stop("tool_use"))
	// Rows B11, C9: fragments of two calls by turns. Each has one block, and the fragments are in that of their own call, those that waited as one.
	f("B11 fragments of two calls by turns",
		[]hub.Event{start(), asked("a", "weather"), asked("b", "clock"), args("a", `{"q":`), args("b", `{"z":`), args("a", `1}`), args("b", `2}`),
			ready("a"), ready("b"), end(hub.StatusTools)},
		weather, fragment(`{"q":`), fragment(`1}`), clock, fragment(`{"z":2}`), stop("tool_use"))
	// Row B12: reasoning and a call do not share a block.
	f("B12 a call after reasoning",
		[]hub.Event{start(), thought("r", "Hm."), asked("a", "weather"), args("a", `{}`), end(hub.StatusTools)},
		thinkStart, mused("Hm."), weather, fragment(`{}`), stop("tool_use"))
	// Row B13: reasoning that comes inside a call waits for its end.
	f("B13 reasoning inside a call",
		[]hub.Event{start(), asked("a", "weather"), args("a", `{"q":`), thought("r", "Hm."), args("a", `1}`), ready("a"), end(hub.StatusTools)},
		weather, fragment(`{"q":`), fragment(`1}`), thinkStart, mused("Hm."), stop("tool_use"))
	// Rows C2, C5: text, call, text are three blocks, and nothing is lost between them.
	f("C2 C5 text, call, text",
		[]hub.Event{start(), text("t", "One "), asked("a", "weather"), args("a", `{}`), ready("a"), text("t", "two."), end(hub.StatusTools)},
		textStart, emitted("One "), weather, fragment(`{}`), textStart, emitted("two."), stop("tool_use"))
	// Row C3: more than one block of reasoning.
	f("C3 reasoning before and after a call",
		[]hub.Event{start(), thought("r", "One."), signed("r", "c2ln"), ran("a", "weather"), result("a", "3"), thought("s", "Two."), end(hub.StatusDone)},
		thinkStart, mused("One."), `{"type":"signature_delta","signature":"c2ln"}`,
		`{"type":"mcp_tool_use","id":"a","name":"weather","server_name":"agent","input":{}}`,
		`{"type":"mcp_tool_result","tool_use_id":"a","is_error":false,"content":[{"type":"text","text":"3"}]}`,
		thinkStart, mused("Two."), stop("end_turn"))
	// Rows C4, C8: the first block is what comes first, and message_start comes before it in any case.
	f("C4 C8 a call and nothing else",
		[]hub.Event{asked("a", "weather"), end(hub.StatusTools)},
		weather, fragment(`{}`), stop("tool_use"))
	// Row C6: reasoning is never written into a block of text.
	f("C6 reasoning, then text",
		[]hub.Event{start(), thought("r", "Hm."), text("t", "Hello"), end(hub.StatusDone)},
		thinkStart, mused("Hm."), textStart, emitted("Hello"), stop("end_turn"))
	// Row C21: the parts of one summary are one block, signed once.
	f("C21 three parts of a summary",
		[]hub.Event{start(), thought("r", "One. "), thought("r", "Two. "), thought("r", "Three."), signed("r", "c2ln"), end(hub.StatusDone)},
		thinkStart, mused("One. "), mused("Two. "), mused("Three."), `{"type":"signature_delta","signature":"c2ln"}`, stop("end_turn"))
	// Row C22: the order of blocks is that of the stream.
	f("C22 text, call, text of other parts",
		[]hub.Event{start(), text("t", "One."), asked("a", "weather"), ready("a"), text("u", "Two."), end(hub.StatusTools)},
		textStart, emitted("One."), weather, fragment(`{}`), textStart, emitted("Two."), stop("tool_use"))
	// Rows D1, D2: a call for the client makes the reason tool_use, whatever the upstream says and whenever.
	f("D1 done, with a call",
		[]hub.Event{start(), asked("a", "weather"), end(hub.StatusDone)},
		weather, fragment(`{}`), stop("tool_use"))
	f("D1 done, after a call that was run",
		[]hub.Event{start(), ran("a", "weather"), result("a", "3"), end(hub.StatusDone)},
		`{"type":"mcp_tool_use","id":"a","name":"weather","server_name":"agent","input":{}}`,
		`{"type":"mcp_tool_result","tool_use_id":"a","is_error":false,"content":[{"type":"text","text":"3"}]}`, stop("end_turn"))
	f("D2 a call, then the end in another record",
		[]hub.Event{start(), asked("a", "weather"), args("a", `{}`), ready("a"), {Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: hub.NoCounts}}, end(hub.StatusDone)},
		weather, fragment(`{}`), stop("tool_use"))
	// Row D8: a refusal is none of the good ends.
	f("D8 refused", []hub.Event{start(), text("t", "No."), end(hub.StatusRefused)},
		textStart, emitted("No."), `{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":null,"explanation":null}}`)
	// Row D9: the stop sequence is reported.
	f("D9 a stop sequence",
		[]hub.Event{start(), text("t", "Yes"), {Kind: hub.RunEnd, Name: []byte("stop_sequence"), More: &hub.More{Meta: []byte(`{"anthropic":{"stop_sequence":"END"}}`)}}},
		textStart, emitted("Yes"), `{"stop_reason":"stop_sequence","stop_sequence":"END"}`)
	f("D9 a stop sequence of a server of Chat Completions",
		[]hub.Event{start(), text("t", "Yes"), {Kind: hub.RunEnd, Name: []byte("stop_sequence"), More: &hub.More{Meta: []byte(`{"stop_sequence":"END"}`)}}},
		textStart, emitted("Yes"), `{"stop_reason":"stop_sequence","stop_sequence":"END"}`)
	// Rows E1, E3: a stream that was cut ends with an error, not as if it were complete.
	f("E1 E3 cut", []hub.Event{start(), text("t", "Hel")},
		textStart, emitted("Hel"), `{"type":"api_error","message":"The agent server stopped before the answer was complete."}`)
	// Row E7: an error in the middle is reported.
	f("E7 an error in the middle",
		[]hub.Event{start(), text("t", "Hel"), {Kind: hub.RunEnd, Status: hub.StatusFailed, More: &hub.More{Err: []byte("Overloaded"), ErrCode: []byte("overloaded_error")}}},
		textStart, emitted("Hel"), `{"type":"overloaded_error","message":"Overloaded"}`)
	// Row I1: reasoning without a signature has the empty one that clients look for.
	f("I1 reasoning of another model", []hub.Event{start(), thought("r", "Hm."), end(hub.StatusDone)},
		thinkStart, mused("Hm."), stop("end_turn"))
	// Row I8: the text of a thought is the member thinking, where clients look for it.
	f("I8 the text of a thought", []hub.Event{start(), thought("r", "Hm."), end(hub.StatusDone)},
		thinkStart, `{"type":"thinking_delta","thinking":"Hm."}`, stop("end_turn"))
	// Rows I6, I7: the signature is the last delta of its block.
	f("I6 I7 a signature that comes with the end of the reasoning",
		[]hub.Event{start(), thought("r", "Hm."), signed("r", "c2ln"), text("t", "Hello"), end(hub.StatusDone)},
		thinkStart, mused("Hm."), `{"type":"signature_delta","signature":"c2ln"}`, textStart, emitted("Hello"), stop("end_turn"))
}

// checkOrder checks what rows A12, B11, C1, C2, C7, C9, C10 and E5 are about: one message_start, blocks one after the
// other with indices from 0, every delta inside its block, one end and nothing behind it.
func checkOrder(t *testing.T, records string) {
	t.Helper()
	next, open, ended := 0, false, false
	for line := range strings.Lines(records) {
		if ended {
			t.Errorf("after the end: %s", line)
		}
		is := func(typ string) bool { return strings.HasPrefix(line, `{"type":"`+typ+`"`) }
		at := strings.Contains(line, `"index":`+itoa(next)+`,`) || strings.Contains(line, `"index":`+itoa(next)+`}`)
		switch {
		case is("content_block_start"):
			if open || !at {
				t.Errorf("block %d is out of place: %s", next, line)
			}
			open = true
		case is("content_block_delta") && (!open || !at):
			t.Errorf("no block for %s", line)
		case is("content_block_stop"):
			if !open || !at {
				t.Errorf("ends no block: %s", line)
			}
			open = false
			next++
		case is("message_stop"), is("error"):
			ended = true
			if open && is("message_stop") {
				t.Error("a block is open at the end")
			}
		}
	}
	if !ended {
		t.Error("the stream does not end")
	}
}

func itoa(n int) string { return string(strconv.AppendInt(nil, int64(n), 10)) }

// TestRowC7 is about message_start: rows C7 and C8.
func TestRowC7(t *testing.T) {
	enc := Dialect.NewEncoder(Dialect.Defaults())
	for _, decoded := range [][]hub.Event{
		{start(), start(), text("t", "Hello"), start(), end(hub.StatusDone)},
		{end(hub.StatusDone)},
		{asked("a", "weather")},
	} {
		enc.Reset()
		if n := strings.Count(stream(enc, decoded...), "event: message_start\n"); n != 1 {
			t.Errorf("%d times message_start", n)
		}
	}
}

// TestRowC10 is about ends: whatever ends a stream, what is open is closed and the message is ended, once.
func TestRowC10(t *testing.T) {
	for _, st := range []hub.Status{
		hub.StatusDone, hub.StatusLength, hub.StatusLimit, hub.StatusRefused, hub.StatusFiltered, hub.StatusTools, hub.StatusPaused,
		hub.StatusCancelled, hub.StatusFailed, hub.StatusTruncated,
	} {
		for _, decoded := range [][]hub.Event{
			{start(), text("t", "Hello"), end(st)},
			{start(), thought("r", "Hm."), end(st), text("t", "late"), end(hub.StatusFailed)},
			{start(), asked("a", "weather"), args("a", `{}`), end(st)},
			{start(), ran("a", "weather"), end(st)},
			{end(st)},
		} {
			checkOrder(t, written(t, nil, decoded...))
		}
	}
}

// TestRowD11 is about stop reasons: each keeps its meaning, in both directions.
func TestRowD11(t *testing.T) {
	read := func(reason string, want hub.Status) {
		t.Helper()
		dec := Dialect.NewDecoder(Dialect.Defaults())
		if _, err := dec.Decode(nil, wire.Record{Data: []byte(`{"type":"message_delta","delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":1}}`)}); err != nil {
			t.Fatal(err)
		}
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(`{"type":"message_stop"}`)})
		if err != nil || len(evs) != 1 {
			t.Fatalf("%s: %d events, %v", reason, len(evs), err)
		}
		last := evs[0]
		if last.Status != want || string(last.Name) != reason {
			t.Errorf("%s is read as %s, %s", reason, last.Status, last.Name)
		}
	}
	read("end_turn", hub.StatusDone)
	read("stop_sequence", hub.StatusDone)
	read("max_tokens", hub.StatusLength)
	read("model_context_window_exceeded", hub.StatusLength)
	read("pause_turn", hub.StatusPaused)
	read("compaction", hub.StatusPaused)
	read("refusal", hub.StatusRefused)
	read("tool_use", hub.StatusDone) // there is no call
	read("out_of_coffee", hub.StatusDone)

	write := func(status hub.Status, name, want string) {
		t.Helper()
		ev := end(status)
		ev.Name = []byte(name)
		if got := written(t, nil, start(), text("t", "x"), ev); !strings.Contains(got, want) {
			t.Errorf("%s %s is written as %s", status, name, got)
		}
	}
	write(hub.StatusDone, "", `"stop_reason":"end_turn"`)
	write(hub.StatusDone, "stop", `"stop_reason":"end_turn"`)
	write(hub.StatusDone, "stop_sequence", `"stop_reason":"stop_sequence"`)
	write(hub.StatusLength, "", `"stop_reason":"max_tokens"`)
	write(hub.StatusLength, "model_context_window_exceeded", `"stop_reason":"model_context_window_exceeded"`)
	write(hub.StatusLimit, "max_turns", `"stop_reason":"max_tokens"`)
	write(hub.StatusTools, "", `"stop_reason":"end_turn"`) // there is no call
	write(hub.StatusPaused, "", `"stop_reason":"pause_turn"`)
	write(hub.StatusPaused, "compaction", `"stop_reason":"compaction"`)
	write(hub.StatusRefused, "", `"stop_reason":"refusal"`)
	write(hub.StatusFiltered, "content_filter", `"stop_reason":"refusal"`)
	write(hub.StatusCancelled, "", `"error":{"type":"api_error","message":"The run was cancelled."}`)
	write(hub.StatusFailed, "", `"error":{"type":"api_error","message":"The run failed."}`)
	write(hub.StatusTruncated, "", `"error":{"type":"api_error","message":"The agent stopped before the answer was complete."}`)
}

// TestRowE11: clients know an error by the name of its event alone.
func TestRowE11(t *testing.T) {
	got := stream(encoderWith(t, nil), start(), end(hub.StatusFailed))
	if !strings.HasSuffix(got, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"The run failed.\"}}\n\n") {
		t.Errorf("got %s", got)
	}
}

// TestRowsUsage: rows H1 and H3. Totals are not added up, and the cached part of the input is counted separately.
func TestRowsUsage(t *testing.T) {
	usage := func(scope hub.Scope, model string, in, out, cached int64) hub.Event {
		m := &hub.More{Usage: hub.NoCounts, Model: []byte(model)}
		m.Usage.In, m.Usage.Out, m.Usage.Cached = in, out, cached
		return hub.Event{Kind: hub.Usage, Scope: scope, More: m}
	}
	f := func(name, want string, usages ...hub.Event) {
		t.Helper()
		got := written(t, nil, append(append([]hub.Event{start(), text("t", "x")}, usages...), end(hub.StatusDone))...)
		if !strings.Contains(got, `,"usage":`+want+"}\n") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	f("H3 cached tokens are part of the input", `{"input_tokens":12,"cache_creation_input_tokens":0,"cache_read_input_tokens":8,"output_tokens":31}`,
		usage(hub.RunScope, "", 20, 31, 8))
	f("H1 the last total counts", `{"input_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":31}`,
		usage(hub.RunScope, "m", 20, -1, -1), usage(hub.RunScope, "m", 20, 5, -1), usage(hub.RunScope, "m", 20, 31, -1))
	f("H8 totals on every chunk", `{"input_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7}`,
		usage(hub.RunScope, "", 20, 6, -1), usage(hub.RunScope, "", 20, 7, -1))
	f("two models", `{"input_tokens":30,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12}`,
		usage(hub.RunScope, "a", 20, 5, -1), usage(hub.RunScope, "b", 10, 7, -1))
	f("steps add up", `{"input_tokens":30,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12}`,
		usage(hub.StepScope, "", 20, 5, -1), usage(hub.StepScope, "", 10, 7, -1))
	f("unless the run says its total", `{"input_tokens":31,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":13}`,
		usage(hub.StepScope, "", 20, 5, -1), usage(hub.RunScope, "", 31, 13, -1))
	f("nothing is known, but the member is there", `{"output_tokens":0}`)
	f("H4 what a session used is not this message", `{"output_tokens":0}`, usage(hub.SessionScope, "", 9, 9, -1))
}

// TestRowA14: the same call has the same id on the wire, always.
func TestRowA14(t *testing.T) {
	decoded := []hub.Event{start(), asked("call:1/ä", "weather"), ran("", "clock"), end(hub.StatusTools)}
	if first, second := written(t, nil, decoded...), written(t, nil, decoded...); first != second {
		t.Errorf("first\n%s\nthen\n%s", first, second)
	}
}
