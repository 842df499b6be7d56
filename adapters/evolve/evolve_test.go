package evolve_test

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/evolve"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

func TestDialect(t *testing.T) { adaptertest.Run(t, &evolve.Dialect) }

func TestAllocs(t *testing.T) { adaptertest.Allocs(t, &evolve.Dialect) }

func FuzzDecode(f *testing.F) { adaptertest.Fuzz(f, &evolve.Dialect) }

func options(t *testing.T, pairs ...string) hub.Options {
	t.Helper()
	return adaptertest.Options(t, &evolve.Dialect, pairs...)
}

func decode(t *testing.T, d hub.Decoder, record string) []hub.Event {
	t.Helper()
	evs, err := d.Decode(nil, wire.Record{Data: []byte(record)})
	if err != nil {
		t.Fatalf("%s: %v", record, err)
	}
	return evs
}

// S3-24: the title tells, in any case and anywhere in it.
func TestIsBrowserUse(t *testing.T) {
	f := func(title string, want bool) {
		t.Helper()
		if got := evolve.IsBrowserUse(title); got != want {
			t.Errorf("IsBrowserUse(%q) = %v", title, got)
		}
	}
	f("browser-use: browser_task", true)
	f("Browser-Use: monitor_task", true)
	f("my browser-use tool", true)
	f("browser: open", false)
	f("other", false)
	f("", false)
}

// S3-27: the first member wins; then the parsed JSON, with the last step's screenshot as a last resort.
func TestExtractURLs(t *testing.T) {
	f := func(text, live, screenshot string) {
		t.Helper()
		want := evolve.URLs{Live: live, Screenshot: screenshot}
		if got := evolve.ExtractURLs(text); got != want {
			t.Errorf("ExtractURLs(%s) = %+v, want %+v", text, got, want)
		}
	}
	f(`{"live_url":"https://l","screenshot_url":"https://s"}`, "https://l", "https://s")
	f("{\"live_url\" :\t\"https://l\"}", "https://l", "")
	f(`{"screenshot_url":null,"steps":[{"screenshot_url":"https://1"},{"screenshot_url":"https://2"}]}`, "", "https://1")
	f(`{"live_url":"https:\/\/l\/a","broken`, "https://l/a", "")
	f(`{"live_url":null,"live_url":"https://l"}`, "https://l", "")
	f(`{"live_url":""}`, "", "")
	f(`{"\u006cive_url":"https://l","steps":[{"step_number":1},{"screenshot\u005furl":"https://2"}]}`, "https://l", "https://2")
	f(`{"screenshot\u005furl":"https://s","steps":[{"screenshot\u005furl":"https://2"}]}`, "", "https://s")
	f(`"live_url" "live_url":7 "live_url":"never closed`, "", "")
	f(``, "", "")
	f(`plain text`, "", "")
}

func TestObserve(t *testing.T) {
	f := func(record string, want hub.Observation) {
		t.Helper()
		if got := evolve.Dialect.Observe(wire.Record{Data: []byte(record)}); got != want {
			t.Errorf("Observe(%s) = %d, want %d", record, got, want)
		}
	}
	nothing, start, end := hub.ObservedNothing, hub.ObservedStart, hub.ObservedEnd
	f(`{"sandboxId":"s","sandbox":"running","agent":"running","timestamp":"t","reason":"run_start"}`, start)
	f(`{"sandboxId":"s","sandbox":"ready","agent":"idle","timestamp":"t","reason":"run_complete"}`, end)
	f(`{"reason": "run_failed","sandbox":"ready"}`, end)
	f(`{"reason":"run_interrupted","sandbox":"ready"}`, end)
	f(`{"reason":"run_background_complete","sandbox":"ready"}`, nothing)
	f(`{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\"reason\":\"run_complete\""}}}`, nothing)
	f(`{"update":{"sessionUpdate":"tool_call","toolCallId":"t","rawInput":{"reason":"run_complete"}}}`, nothing)
	f(`{"update":{"sessionUpdate":"error","message":"m","fatal":true}}`, end)
	f(`{"update":{"sessionUpdate":"error","message":"m","fatal":false}}`, nothing)
	f(`{"jsonrpc":"2.0","method":"session/update","params":{"update":{}}}`, start)
	f(`{"jsonrpc":"2.0","params":{"update":{}},"method":"session/update"}`, start)
	f(`{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}`, end)
	f(`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`, nothing)
	f(`{"jsonrpc":"2.0","id":2,"result":{"exitCode":1,"stdout":""}}`, end)
	f(`{"jsonrpc":"2.0","id":2,"result":{"exitCode":0,"stdout":"Background process started with ID 7"}}`, nothing)
	f(`{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}`, end)
	f(`{"jsonrpc":"2.0","method":"event","params":{"type":"lifecycle","reason":"run_complete"}}`, end)
	f(`{"jsonrpc":"2.0","method":"event","params":{"type":"content","update":{"sessionUpdate":"error","fatal":true}}}`, end)
	f(`{"jsonrpc":"2.0","method":"event","params":{"type":"content","update":{"sessionUpdate":"plan"}}}`, nothing)
	f(`{"broken`, nothing)
	f(``, nothing)
}

