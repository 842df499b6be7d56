package claudecli_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/claudecli"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/stages"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The tests below are named after the rows of the corpus of bugs that users of other translators met, as far as they concern
// the events of the Messages API that these lines hold.

func event(ev string) string {
	return `{"type":"stream_event","event":` + ev + `,"parent_tool_use_id":null,"session_id":"s","uuid":"u"}` + "\n"
}

func whole(id, block string) string {
	return `{"type":"assistant","message":{"id":"` + id + `","content":[` + block + `]},"parent_tool_use_id":null,"session_id":"s"}` + "\n"
}

const (
	started  = `{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n"
	finished = `{"duration_ms":1,"type":"result","subtype":"success","is_error":false,"result":"Hi","usage":{"input_tokens":12,"cache_read_input_tokens":8,"output_tokens":5}}` + "\n"
)

// decode returns the normalized events of lines, in native notation.
func decode(t *testing.T, body string, cause error) string {
	t.Helper()
	return adaptertest.Strict(t, &claudecli.Dialect, wire.NDJSON, body, cause)
}

// encode returns the lines for decoded events in native notation.
func encode(t *testing.T, events string) string {
	t.Helper()
	evs, err := adaptertest.Events([]byte(events))
	if err != nil {
		t.Fatal(err)
	}
	seq, linear := sequencer.New(sequencer.Config{}), stages.NewLinear(0)
	enc, out := claudecli.Dialect.NewEncoder(claudecli.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	take := func(normalized []hub.Event) {
		normalized = linear.Push(nil, normalized, 0)
		for i := range normalized {
			enc.Encode(out, &normalized[i])
		}
	}
	for i := range evs {
		take(seq.Push(nil, evs[i:i+1], 0))
	}
	take(seq.Flush(nil, nil))
	enc.Finish(out)
	return string(out.Buf)
}

// check looks for texts in their order, and for one that must not be there.
func check(t *testing.T, got string, want []string, never string) {
	t.Helper()
	rest := got
	for _, w := range want {
		_, after, ok := strings.Cut(rest, w)
		if !ok {
			t.Fatalf("want %s in its place in\n%s", w, got)
		}
		rest = after
	}
	if never != "" && strings.Contains(got, never) {
		t.Errorf("want no %s in\n%s", never, got)
	}
}

func TestRegressionsDecoded(t *testing.T) {
	message := event(`{"type":"message_start","message":{"id":"m1","usage":{"input_tokens":12,"cache_read_input_tokens":8,"output_tokens":1}}}`)
	text := event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	hi := event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`)
	stop := event(`{"type":"content_block_stop","index":0}`)
	call := event(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"a","input":{}}}`)
	f := func(name, body string, want []string, never string) {
		t.Helper()
		t.Run(name, func(t *testing.T) { check(t, decode(t, started+body, nil), want, never) })
	}
	f("B2 input that comes with the whole block only", whole("m1", `{"type":"tool_use","id":"t1","name":"a","input":{"q":1}}`)+finished, []string{`"kind":"tool.ready"`, `"value":{"q":1}`}, "")
	f("B4 a call without arguments", message+call+event(`{"type":"content_block_stop","index":1}`)+finished, []string{`"value":{}`}, "invalid")
	f("B9 arguments that are cut", message+call+event(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\":"}}`), []string{`"invalid"`, `"truncated"`}, "")
	f("C1 a piece of no block", message+hi+finished, []string{`"kind":"text.start"`, `"text":"Hi"`, `"kind":"text.end"`}, "")
	f("C5 nothing is said twice", message+text+hi+whole("m1", `{"type":"text","text":"Hi"}`)+stop+finished, []string{`"text":"Hi"`, `"kind":"text.end"`}, `"text":"HiHi"`)
	f("C7 a second start of a message", message+text+hi+stop+message+text+hi+stop+finished, []string{`"text":"Hi"`, `"text":"Hi"`, `"status":"done"`}, "")
	f("E1 a process that was killed", message+text+hi, []string{`"text":"Hi"`, `"kind":"run.end","status":"truncated"`}, "")
	f("E5 words behind the result", finished+whole("m9", `{"type":"text","text":"late"}`), []string{`"status":"done"`}, "late")
	f("F7 a line of two megabytes", whole("m1", `{"type":"text","text":"`+strings.Repeat("a", 2<<20)+`"}`)+finished, []string{`"kind":"text.delta"`, `"status":"done"`}, "")
	f("H1 usage is not added up", message+event(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}`)+event(`{"type":"message_stop"}`)+finished,
		[]string{`"scope":"step"`, `"in":20,"out":5`, `"scope":"run"`, `"in":20,"out":5`}, `"out":6`)
	f("I2 a signature is kept", message+event(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`)+
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`)+event(`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2ln"}}`)+
		whole("m1", `{"type":"thinking","thinking":"hm","signature":"c2ln"}`)+stop+finished, []string{`"text":"hm"`, `"sig":"c2ln"`}, `"text":"hmhm"`)
}

