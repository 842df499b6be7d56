package aisdk_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/aisdk"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The tests below are named after the rows of the list of translation bugs that other projects had.

const (
	runStart = `{"kind":"run.start","id":"r1"}`
	runDone  = `{"kind":"run.end","status":"done"}`
	hello    = `{"kind":"text.delta","id":"t1","text":"Hello"}`
)

// TestRowsOfLifecycle: what is open when.
func TestRowsOfLifecycle(t *testing.T) {
	f := func(name, want string, events ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			records := encode(t, aisdk.Dialect.Defaults(), events...)
			if got := types(records); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			checkOrder(t, records)
		})
	}
	call := []string{`{"kind":"tool.start","id":"c1","name":"a"}`, `{"kind":"tool.end","id":"c1","status":"ok","text":"x"}`}
	const tool = "tool-input-start tool-input-delta tool-input-available tool-output-available"
	// Row C1: deltas without their start, as a careless upstream sends them.
	f("C1 text without a start", "start start-step text-start text-delta text-end finish-step finish [DONE]", hello, runDone)
	// Row C2: text again behind a call must be a part of its own.
	f("C2 text, tool, text", "start start-step text-start text-delta text-end "+tool+" text-start text-delta text-end finish-step finish [DONE]",
		runStart, hello, call[0], call[1], hello, runDone)
	// Row C3: reasoning before and behind a call.
	f("C3 reasoning, tool, reasoning", "start start-step reasoning-start reasoning-delta reasoning-end "+tool+
		" reasoning-start reasoning-delta reasoning-end finish-step finish [DONE]",
		runStart, `{"kind":"text.delta","id":"r1","chan":"reasoning","text":"a"}`, call[0], call[1],
		`{"kind":"text.delta","id":"r1","chan":"reasoning","text":"b"}`, runDone)
	// Rows C4 and C8: nothing but a call; no empty text in front of it, and a start all the same.
	f("C4 C8 tool only", "start start-step "+tool+" finish-step finish [DONE]", call[0], call[1], runDone)
	// Row C7: one start, however often the upstream says it.
	f("C7 two starts", "start start-step text-start text-delta text-end finish-step finish [DONE]", runStart, runStart, hello, runStart, runDone)
	// Row D12: one end.
	f("D12 two ends", "start start-step text-start text-delta text-end finish-step finish [DONE]", runStart, hello, runDone, runDone)
	// Rows E1, E3 and E4: an upstream that just stops is an error.
	f("E1 E3 E4 cut", "start start-step text-start text-delta text-end error [DONE]", runStart, hello)
	// Row E5: nothing behind the end.
	f("E5 words behind the end", "start start-step text-start text-delta text-end finish-step finish [DONE]", runStart, hello, runDone, hello)
	// Row E7: an error in the middle is an error of the client's stream.
	f("E7 error in the middle", "start start-step text-start text-delta text-end error [DONE]",
		runStart, hello, `{"kind":"run.end","status":"failed","err":"x"}`)
	// Row F10, F12: records of the upstream's dialect stay behind.
	f("F10 F12 foreign records", "start finish [DONE]", runStart, `{"kind":"raw","name":"agui","value":{"type":"X"}}`, runDone)
}

// checkOrder checks what clients reject: a delta or an end of what is not open, a result of an unknown call.
func checkOrder(t *testing.T, records []string) {
	t.Helper()
	open, ids := map[string]bool{}, map[string]bool{}
	for _, r := range records {
		typ := str(r, "type")
		family, phase, _ := strings.Cut(typ, "-")
		key := family + str(r, "id")
		switch {
		case typ == "text-start" || typ == "reasoning-start":
			if open[key] || ids[key] {
				t.Errorf("the id of a part is used twice: %s", r)
			}
			open[key], ids[key] = true, true
		case (family == "text" || family == "reasoning") && !open[key]:
			t.Errorf("no part of that id is open: %s", r)
		case phase == "end":
			delete(open, key)
		case typ == "tool-input-start":
			open["tool"+str(r, "toolCallId")] = true
		case family == "tool" && !open["tool"+str(r, "toolCallId")]:
			t.Errorf("no such call: %s", r)
		}
	}
}

