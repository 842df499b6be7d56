package openairesponses_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/openairesponses"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

var dialect = &openairesponses.Dialect

// The tests below are named after the faults of other translators that they guard against: the letter and number of the
// row in the list of such faults, and what must be so here.

const (
	created  = `{"type":"response.created","response":{"id":"resp_1","created_at":1,"model":"m","output":[]}}`
	complete = `{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[]}}`
)

// added announces a call.
func added(at int, id, call, name string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":{"id":%q,"type":"function_call","call_id":%q,"name":%q,"arguments":""}}`, at, id, call, name)
}

func argsDelta(at int, id, text string) string {
	return fmt.Sprintf(`{"type":"response.function_call_arguments.delta","output_index":%d,"item_id":%q,"delta":%q}`, at, id, text)
}

func callDone(at int, id, call, args string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":{"id":%q,"type":"function_call","call_id":%q,"name":"f","arguments":%q,"status":"completed"}}`, at, id, call, args)
}

func textDelta(id, text string) string {
	return fmt.Sprintf(`{"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":%q,"delta":%q}`, id, text)
}

// understood decodes and sequences records, and says in short what a reader of the normalized events understands.
func understood(t *testing.T, records ...string) string {
	t.Helper()
	dec, seq := dialect.NewDecoder(dialect.Defaults()), sequencer.New(sequencer.Config{})
	var all []string
	take := func(normalized []hub.Event) {
		for i := range normalized {
			all = append(all, short(&normalized[i]))
		}
	}
	for _, r := range records {
		evs, _ := dec.Decode(nil, wire.Record{Data: []byte(r)})
		take(seq.Push(nil, evs, 0))
	}
	take(seq.Push(nil, dec.Finish(nil, nil), 0))
	take(seq.Flush(nil, nil))
	return strings.Join(strings.Fields(strings.Join(all, " ")), " ")
}

// short is what matters of an event, in a few letters.
func short(ev *hub.Event) string {
	switch ev.Kind {
	case hub.TextStart:
		return string("TRX"[ev.Chan]) + "("
	case hub.TextDelta:
		return string(ev.Text)
	case hub.TextEnd:
		if ev.More != nil && len(ev.More.Sig) > 0 {
			return "sig:" + string(ev.More.Sig) + ")"
		}
		return ")"
	case hub.ToolReady:
		return fmt.Sprintf("%s:%s%s%s", ev.Name, ev.ID, ev.Value, ev.Text)
	case hub.ToolEnd:
		return string(ev.ID) + "=" + ev.Status.String()
	case hub.Usage:
		return fmt.Sprintf("usage:%d/%d", ev.More.Usage.In, ev.More.Usage.Out)
	case hub.RunEnd:
		return ev.Status.String()
	}
	return ""
}

// written sequences decoded events in native notation and encodes them; it returns the payloads of the records.
func written(t *testing.T, events ...string) []string {
	t.Helper()
	return writtenFor(t, nil, events...)
}

func writtenFor(t *testing.T, req *hub.Request, events ...string) []string {
	t.Helper()
	enc, seq, out := dialect.NewEncoder(dialect.Defaults()), sequencer.New(sequencer.Config{}), wire.NewOut(wire.NDJSON)
	if req != nil {
		enc.(hub.Answerer).Answer(req)
	}
	dec := native.Dialect.NewDecoder(hub.Options{})
	for _, line := range events {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, ev := range seq.Push(nil, evs, 0) {
			enc.Encode(out, &ev)
		}
	}
	for _, ev := range seq.Flush(nil, nil) {
		enc.Encode(out, &ev)
	}
	return strings.Split(strings.TrimSpace(string(out.Buf)), "\n")
}

// types lists the types of records, without their common prefix.
func types(t *testing.T, records []string) string {
	t.Helper()
	var all []string
	for _, r := range records {
		var ev struct{ Type string }
		if err := json.Unmarshal([]byte(r), &ev); err != nil {
			t.Fatalf("%v: %s", err, r)
		}
		all = append(all, strings.TrimPrefix(ev.Type, "response."))
	}
	return strings.Join(all, " ")
}