// A stream may name more calls and sessions than are remembered; it is still read.
func TestDecoderIsBounded(t *testing.T) {
	d := evolve.Dialect.NewDecoder(options(t))
	for i := range 5000 {
		n := strconv.Itoa(i)
		decode(t, d, `{"sessionId":"s`+n+`","update":{"sessionUpdate":"tool_call_update","toolCallId":"t`+n+`","status":"in_progress"}}`)
	}
	evs := decode(t, d, `{"sessionId":"s4999","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}`)
	if len(evs) != 1 || string(evs[0].SubAgent) != "s4999" {
		t.Errorf("got %d events, lane %q", len(evs), evs[0].SubAgent)
	}
}

// Parts of a chunk that never ends are passed on in pieces, and nothing is lost.
func TestStdioIsBounded(t *testing.T) {
	d := evolve.Dialect.NewDecoder(options(t, "stdio=join"))
	part := strings.Repeat("x", 200<<10)
	reported := 0
	count := func(evs []hub.Event) {
		for i := range evs {
			if len(evs[i].Value) > 2<<20 {
				t.Errorf("a piece of %d bytes", len(evs[i].Value))
			}
			if string(evs[i].Name) == "stdout" {
				reported += len(evs[i].Value) - len(`""`)
			}
		}
	}
	for i := range 20 {
		count(decode(t, d, `{"type":"stdout","data":"`+part+`","seq":`+strconv.Itoa(i)+`,"done":false}`))
	}
	if count(d.Finish(nil, nil)); reported != 20*len(part) {
		t.Errorf("%d bytes came out of %d", reported, 20*len(part))
	}
}

// A body that was cut is no good end, whatever the rule.
func TestFinishAfterCut(t *testing.T) {
	for _, rule := range []string{"auto", "eof", "lifecycle"} {
		d := evolve.Dialect.NewDecoder(options(t, "end="+rule))
		decode(t, d, `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}`)
		if evs := d.Finish(nil, hub.Fail(hub.CodeReset, nil)); len(evs) > 0 {
			t.Errorf("end=%s: the end of a cut body is %s", rule, evs[0].Kind)
		}
	}
}

// A body without a record is no run, and no good end of one.
func TestFinishWithoutRecords(t *testing.T) {
	d := evolve.Dialect.NewDecoder(options(t, "end=eof"))
	if evs := d.Finish(nil, nil); len(evs) > 0 {
		t.Errorf("the end of an empty body is %s", evs[0].Kind)
	}
}

// startTool brings an encoder to the point where a tool is ready.
func startTool(e hub.Encoder, out *wire.Out) {
	e.Encode(out, &hub.Event{Kind: hub.RunStart})
	e.Encode(out, &hub.Event{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte("Bash")})
	e.Encode(out, &hub.Event{Kind: hub.ToolReady, ID: []byte("t1"), Name: []byte("Bash"), Value: []byte("{}")})
}

// Output is repeated as a whole; the sum stays linear, and stops at the limit.
func TestProgressIsLinear(t *testing.T) {
	e := evolve.Dialect.NewEncoder(options(t))
	out := wire.NewOut(wire.NDJSON)
	startTool(e, out)
	line, sum, total := []byte(strings.Repeat("x", 40)), 0, 0
	for range 20000 {
		out.Reset()
		disposition := e.Encode(out, &hub.Event{Kind: hub.ToolOutput, ID: []byte("t1"), Text: line})
		if written := len(out.Buf) > 0; written != (disposition == hub.Native) {
			t.Fatalf("wrote %d bytes with disposition %s", len(out.Buf), disposition)
		}
		sum, total = sum+len(out.Buf), total+len(line)
	}
	if sum > 12*(256<<10) {
		t.Errorf("%d bytes of output were written as %d", total, sum)
	}
	whole := bytes.Repeat(line, 20000)
	out.Reset()
	e.Encode(out, &hub.Event{Kind: hub.ToolEnd, ID: []byte("t1"), Name: []byte("Bash"), Status: hub.StatusOK, Text: whole})
	if !bytes.Contains(out.Buf, whole) {
		t.Error("the end does not carry the whole result")
	}
}

// An end that is not a good one may be the very first event.
func TestFailureFirst(t *testing.T) {
	e := evolve.Dialect.NewEncoder(options(t))
	out := wire.NewOut(wire.NDJSON)
	end := hub.FailureEnd(hub.Fail(hub.CodeRefused, nil), &hub.More{})
	e.Encode(out, &end)
	want := `{"update":{"sessionUpdate":"error","message":"The agent server refused the connection.","fatal":true}}
{"sandboxId":null,"sandbox":"ready","agent":"error","timestamp":null,"reason":"run_failed"}
`
	if string(out.Buf) != want {
		t.Errorf("got\n%swant\n%s", out.Buf, want)
	}
}