func str(record, member string) string {
	s, _ := rawjson.Str(rawjson.Get([]byte(record), member))
	return string(s)
}

// TestRowsOfReasons: how a run ends, in both directions.
func TestRowsOfReasons(t *testing.T) {
	written := func(name, status, want string) {
		t.Helper()
		t.Run(name+" "+status, func(t *testing.T) {
			records := encode(t, aisdk.Dialect.Defaults(), runStart, hello, `{"kind":"run.end","status":"`+status+`"}`)
			last := records[len(records)-2]
			if got := str(last, "type") + " " + str(last, "finishReason"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	// Row D11: every reason the model has; none becomes a success by default.
	written("D11", "done", "finish stop")
	written("D11", "length", "finish length")
	written("D11", "limit", "finish other")
	written("D11", "filtered", "finish content-filter")
	written("D11", "tools", "finish tool-calls")
	written("D11", "paused", "finish tool-calls")
	written("D11", "cancelled", "abort ")
	written("D11", "failed", "error ")
	written("D11", "truncated", "error ")
	// Row D8: a refusal is no good end.
	written("D8", "refused", "finish content-filter")

	read := func(name, want string, records ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			evs := adaptertest.Sequenced(t, &aisdk.Dialect, records...)
			if got := evs[len(evs)-1].Status.String(); got != want {
				t.Errorf("got %s, want %s: %s", got, want, adaptertest.Kinds(evs))
			}
		})
	}
	finish := func(reason string) string { return `{"type":"finish","finishReason":"` + reason + `"}` }
	const open, output = `{"type":"tool-input-available","toolCallId":"c1","toolName":"a","input":{}}`, `{"type":"tool-output-available","toolCallId":"c1","output":1}`
	// Row D1: calls that are left to the client are the reason, whatever the model says.
	read("D1 stop with an open call", "tools", open, finish("stop"), "[DONE]")
	read("D1 tool-calls", "tools", open, finish("tool-calls"), "[DONE]")
	read("D1 but not with a length", "length", open, finish("length"), "[DONE]")
	read("D1 but not when it was run", "done", open, output, finish("tool-calls"), "[DONE]")
	// Row D4: a later stop does not hide the call.
	read("D4 tool-calls, then stop", "tools", open, finish("tool-calls"), finish("stop"), "[DONE]")
	// Row D5: an empty reason is none.
	read("D5 empty, then length", "length", finish(""), finish("length"), "[DONE]")
	read("D5 empty", "done", finish(""), "[DONE]")
	// Row D6: an unknown reason is not a filter.
	read("D6 unknown reason", "done", finish("malformed-function-call"), "[DONE]")
	read("D11 error", "failed", finish("error"), "[DONE]")
	read("D11 content-filter", "filtered", finish("content-filter"), "[DONE]")
	read("D11 interrupted", "truncated", finish("interrupted"), "[DONE]")
	// Row E6: nothing counts behind the end mark.
	read("E6 data behind the end mark", "done", finish("stop"), "[DONE]", `{"type":"error","errorText":"x"}`)
	// Row E7: an error wins over the finish that servers send behind it.
	read("E7 error, then finish", "failed", `{"type":"error","errorText":"x"}`, finish("stop"), "[DONE]")
	// Row E10: an error before all else.
	read("E10 error first", "failed", `{"type":"error","errorText":"overloaded"}`)
	// Row C10: the end mark alone, and the end of the body behind a finish.
	read("C10 end mark only", "done", `{"type":"start"}`, "[DONE]")
	read("C10 body ends behind a finish", "done", finish("stop"))
}

// TestRowE1 cuts a recorded stream behind each of its records: only the whole one is a success (rows E1 and E2).
func TestRowE1(t *testing.T) {
	archive, err := os.ReadFile("testdata/toolloop-v7.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(archive, []byte("-- wire --\n"))
	body, _, _ = bytes.Cut(body, []byte("-- events --\n"))
	var records []string
	for _, r := range strings.Split(strings.TrimSpace(string(body)), "\n\n") {
		records = append(records, strings.TrimPrefix(r, "data: "))
	}
	for n := 1; n <= len(records); n++ {
		evs := adaptertest.Sequenced(t, &aisdk.Dialect, records[:n]...)
		want := hub.StatusTruncated
		if n >= len(records)-1 { // the finish, and the end mark behind it
			want = hub.StatusDone
		}
		if got := evs[len(evs)-1].Status; got != want {
			t.Errorf("after %d of %d records the run ended as %s, want %s", n, len(records), got, want)
		}
	}
}

// TestRowsOfArguments: arguments that are missing, wrong or cut.
func TestRowsOfArguments(t *testing.T) {
	start := []string{runStart, `{"kind":"tool.start","id":"c1","name":"a"}`}
	client := []string{runStart, `{"kind":"tool.start","id":"c1","name":"a","flags":["client_runs"]}`}
	f := func(name, want string, events ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			if got := strings.Join(encode(t, aisdk.Dialect.Defaults(), events...), "\n"); !strings.Contains(got, want) {
				t.Errorf("%s is not in\n%s", want, got)
			}
		})
	}
	// Rows B1 and B2: arguments that came whole are streamed as well.
	f("B1 B2 whole arguments", `"inputTextDelta":"{\"q\":1}"}`, append(start, `{"kind":"tool.ready","id":"c1","value":{"q":1}}`, runDone)...)
	// Rows B4 and B5: none at all are an empty object.
	f("B4 B5 no arguments", `"input":{}`, append(start, `{"kind":"tool.ready","id":"c1"}`, runDone)...)
	// Row B6: what is no JSON is no empty object, and the client is not asked to run it.
	f("B6 no JSON", `{"type":"tool-input-error","toolCallId":"c1","toolName":"a","input":"{oops"`,
		append(client, `{"kind":"tool.args","id":"c1","text":"{oops"}`, `{"kind":"tool.ready","id":"c1"}`, `{"kind":"run.end","status":"tools"}`)...)
	// Row B7: JSON that is no object passes.
	f("B7 an array", `"input":[1]`, append(start, `{"kind":"tool.ready","id":"c1","value":[1]}`, runDone)...)
	// Row B9: a call that was cut is never complete.
	f("B9 cut", `"type":"tool-input-error"`, append(client, `{"kind":"tool.args","id":"c1","text":"{\"q\":"}`, `{"kind":"run.end","status":"length"}`)...)
	// Row B11: interleaved arguments stay with their calls.
	f("B11 interleaved", `"input":{"q":2}`, append(start, `{"kind":"tool.start","id":"c2","name":"a"}`, `{"kind":"tool.args","id":"c1","text":"{\"q\":"}`,
		`{"kind":"tool.args","id":"c2","text":"{\"q\":"}`, `{"kind":"tool.args","id":"c1","text":"1}"}`, `{"kind":"tool.args","id":"c2","text":"2}"}`,
		`{"kind":"tool.ready","id":"c1"}`, `{"kind":"tool.ready","id":"c2"}`, runDone)...)
}

// TestRowE16 feeds what servers answer when they are something else (row E16).
func TestRowE16(t *testing.T) {
	for _, odd := range []string{`null`, `""`, `[]`, `{}`, `<html>`, `0:"text"`, `{"type":null}`, "\xff", strings.Repeat("[", 2000)} {
		dec := aisdk.Dialect.NewDecoder(aisdk.Dialect.Defaults())
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(odd)})
		if err == nil || len(evs) > 0 {
			t.Errorf("%.20q: %d events, error %v", odd, len(evs), err)
		}
	}
}

