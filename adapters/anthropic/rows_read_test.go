package anthropic

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// reread decodes an event stream, and returns the records that are written of it.
func reread(t *testing.T, sse string) string {
	t.Helper()
	dec, c := Dialect.NewDecoder(Dialect.Defaults()), newChain(encoderWith(t, nil))
	split := wire.NewSplitter(wire.SSE, 0)
	for buf := []byte(sse); len(buf) > 0; {
		rec, n, err := split.Split(buf, true)
		if err != nil || n == 0 {
			t.Fatalf("cannot split: %v", err)
		}
		decoded, _ := dec.Decode(nil, rec) // some of the records are faults
		c.push(decoded)
		buf = buf[n:]
	}
	c.push(dec.Finish(nil, nil))
	return lines(c.end())
}

// TestRowsRead: what is wrong with the streams of servers is right in those that are written of them. That each of these
// streams is also read as events of the model is shown by the fixtures, which name the rows, too.
func TestRowsRead(t *testing.T) {
	begin := "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":12,\"output_tokens\":1}}}\n\n"
	ev := func(typ, rest string) string {
		return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"," + rest + "}\n\n"
	}
	block := func(index, start string, deltas ...string) string {
		s := ev("content_block_start", `"index":`+index+`,"content_block":`+start)
		for _, d := range deltas {
			s += ev("content_block_delta", `"index":`+index+`,"delta":`+d)
		}
		return s + ev("content_block_stop", `"index":`+index)
	}
	ending := func(reason string) string {
		return ev("message_delta", `"delta":{"stop_reason":"`+reason+`","stop_sequence":null},"usage":{"output_tokens":31}`) +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	}
	const (
		textStart, hello   = `{"type":"text","text":""}`, `{"type":"text_delta","text":"Hello"}`
		callStart, request = `{"type":"tool_use","id":"a","name":"weather","input":{}}`, `{"type":"input_json_delta","partial_json":"{\"q\":1}"}`
		thinkStart         = `{"type":"thinking","thinking":"","signature":""}`
		done, asks         = `{"stop_reason":"end_turn","stop_sequence":null}`, `{"stop_reason":"tool_use","stop_sequence":null}`
		spent              = `{"stop_reason":null,"stop_sequence":null}` // the usage so far, before an error
		overloaded         = `{"type":"overloaded_error","message":"Overloaded"}`
	)
	f := func(name, sse string, want ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			records := reread(t, sse)
			checkOrder(t, records) // their indices too, which blocks leaves out
			if got := blockTypes(records); got != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
			}
		})
	}
	whole := begin + block("0", textStart, hello) + ending("end_turn")

	// Row A12: the indices of the upstream are not ours.
	f("A12 indices that begin at 4 and have gaps", begin+block("4", textStart, hello)+block("9", callStart, request)+ending("tool_use"),
		textStart, hello, callStart, request, asks)
	// Row B2: input in the start of the block.
	f("B2 input in the start", begin+block("0", `{"type":"tool_use","id":"a","name":"weather","input":{"q":1}}`)+ending("tool_use"), callStart, request, asks)
	// Rows B4, B5: no input at all.
	f("B4 B5 an empty fragment", begin+block("0", callStart, `{"type":"input_json_delta","partial_json":""}`)+ending("tool_use"),
		callStart, `{"type":"input_json_delta","partial_json":"{}"}`, asks)
	// Row C1: a delta without the start of its block, and an end without one.
	f("C1 a delta without a start", begin+ev("content_block_delta", `"index":0,"delta":`+hello)+ev("content_block_stop", `"index":7`)+ending("end_turn"),
		textStart, hello, done)
	// Row C7: message_start twice.
	f("C7 message_start twice", begin+whole, textStart, hello, done)
	// Row C10: no block is ended.
	f("C10 blocks that do not end", begin+ev("content_block_start", `"index":0,"content_block":`+callStart)+
		ev("content_block_delta", `"index":0,"delta":`+request)+ending("tool_use"), callStart, request, asks)
	// Row C12: blocks of the server's tools have indices, too.
	f("C12 a tool of the server",
		begin+block("0", textStart, hello)+block("1", `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`, request)+
			block("2", `{"type":"web_search_tool_result","tool_use_id":"s","content":[]}`)+block("3", textStart, hello)+ending("end_turn"),
		textStart, hello, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`, request,
		`{"type":"web_search_tool_result","tool_use_id":"s","content":[]}`, textStart, hello, done)
	// Row D1: the reason is wrong.
	f("D1 end_turn with a call", begin+block("0", callStart, request)+ending("end_turn"), callStart, request, asks)
	f("D1 tool_use without a call", begin+block("0", textStart, hello)+ending("tool_use"), textStart, hello, done)
	// Row D8: a refusal with its reason.
	f("D8 a refusal", begin+ev("message_delta", `"delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"No."}},"usage":{"output_tokens":1}`)+
		"data: {\"type\":\"message_stop\"}\n\n",
		`{"stop_reason":"refusal","stop_sequence":null,"stop_details":{"type":"refusal","category":"bio","explanation":"No."}}`)
	// Row E5: nothing follows the end.
	f("E5 an error after the end", whole+ev("error", `"error":`+overloaded), textStart, hello, done)
	// Rows E7, E10: an error in the stream.
	f("E7 an error in the middle", begin+ev("content_block_delta", `"index":0,"delta":`+hello)+ev("error", `"error":`+overloaded), textStart, hello, spent, overloaded)
	f("E10 an error and nothing else", ev("error", `"error":`+overloaded), overloaded)
	// Row E11: an error whose event has no name.
	f("E11 an error without a name", begin+"data: {\"type\":\"error\",\"error\":"+overloaded+"}\n\n", spent, overloaded)
	// Row F1: no space after the colon.
	f("F1 no space after the colon", strings.NewReplacer("data: ", "data:", "event: ", "event:").Replace(whole), textStart, hello, done)
	// Row F2: all line ends.
	f("F2 lines that end in CRLF", strings.ReplaceAll(whole, "\n", "\r\n"), textStart, hello, done)
	// Rows F9, F10: comments and pings do not go on.
	f("F9 F10 comments and pings", ": hi\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"+whole, textStart, hello, done)
	// Row F11: the end mark of another API.
	f("F11 an end mark", whole+"event: done\ndata: [DONE]\n\n", textStart, hello, done)
	// Row F12: types that are new.
	f("F12 an event of a new type", begin+ev("vertex_event", `"x":1`)+block("0", `{"type":"hologram"}`, `{"type":"hologram_delta"}`)+
		block("1", textStart, hello)+ending("end_turn"), textStart, hello, done)
	// Row I2: the signature survives, whole.
	f("I2 a signature in pieces", begin+block("0", thinkStart, `{"type":"thinking_delta","thinking":"Hm."}`,
		`{"type":"signature_delta","signature":"AB"}`, `{"type":"signature_delta","signature":"CD"}`)+ending("end_turn"),
		thinkStart, `{"type":"thinking_delta","thinking":"Hm."}`, `{"type":"signature_delta","signature":"ABCD"}`, done)
	// Row I5: thinking comes back as it was, redacted or without its text.
	f("I5 redacted thinking", begin+block("0", `{"type":"redacted_thinking","data":"RU5D"}`)+block("1", thinkStart, `{"type":"signature_delta","signature":"AB"}`)+
		block("2", textStart, hello)+ending("end_turn"),
		`{"type":"redacted_thinking","data":"RU5D"}`, thinkStart, `{"type":"signature_delta","signature":"AB"}`, textStart, hello, done)
}