// A good end that says what went wrong on the way says so, in an error that is not fatal.
func TestGoodEndWithError(t *testing.T) {
	f := func(option, want string, disposition hub.Disposition) {
		t.Helper()
		e, out := evolve.Dialect.NewEncoder(options(t, option)), wire.NewOut(wire.NDJSON)
		e.Encode(out, &hub.Event{Kind: hub.RunStart})
		out.Reset()
		got := e.Encode(out, &hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone, More: &hub.More{Err: []byte("why")}})
		if string(out.Buf) != want || got != disposition {
			t.Errorf("%s: got %s\n%swant %s\n%s", option, got, out.Buf, disposition, want)
		}
	}
	why := `{"update":{"sessionUpdate":"error","message":"why","fatal":false}}` + "\n"
	complete := `{"sandboxId":null,"sandbox":"ready","agent":"idle","timestamp":null,"reason":"run_complete"}` + "\n"
	f("lifecycle=on", why+complete, hub.Folded)
	f("lifecycle=off", why, hub.Folded)
	f("envelope=acp", `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session","update":{"sessionUpdate":"notice","severity":"error","title":"why"}}}
{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}
`, hub.Folded)
}

// A start that the upstream says after one was made up is not written again.
func TestStartOnce(t *testing.T) {
	e := evolve.Dialect.NewEncoder(options(t))
	out := wire.NewOut(wire.NDJSON)
	e.Encode(out, &hub.Event{Kind: hub.RunStart})
	late := `{"sandboxId":"s","sandbox":"running","agent":"running","timestamp":null,"reason":"run_start"}`
	e.Encode(out, &hub.Event{Kind: hub.Data, Name: []byte("lifecycle"), Op: hub.Emit, Value: []byte(late)})
	if n := bytes.Count(out.Buf, []byte("run_start")); n != 1 {
		t.Errorf("%d starts were written\n%s", n, out.Buf)
	}
}

// Reset forgets the stream: the second is written as the first.
func TestEncoderReset(t *testing.T) {
	e := evolve.Dialect.NewEncoder(options(t))
	var first []byte
	for range 2 {
		out := wire.NewOut(wire.NDJSON)
		e.Encode(out, &hub.Event{Kind: hub.RunStart, Ref: []byte("thread")})
		startTool(e, out)
		e.Encode(out, &hub.Event{Kind: hub.Plan, More: &hub.More{Items: []hub.PlanItem{{Content: []byte("x")}}}})
		if first == nil {
			first = out.Buf
		} else if !bytes.Equal(first, out.Buf) {
			t.Errorf("after Reset\n%s\nnot\n%s", out.Buf, first)
		}
		e.Reset()
	}
}

// A string in rawInput is the text of arguments, so arguments that are a string, or null, are written as text.
func TestArgumentsThatAreNoObject(t *testing.T) {
	f := func(args, rawInput string) {
		t.Helper()
		e, out := evolve.Dialect.NewEncoder(options(t)), wire.NewOut(wire.NDJSON)
		e.Encode(out, &hub.Event{Kind: hub.ToolStart, ID: []byte("t1"), Name: []byte("frob")})
		e.Encode(out, &hub.Event{Kind: hub.ToolReady, ID: []byte("t1"), Name: []byte("frob"), Value: []byte(args)})
		if !bytes.Contains(out.Buf, []byte(`"rawInput":`+rawInput+`}`)) {
			t.Errorf("%s: want %s in\n%s", args, rawInput, out.Buf)
		}
		decoded := decode(t, evolve.Dialect.NewDecoder(options(t)), string(out.Buf))
		normalized := sequencer.New(sequencer.Config{}).Push(nil, decoded, 0)
		if got := normalized[len(normalized)-1]; got.Kind != hub.ToolReady || string(got.Value) != args {
			t.Errorf("%s comes back as %s %s", args, got.Kind, got.Value)
		}
	}
	f(`{"query":"x"}`, `{"query":"x"}`)
	f(`"{\"query\":\"x\"}"`, `"\"{\\\"query\\\":\\\"x\\\"}\""`)
	f(`"plain\n"`, `"\"plain\\n\""`)
	f(`null`, `"null"`)
	f(`[1]`, `[1]`)
	f(`7`, `7`)
}

func TestOptions(t *testing.T) {
	f := func(key string, val any) {
		t.Helper()
		if _, problems := evolve.Dialect.ParseOptions(map[string]any{key: val}); len(problems) == 0 {
			t.Errorf("%s=%v is accepted", key, val)
		}
	}
	f("end", "never")
	f("envelope", "sse")
	f("line_base", 2)
	f("max_output", -1)
	f("kinds", "Bash")
	f("browser", "maybe")
}