// TestReadRows: faults of translators that read this API.
func TestReadRows(t *testing.T) {
	f := func(name, want string, records ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			if got := understood(t, records...); got != want {
				t.Errorf("understood %s\nwant       %s", got, want)
			}
		})
	}
	two := []string{
		created, added(0, "fc_1", "a", "f"), argsDelta(0, "fc_1", `{"n":`), added(0, "fc_2", "b", "f"), argsDelta(0, "fc_2", `{"n":2`),
		argsDelta(0, "fc_1", `1}`), argsDelta(0, "fc_2", `}`), callDone(0, "fc_1", "a", `{"n":1}`), callDone(0, "fc_2", "b", `{"n":2}`), complete,
	}
	f("A1 parallel calls of one index stay apart", `f:a{"n":1} f:b{"n":2} a=client b=client tools`, two...)
	f("A7 two calls of one call_id are two calls", `f:a{"n":1} f:a:1{"n":2} a=client a:1=client tools`,
		created, added(0, "fc_1", "a", "f"), callDone(0, "fc_1", "a", `{"n":1}`), added(1, "fc_2", "a", "f"), callDone(1, "fc_2", "a", `{"n":2}`), complete)
	f("A9 A18 a call without an id is known by its item", `f:fc_1{} fc_1=client tools`,
		created, `{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","name":"f","arguments":"{}"}}`, complete)
	f("A9 A18 a call without any id gets one", `f:item_1{} item_1=client tools`,
		created, `{"type":"response.output_item.done","item":{"type":"function_call","name":"f","arguments":"{}"}}`, complete)
	f("A10 the name may come last", `f:a{"n":1} a=client tools`,
		created, added(0, "fc_1", "a", ""), argsDelta(0, "fc_1", `{"n":1}`), callDone(0, "fc_1", "a", `{"n":1}`), complete)
	f("A12 output indexes are no order", `T( x ) f:a{} a=client tools`,
		created, textDelta("msg_1", "x"), added(7, "fc_1", "a", "f"), callDone(7, "fc_1", "a", "{}"), complete)
	f("A16 arguments of an unknown item are those of the current call", `f:a{"n":1} a=client tools`,
		created, added(0, "fc_1", "a", "f"), `{"type":"response.function_call_arguments.delta","item_id":"?","delta":"{\"n\":1}"}`, complete)
	f("B1 arguments only with the end of the item", `f:a{"n":1} a=client tools`,
		created, added(0, "fc_1", "a", "f"), callDone(0, "fc_1", "a", `{"n":1}`), complete)
	f("B4 B5 no arguments", `f:a{} a=client tools`, created, added(0, "fc_1", "a", "f"), callDone(0, "fc_1", "a", ""), complete)
	f("B6 arguments that are no JSON stay what they are", `f:a{\"n\": a=client tools`,
		created, added(0, "fc_1", "a", "f"), callDone(0, "fc_1", "a", `{"n":`), complete)
	f("C3 reasoning, a call, reasoning", `R( one ) f:a{} R( two ) a=client tools`,
		created, summary("rs_1", 0, "one"), reasoningDone("rs_1", "", "one"), added(1, "fc_1", "a", "f"), callDone(1, "fc_1", "a", "{}"),
		summary("rs_2", 0, "two"), reasoningDone("rs_2", "", "two"), complete)
	f("C15 dones with an empty text mean nothing", `T( Hello ) done`, created, textDelta("msg_1", "Hello"),
		`{"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,"text":""}`, complete)
	f("C21 I6 three parts of a summary are one text, signed at its end", `R( one \n\n two \n\n three sig:gAA) done`, created,
		summary("rs_1", 0, "one"), summary("rs_1", 1, "two"), summary("rs_1", 2, "three"), reasoningDone("rs_1", "gAA", "one", "two", "three"), complete)
	f("D1 calls are the reason of the end", `f:a{} a=client tools`, created, callDone(0, "fc_1", "a", "{}"), complete)
	for reason, want := range map[string]string{
		"max_output_tokens": "length", "content_filter": "filtered", "max_messages": "limit", "steered": "cancelled", "?": "limit",
	} {
		f("D10 D11 H6 incomplete: "+reason, "T( x usage:3/4 ) "+want, created, textDelta("msg_1", "x"),
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"`+reason+`"},"usage":{"input_tokens":3,"output_tokens":4}}}`)
	}
	f("E1 E2 E3 no terminal event is no success", `T( x ) truncated`, created, textDelta("msg_1", "x"))
	f("E1 E2 E3 a call without the end of its arguments is no call to run", `f:a{\"n a=aborted truncated`,
		created, added(0, "fc_1", "a", "f"), argsDelta(0, "fc_1", `{"n`))
	f("E6 nothing comes after the end", `T( x ) done`, created, textDelta("msg_1", "x"), complete, textDelta("msg_1", "y"), `[DONE]`)
	f("E7 H6 a failure keeps its usage", `T( x usage:3/-1 ) failed`, created, textDelta("msg_1", "x"),
		`{"type":"response.failed","response":{"error":{"code":"c","message":"boom"},"usage":{"input_tokens":3}}}`)
	f("E10 an error before anything else", `failed`, `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`)
	f("E15 a code that is a number", `failed`, `{"error":{"message":"bad","code":400}}`)
	for _, odd := range []string{`null`, `""`, `[]`, `{}`, `<html>`, `7`} {
		f("E16 "+odd+" is no event, and no end", `truncated`, odd)
	}
}