// TestRowE1: wherever a stream is cut, its end is no good one, unless the stop reason has come.
func TestRowE1(t *testing.T) {
	dec := Dialect.NewDecoder(Dialect.Defaults())
	records := []string{
		`{"type":"message_start","message":{"id":"m"}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`, `{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, `{"type":"message_stop"}`,
	}
	for cut := range len(records) + 1 {
		dec.Reset()
		c, watch := newChain(encoderWith(t, nil)), fastpath.NewWatcher(&Dialect, Dialect.Defaults())
		observed := false
		for _, r := range records[:cut] {
			rec := wire.Record{Data: []byte(r)}
			decoded, err := dec.Decode(nil, rec)
			if err != nil {
				t.Fatal(err)
			}
			observed = observed || watch.Observe(rec) == hub.ObservedEnd
			c.push(decoded)
		}
		c.push(dec.Finish(nil, nil))
		good := strings.HasSuffix(c.end(), "data: {\"type\":\"message_stop\"}\n\n")
		if want := cut >= len(records)-1; good != want || (observed || watch.EndsWithBody()) != want {
			t.Errorf("cut after %d records: a good end %t, observed %t", cut, good, observed || watch.EndsWithBody())
		}
	}
}

// TestRowE16: odd data are faults, not panics, and the stream goes on.
func TestRowE16(t *testing.T) {
	const delta = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`
	for _, data := range []string{
		`null`, `""`, `[]`, `{}`, `7`, `<html>`, `{"type":7}`, `{"type":"message_start","message":[]}`, `{"type":"content_block_start"}`,
		`{"type":"content_block_delta"}`, strings.Repeat(`[`, 2000), "\xff",
	} {
		dec := Dialect.NewDecoder(Dialect.Defaults())
		if evs, err := dec.Decode(nil, wire.Record{Data: []byte(data)}); err == nil || len(evs) > 0 {
			t.Errorf("%.20s: %d events and no fault", data, len(evs))
		}
		if evs, err := dec.Decode(nil, wire.Record{Data: []byte(delta)}); err != nil || len(evs) != 1 {
			t.Errorf("%.20s: a delta after it gives %d events, %v", data, len(evs), err)
		}
	}
}
