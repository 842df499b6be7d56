package agentevent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/agentevent"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// decode returns the decoded events of records, in native notation.
func decode(t *testing.T, dec hub.Decoder, records ...string) string {
	t.Helper()
	var lines []byte
	for _, data := range records {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(data)})
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		for i := range evs {
			lines = append(native.Append(lines, &evs[i]), '\n')
		}
	}
	return string(lines)
}

// encode returns the lines that an encoder with these options writes for normalized events, each with its disposition.
func encode(t *testing.T, options map[string]any, events ...hub.Event) string {
	t.Helper()
	o, problems := agentevent.Dialect.ParseOptions(options)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	enc := agentevent.Dialect.NewEncoder(o)
	out := wire.NewOut(wire.NDJSON)
	var b strings.Builder
	for i := range sequencer.Number(events) {
		out.Reset()
		disposition := enc.Encode(out, &events[i])
		fmt.Fprintf(&b, "%s %s\n", disposition, strings.TrimSpace(string(out.Buf)))
	}
	return b.String()
}

func body(s string) []byte { return []byte(s) }

func TestKeepAlivesDecodeToNothing(t *testing.T) {
	got := decode(t, agentevent.Dialect.NewDecoder(agentevent.Dialect.Defaults()), "", " \n", `{"type":"heartbeat"}`, `{"type":"connected"}`)
	if got != "" {
		t.Errorf("got %s", got)
	}
}