func TestRegressionsEncoded(t *testing.T) {
	const start = `{"kind":"run.start","ref":"s"}` + "\n"
	f := func(name, events string, want []string, never string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			got := encode(t, start+events)
			check(t, got, want, never)
			if n := strings.Count(got, `"type":"result"`); n != 1 {
				t.Errorf("%d results in\n%s", n, got)
			}
			checkBlocks(t, got)
		})
	}
	const done = `{"kind":"run.end","status":"done"}`
	tool := func(id string) string {
		return `{"kind":"tool.start","id":"` + id + `","name":"a"}` + "\n" + `{"kind":"tool.args","id":"` + id + `","text":"{\"n\":1}"}` + "\n"
	}
	f("B4 a call without arguments", `{"kind":"tool.start","id":"t","name":"a"}`+"\n"+done, []string{`"input":{}`, `"partial_json":"{}"`, `"input":{}`}, "")
	f("B11 arguments side by side", tool("t")+tool("u")+done, []string{`"id":"t"`, "content_block_stop", `"id":"u"`, "content_block_stop"}, "")
	f("B12 reasoning, then a call", `{"kind":"text.delta","chan":"reasoning","text":"hm"}`+"\n"+tool("t")+done, []string{`"index":0`, "thinking_delta", "content_block_stop", `"index":1`, "tool_use"}, "")
	f("C2 text, call, text", `{"kind":"text.delta","text":"a"}`+"\n"+tool("t")+`{"kind":"tool.end","id":"t","status":"ok"}`+"\n"+`{"kind":"text.delta","text":"b"}`+"\n"+done, []string{`"text":"a"`, "tool_use", "tool_result", "message_start", `"text":"b"`}, "")
	f("C4 no empty text first", tool("t")+done, []string{`"content_block":{"type":"tool_use"`}, `"text":""`)
	f("D1 calls make the stop reason", `{"kind":"step.start","id":"1"}`+"\n"+tool("t")+`{"kind":"tool.end","id":"t","status":"ok"}`+"\n"+done, []string{`"stop_reason":"tool_use"`}, "")
	f("D8 a refusal", `{"kind":"run.end","status":"refused"}`, []string{`"stop_reason":"refusal"`}, "")
	f("E2 a stream that was cut", `{"kind":"text.delta","text":"a"}`, []string{`"subtype":"error_during_execution"`}, "success")
	f("E5 nothing behind the result", done+"\n"+`{"kind":"text.delta","text":"late"}`, []string{`"type":"result"`}, "late")
	f("H3 cached tokens are not among the input", `{"kind":"usage","scope":"run","usage":{"in":20,"out":5,"cached":8}}`+"\n"+done, []string{`"input_tokens":12`, `"cache_read_input_tokens":8`}, "")
	f("I7 the signature comes behind the text", `{"kind":"text.delta","chan":"reasoning","text":"hm"}`+"\n"+`{"kind":"text.end","chan":"reasoning","sig":"c2ln"}`+"\n"+done, []string{"thinking_delta", "signature_delta", "content_block_stop"}, "")
}

// checkBlocks checks that every piece lies in its block, that blocks do not nest, and that messages end.
func checkBlocks(t *testing.T, lines string) {
	t.Helper()
	open, inMessage := "", false
	for line := range strings.Lines(lines) {
		_, rest, isEvent := strings.Cut(line, `"type":"stream_event","event":{"type":"`)
		if !isEvent {
			continue
		}
		kind, _, _ := strings.Cut(rest, `"`)
		_, index, _ := strings.Cut(rest, `"index":`)
		index, _, _ = strings.Cut(index, ",")
		index = strings.TrimRight(index, "}")
		switch kind {
		case "message_start", "message_stop":
			if inMessage == (kind == "message_start") || open != "" {
				t.Errorf("%s inside of something:\n%s", kind, lines)
			}
			inMessage = kind == "message_start"
		case "content_block_start":
			if open != "" || !inMessage {
				t.Errorf("block %s begins in another, or in no message:\n%s", index, lines)
			}
			open = index
		case "content_block_delta", "content_block_stop":
			if open != index {
				t.Errorf("%s of %s while %s is open:\n%s", kind, index, open, lines)
			}
			if kind == "content_block_stop" {
				open = ""
			}
		}
	}
	if open != "" || inMessage {
		t.Errorf("something is left open:\n%s", lines)
	}
}

// Row E1: wherever the lines are cut, the reader learns of it.
func TestCutAnywhere(t *testing.T) {
	body := started + event(`{"type":"message_start","message":{"id":"m1"}}`) + whole("m1", `{"type":"tool_use","id":"t1","name":"a","input":{}}`) + finished
	t.Run("E1 after every byte", func(t *testing.T) {
		for n := range len(strings.TrimSpace(body)) {
			if got := decode(t, body[:n], hub.Fail(hub.CodeReset, errors.New("reset"))); strings.Contains(got, `"kind":"run.end","status":"done"`) {
				t.Fatalf("after %d bytes, taken for whole:\n%s", n, got)
			}
		}
	})
}

func TestExtension(t *testing.T) {
	enc, out := claudecli.Dialect.NewEncoder(claudecli.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	payload := []byte(`{"x-agent-stream":{"kind":"plan"}}`)
	enc.(hub.Extender).Extend(out, payload)
	if got := claudecli.Dialect.Extension(wire.Record{Data: bytes.TrimSpace(out.Buf)}); !bytes.Equal(got, payload) {
		t.Errorf("got %s of %s", got, out.Buf)
	}
	if got := claudecli.Dialect.Extension(wire.Record{Data: []byte(whole("m", `{"type":"text","text":"\"x-agent-stream\" keep_alive"}`))}); got != nil {
		t.Errorf("a text that speaks of it is none: %s", got)
	}
}

func TestAnswer(t *testing.T) {
	enc, out := claudecli.Dialect.NewEncoder(claudecli.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	enc.(hub.Answerer).Answer(&hub.Request{Thread: []byte("asked"), Model: []byte("wanted")})
	enc.Encode(out, &hub.Event{Kind: hub.RunStart})
	check(t, string(out.Buf), []string{`"model":"wanted"`, `"session_id":"asked"`}, "")
}