// TestRowsOfUsage: rows H1 and H8. What is said twice is not added up.
func TestRowsOfUsage(t *testing.T) {
	evs := adaptertest.Sequenced(t, &aisdk.Dialect, `{"type":"message-metadata","messageMetadata":{"usage":{"inputTokens":5,"outputTokens":1}}}`,
		`{"type":"finish","finishReason":"stop","messageMetadata":{"usage":{"inputTokens":5,"outputTokens":2}}}`, "[DONE]")
	var last *hub.More
	for i := range evs {
		if evs[i].Kind == hub.Usage {
			last = evs[i].More
		}
	}
	if last == nil || last.Usage.In != 5 || last.Usage.Out != 2 {
		t.Errorf("the last usage is %+v", last)
	}
	records := encode(t, aisdk.Dialect.Defaults(), runStart, `{"kind":"usage","scope":"run","usage":{"in":5,"out":1}}`,
		`{"kind":"usage","scope":"run","usage":{"in":5,"out":2}}`, runDone)
	if str(records[1], "id") != "run" || str(records[1], "id") != str(records[2], "id") {
		t.Errorf("the second count does not replace the first: %q", records)
	}
}

// TestRowsOfSignatures: rows I2, I6 and I7. A signature is there before its part ends, and not in front of the text.
func TestRowsOfSignatures(t *testing.T) {
	records := encode(t, aisdk.Dialect.Defaults(), runStart, `{"kind":"text.delta","id":"r","chan":"reasoning","text":"hm"}`,
		`{"kind":"text.end","id":"r","chan":"reasoning","sig":"c2ln"}`, hello, runDone)
	want := `{"type":"reasoning-end","id":"r","providerMetadata":{"sabir":{"signature":"c2ln"}}}`
	if records[4] != want {
		t.Errorf("got  %s\nwant %s", records[4], want)
	}
	evs := adaptertest.Sequenced(t, &aisdk.Dialect, records...)
	for i := range evs {
		if m := evs[i].More; m != nil && string(m.Sig) == "c2ln" && evs[i].Kind == hub.TextEnd {
			return
		}
	}
	t.Errorf("the signature does not come back: %s", adaptertest.Kinds(evs))
}