// TestEarlyTextProgress is S4-17: the call takes over the id under which its progress came.
func TestEarlyTextProgress(t *testing.T) {
	got := decode(t, agentevent.Dialect.NewDecoder(agentevent.Dialect.Defaults()),
		`{"type":"tool_progress","toolName":"a","data":"early"}`,
		`{"type":"tool_call","toolName":"b","toolArgs":"{}"}`,
		`{"type":"tool_call","toolName":"a","toolArgs":"{}"}`,
		`{"type":"tool_call","toolName":"a","toolArgs":"{}"}`,
	)
	want := `{"kind":"tool.output","chan":"result","id":"ae_1","name":"a","text":"early"}
{"kind":"tool.start","id":"ae_2","name":"b"}
{"kind":"tool.ready","id":"ae_2","name":"b","value":{}}
{"kind":"tool.start","id":"ae_1","name":"a"}
{"kind":"tool.ready","id":"ae_1","name":"a","value":{}}
{"kind":"tool.start","id":"ae_3","name":"a"}
{"kind":"tool.ready","id":"ae_3","name":"a","value":{}}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestManyOpenCalls opens more calls than are remembered: the oldest are ended, and a late result makes a call of its own.
func TestManyOpenCalls(t *testing.T) {
	dec := agentevent.Dialect.NewDecoder(agentevent.Dialect.Defaults())
	var got string
	for i := range 300 {
		got = decode(t, dec, fmt.Sprintf(`{"type":"tool_call","toolName":"tool_%d","toolArgs":"{}"}`, i))
	}
	if want := `{"kind":"tool.end","status":"unknown","flags":["synthetic"],"id":"ae_44"}`; !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s first", got, want)
	}
	got = decode(t, dec, `{"type":"tool_result","toolName":"tool_43","output":"late"}`, `{"type":"tool_result","toolName":"tool_44","output":"in time"}`)
	want := `{"kind":"tool.end","status":"unknown","flags":["synthetic"],"id":"ae_45"}
{"kind":"tool.start","flags":["synthetic"],"id":"ae_301","name":"tool_43"}
{"kind":"tool.end","status":"ok","id":"ae_301","name":"tool_43","text":"late"}
`
	if !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant first\n%s", got, want)
	}
}

// TestManyGivenIDs forgets calls with ids of their own without ending them: their results name them.
func TestManyGivenIDs(t *testing.T) {
	dec := agentevent.Dialect.NewDecoder(agentevent.Dialect.Defaults())
	for i := range 300 {
		got := decode(t, dec, fmt.Sprintf(`{"type":"tool_call","callId":"tc_%d","toolName":"a","toolArgs":{}}`, i))
		if strings.Contains(got, "tool.end") {
			t.Fatalf("call %d: got %s", i, got)
		}
	}
	got := decode(t, dec, `{"type":"tool_result","callId":"tc_0","toolName":"a","output":1}`)
	want := `{"kind":"tool.start","flags":["synthetic"],"id":"tc_0","name":"a"}
{"kind":"tool.end","status":"ok","id":"tc_0","name":"a","value":1}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestRunEnds(t *testing.T) {
	f := func(status hub.Status, err, v1, v2 string) {
		t.Helper()
		start, end := hub.Event{Kind: hub.RunStart}, hub.Event{Kind: hub.RunEnd, Status: status}
		if err != "" {
			end.More = &hub.More{Err: body(err)}
		}
		if got, want := encode(t, nil, start, end), "implied \n"+v1+"\n"; got != want {
			t.Errorf("version 1, %s: got\n%swant\n%s", status, got, want)
		}
		_, got, _ := strings.Cut(encode(t, map[string]any{"version": 2}, start, end), "\n{\"type\":\"start\",\"seq\":1}\n")
		if got != v2+"\n" {
			t.Errorf("version 2, %s: got %swant %s", status, got, v2)
		}
	}
	early := func(status hub.Status, why string) {
		t.Helper()
		thought := `folded {"type":"thought","content":"` + why + `"`
		f(status, "", thought+"}\n"+`{"type":"final"}`, thought+`,"seq":2}`+"\n"+`{"type":"final","seq":3}`)
	}
	f(hub.StatusDone, "", `native {"type":"final"}`, `native {"type":"final","seq":2}`)
	early(hub.StatusLength, "The answer was cut at its maximum length.")
	early(hub.StatusRefused, "The model refused to answer.")
	early(hub.StatusFiltered, "The answer was cut by a content filter.")
	f(hub.StatusLimit, "", `folded {"type":"error","error":"Max iterations reached"}`, `folded {"type":"error","error":"Max iterations reached","seq":2}`)
	f(hub.StatusFailed, `no \"model\"`, `native {"type":"error","error":"no \"model\""}`, `native {"type":"error","error":"no \"model\"","seq":2}`)
	f(hub.StatusFailed, "", `native {"type":"error","error":"The agent reported an error."}`, `native {"type":"error","error":"The agent reported an error.","seq":2}`)
	f(hub.StatusTruncated, "cut", `folded {"type":"error","error":"cut"}`, `folded {"type":"error","error":"cut","seq":2}`)
	f(hub.StatusLength, "8 of 8", "folded {\"type\":\"thought\",\"content\":\"8 of 8\"}\n"+`{"type":"final"}`,
		"folded {\"type\":\"thought\",\"content\":\"8 of 8\",\"seq\":2}\n"+`{"type":"final","seq":3}`)
	f(hub.StatusCancelled, "The client left.", "folded {\"type\":\"thought\",\"content\":\"The client left.\"}\n"+`{"type":"error","error":"Cancelled by user"}`, `native {"type":"cancelled","reason":"The client left.","seq":2}`)
	f(hub.StatusCancelled, "", `folded {"type":"error","error":"Cancelled by user"}`, `native {"type":"cancelled","reason":"Cancelled by user","seq":2}`)
}

// TestFailureFirst writes the end of a stream that never began.
func TestFailureFirst(t *testing.T) {
	end := hub.FailureEnd(hub.Fail(hub.CodeUnreachable, nil), &hub.More{})
	if got, want := encode(t, nil, end), `native {"type":"error","error":"The agent server cannot be reached."}`+"\n"; got != want {
		t.Errorf("version 1: got %swant %s", got, want)
	}
	if got, want := encode(t, map[string]any{"version": "2"}, end), `native {"type":"session_error","error":"The agent server cannot be reached."}`+"\n"; got != want {
		t.Errorf("version 2: got %swant %s", got, want)
	}
}

// TestHeldOverflow lets calls of one tool run side by side when too much would have to wait.
func TestHeldOverflow(t *testing.T) {
	o := agentevent.Dialect.Defaults()
	enc := agentevent.Dialect.NewEncoder(o)
	out := wire.NewOut(wire.NDJSON)
	var numbers sequencer.Numbers
	push := func(ev hub.Event) {
		numbers.Event(&ev)
		if disposition := enc.Encode(out, &ev); disposition == hub.Dropped {
			t.Fatalf("%s %s is dropped", ev.Kind, ev.ID)
		}
	}
	for _, id := range []string{"t1", "t2", "t3"} {
		push(hub.Event{Kind: hub.ToolStart, ID: body(id), Name: body("bash")})
		push(hub.Event{Kind: hub.ToolReady, ID: body(id), Name: body("bash"), Value: body(`{"id":"` + id + `"}`)})
	}
	push(hub.Event{Kind: hub.ToolEnd, ID: body("t3"), Name: body("bash"), Status: hub.StatusOK, Text: body("end of t3")})
	if out.Records != 1 {
		t.Fatalf("%d records are written while t1 runs, want 1: %s", out.Records, out.Buf)
	}
	piece := body(strings.Repeat("x", 100<<10))
	for range 11 {
		push(hub.Event{Kind: hub.ToolOutput, ID: body("t2"), Chan: hub.Stdout, Text: piece})
	}
	push(hub.Event{Kind: hub.ToolEnd, ID: body("t1"), Name: body("bash"), Status: hub.StatusOK, Text: body("end of t1")})
	push(hub.Event{Kind: hub.ToolEnd, ID: body("t2"), Name: body("bash"), Status: hub.StatusOK, Text: body("end of t2")})
	got := strings.ReplaceAll(string(out.Buf), string(piece), "x")
	chunk := `{"type":"tool_progress","toolName":"bash","data":{"subtype":"stdout_chunk","content":"x"}}` + "\n"
	want := `{"type":"tool_call","toolName":"bash","toolArgs":"{\"id\":\"t1\"}"}
{"type":"tool_call","toolName":"bash","toolArgs":"{\"id\":\"t2\"}"}
` + strings.Repeat(chunk, 11) + `{"type":"tool_call","toolName":"bash","toolArgs":"{\"id\":\"t3\"}"}
{"type":"tool_result","toolName":"bash","output":"end of t3"}
{"type":"tool_result","toolName":"bash","output":"end of t1"}
{"type":"tool_result","toolName":"bash","output":"end of t2"}
`
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestLongThought writes a thought beyond the limit in several.
func TestLongThought(t *testing.T) {
	piece := body(strings.Repeat("x", 700<<10))
	part := hub.Event{Kind: hub.TextDelta, ID: body("r"), Chan: hub.Reasoning, Text: piece}
	got := encode(t, nil, part, part, hub.Event{Kind: hub.TextEnd, ID: body("r"), Chan: hub.Reasoning})
	got = strings.ReplaceAll(got, string(piece), "x")
	want := "deferred \ndeferred {\"type\":\"thought\",\"content\":\"x\"}\nnative {\"type\":\"thought\",\"content\":\"x\"}\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestObserve(t *testing.T) {
	f := func(data string, want hub.Observation) {
		t.Helper()
		if got := agentevent.Dialect.Observe(wire.Record{Data: []byte(data)}); got != want {
			t.Errorf("%s: got %d, want %d", data, got, want)
		}
	}
	f(`{"type":"final"}`, hub.ObservedEnd)
	f(`{"type":"error","error":"x"}`, hub.ObservedEnd)
	f(`{"type":"cancelled","reason":"x"}`, hub.ObservedEnd)
	f(`{"type":"session_error","error":"x"}`, hub.ObservedEnd)
	f(`{"type":"session_replaced"}`, hub.ObservedEnd)
	f(`{"seq":4, "type" : "final"}`, hub.ObservedEnd)
	f(`{"type":"stream","content":"\"type\":\"final\""}`, hub.ObservedNothing)
	f(`{"type":"tool_error","error":"x"}`, hub.ObservedNothing)
	f(`{"type":"fin`, hub.ObservedNothing)
	f(``, hub.ObservedNothing)
}

// TestKeepAlive is the other half of SX-12: the dialect's own sign of life.
func TestKeepAlive(t *testing.T) {
	f := func(version, want string) {
		t.Helper()
		o, _ := agentevent.Dialect.ParseOptions(map[string]any{"version": version})
		out := wire.NewOut(wire.SSE)
		agentevent.Dialect.KeepAlive(out, o)
		if string(out.Buf) != want {
			t.Errorf("version %s: got %q, want %q", version, out.Buf, want)
		}
	}
	f("1", "\n\n")
	f("2", "data: {\"type\":\"heartbeat\"}\n\n")
}

func TestAppendFailure(t *testing.T) {
	got := string(agentevent.Dialect.AppendFailure(nil, hub.Fail(hub.CodeBusy, nil)))
	if want := `{"error":"The agent server is busy. Try again later."}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