func summary(id string, at int, text string) string {
	return fmt.Sprintf(`{"type":"response.reasoning_summary_text.delta","item_id":%q,"summary_index":%d,"delta":%q}`, id, at, text)
}

func reasoningDone(id, sig string, parts ...string) string {
	var list []string
	for _, p := range parts {
		list = append(list, fmt.Sprintf(`{"type":"summary_text","text":%q}`, p))
	}
	return fmt.Sprintf(`{"type":"response.output_item.done","item":{"id":%q,"type":"reasoning","summary":[%s],"encrypted_content":%q}}`, id, strings.Join(list, ","), sig)
}

const (
	runStart = `{"kind":"run.start","id":"r1"}`
	runDone  = `{"kind":"run.end","status":"done"}`
	hello    = `{"kind":"text.delta","id":"p1","text":"Hello"}`
	clientF  = `{"kind":"tool.start","id":"functions.f:0","name":"f","flags":["client_runs"]}`
	argsF    = `{"kind":"tool.args","id":"functions.f:0","text":"{\"n\":1}"}`
)

// TestWrittenRows: faults of translators that write this API, in the lifecycle of the items.
func TestWrittenRows(t *testing.T) {
	const (
		begin   = "created in_progress "
		message = "output_item.added content_part.added output_text.delta output_text.done content_part.done output_item.done "
		call    = "output_item.added function_call_arguments.delta function_call_arguments.done output_item.done "
		thought = "output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.done reasoning_summary_part.done output_item.done "
	)
	think := func(id string) string {
		return `{"kind":"text.delta","chan":"reasoning","id":"` + id + `","text":"Hm."}`
	}
	f := func(name, want string, events ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			if got := types(t, written(t, events...)); got != want {
				t.Errorf("wrote %s\nwant  %s", got, want)
			}
		})
	}
	f("C11 C13 C14 every part has its whole life", begin+message+"completed", runStart, hello, runDone)
	f("C14 a stream that begins with a delta", begin+message+"completed", hello, runDone)
	f("A9 B8 C8 a call alone", begin+call+"completed", runStart, clientF, argsF, `{"kind":"tool.ready","id":"functions.f:0"}`, `{"kind":"run.end","status":"tools"}`)
	f("C16 no end of the arguments", begin+call+"completed", runStart, clientF, argsF, `{"kind":"run.end","status":"tools"}`)
	f("B4 B8 no arguments", begin+call+"completed", runStart, clientF, `{"kind":"tool.ready","id":"functions.f:0"}`, `{"kind":"run.end","status":"tools"}`)
	f("B9 a call that was cut", begin+call+"incomplete", runStart, clientF, `{"kind":"tool.args","id":"functions.f:0","text":"{\"n"}`, `{"kind":"run.end","status":"length"}`)
	f("C3 C17 reasoning, a call, reasoning", begin+thought+call+thought+"completed", runStart, think("a"), clientF, argsF,
		`{"kind":"tool.ready","id":"functions.f:0"}`, think("b"), `{"kind":"run.end","status":"tools"}`)
	f("C2 C5 text, a call, text", begin+message+call+message+"completed", runStart, hello, clientF, argsF,
		`{"kind":"tool.ready","id":"functions.f:0"}`, hello, `{"kind":"run.end","status":"tools"}`)
	f("E1 E2 E3 a stream that was cut", begin+message+"failed", runStart, hello)
	f("E5 E7 a failure in the middle, and nothing behind it", begin+message+"failed", runStart, hello, `{"kind":"run.end","status":"failed","err":"x"}`, hello)
	f("E5 C16 nothing at all", begin+"failed")
}