// TestRowA14: the same stream gives the same bytes (row A14), also from an encoder that was used before.
func TestRowA14(t *testing.T) {
	events := []string{runStart, hello, `{"kind":"source","file":{"url":"https://example.org"}}`, `{"kind":"tool.start","id":"c1","name":"a"}`, runDone}
	enc, first, second := aisdk.Dialect.NewEncoder(aisdk.Dialect.Defaults()), wire.NewOut(wire.SSE), wire.NewOut(wire.SSE)
	adaptertest.Encode(t, enc, first, events...)
	enc.Reset()
	adaptertest.Encode(t, enc, second, events...)
	if !bytes.Equal(first.Buf, second.Buf) {
		t.Errorf("first\n%s\nthen\n%s", first.Buf, second.Buf)
	}
}

// TestExecuted: a call that the agent ran is never one that asks the client to run it.
func TestExecuted(t *testing.T) {
	for _, version := range []string{"5", "6", "7"} {
		for _, static := range []string{"", "a", "*"} {
			records := encode(t, options(t, "version="+version, "static_tools="+static), runStart,
				`{"kind":"tool.start","id":"c1","name":"a"}`, `{"kind":"tool.end","id":"c1","status":"ok"}`,
				`{"kind":"tool.start","id":"c2","name":"b","flags":["client_runs"]}`, `{"kind":"tool.ready","id":"c2"}`, `{"kind":"run.end","status":"tools"}`)
			for _, r := range records {
				_, ran := rawjson.Bool(rawjson.Get([]byte(r), "providerExecuted"))
				if id := str(r, "toolCallId"); id != "" && !strings.HasSuffix(str(r, "type"), "-delta") && ran != (id == "c1") {
					t.Errorf("version %s, static %q: %s", version, static, r)
				}
			}
		}
	}
}