// row looks into what was written.
func row(t *testing.T, name string, records []string, want func(all string) bool) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Helper()
		if all := strings.Join(records, "\n"); !want(all) {
			t.Errorf("it is not so in\n%s", all)
		}
	})
}

func TestWrittenContents(t *testing.T) {
	has := func(what ...string) func(string) bool {
		return func(all string) bool {
			for _, w := range what {
				if !strings.Contains(all, w) {
					return false
				}
			}
			return true
		}
	}
	text := written(t, runStart, hello, `{"kind":"usage","scope":"run","usage":{"in":20,"out":4}}`, runDone)
	last := text[len(text)-1:]
	row(t, "C15 C18 the ends repeat the text", text, func(all string) bool { return strings.Count(all, `"text":"Hello"`) == 4 })
	row(t, "C19 H7 strict clients find all they want", text, has(`"annotations":[]`, `"logprobs":[]`, `"sequence_number":0`,
		`"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0}`, `"output_tokens_details":{"reasoning_tokens":0}`, `"total_tokens":24`))
	row(t, "H1 H8 usage is written once", text, func(all string) bool { return strings.Count(all, `"input_tokens":`) == 1 })
	row(t, "C18 the output is assembled", last, has(`"output":[{"id":"msg_`, `"text":"Hello"`))
	row(t, "A13 A14 translated twice it is the same", text, func(all string) bool {
		return all == strings.Join(written(t, runStart, hello, `{"kind":"usage","scope":"run","usage":{"in":20,"out":4}}`, runDone), "\n")
	})
	row(t, "A13 call ids are those of the agent", written(t, runStart, clientF, argsF, `{"kind":"run.end","status":"tools"}`), has(`"call_id":"functions.f:0"`))
	row(t, "B9 a call that was cut is not to be run", written(t, runStart, clientF, `{"kind":"tool.args","id":"functions.f:0","text":"{\"n"}`, `{"kind":"run.end","status":"length"}`),
		has(`"status":"incomplete","arguments":"{\"n"}`, `"reason":"max_output_tokens"`))
	row(t, "C20 the model is the one that was asked for", writtenFor(t, &hub.Request{Model: []byte("alias")}, `{"kind":"run.start","id":"r1","model":"upstream-2"}`, runDone),
		func(all string) bool {
			return strings.Count(all, `"model":"alias"`) == 3 && !strings.Contains(all, "upstream-2")
		})
	row(t, "C1 C7 no event is about an item that is not open", text, has(`"output_index":0`))
	row(t, "I4 signatures of others are not passed on", written(t, runStart, `{"kind":"text.delta","chan":"reasoning","id":"p1","text":"Hm."}`,
		`{"kind":"text.end","chan":"reasoning","id":"p1","sig":"foreign"}`, runDone), func(all string) bool { return !strings.Contains(all, "foreign") })
	row(t, "D1 executed calls do not ask the client to run them", written(t, runStart, `{"kind":"tool.start","id":"t1","name":"f"}`,
		`{"kind":"tool.end","status":"ok","id":"t1","name":"f","text":"x"}`, runDone), func(all string) bool {
		return strings.Contains(all, `"type":"mcp_call"`) && !strings.Contains(all, "function_call")
	})
	row(t, "F12 unknown events of an upstream are dropped", written(t, runStart, `{"kind":"raw","name":"anthropic","value":{"type":"vertex_event"}}`, runDone),
		func(all string) bool { return !strings.Contains(all, "vertex_event") })
	row(t, "E9 E12 one error, in the form of the API", []string{string(dialect.AppendFailure(nil, hub.Fail(hub.CodeBusy, nil)))},
		has(`{"error":{"message":"The agent server is busy.`, `"type":"rate_limit_error","param":null,"code":"upstream_busy"}}`))
}
