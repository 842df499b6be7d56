package openaichat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

const testBase = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m",`

var roleChunk = deltaChunk(`"role":"assistant","content":""`)

func deltaChunk(members string) string {
	return testBase + `"choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

func finishChunk(reason string) string {
	return testBase + `"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// newTestEncoder makes an encoder with this form of reasoning, "" for the default.
func newTestEncoder(t *testing.T, reasoning string) hub.Encoder {
	t.Helper()
	raw := map[string]any{}
	if reasoning != "" {
		raw["reasoning"] = reasoning
	}
	return encoderWith(t, raw)
}

func encoderWith(t *testing.T, raw map[string]any) hub.Encoder {
	t.Helper()
	options, problems := Dialect.ParseOptions(raw)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return Dialect.NewEncoder(options)
}

// written are the frames of a run with these events between its start and a good end, without what all have in common.
func written(t *testing.T, enc hub.Encoder, evs ...hub.Event) []string {
	t.Helper()
	seq, out := sequencer.New(sequencer.Config{}), wire.NewOut(wire.SSE)
	decoded := append([]hub.Event{{Kind: hub.RunStart, ID: []byte("chatcmpl-1")}}, evs...)
	if decoded[len(decoded)-1].Kind != hub.RunEnd {
		decoded = append(decoded, hub.Event{Kind: hub.RunEnd, Status: hub.StatusDone})
	}
	normalized := seq.Push(nil, decoded, 0)
	for i := range normalized {
		enc.Encode(out, &normalized[i])
	}
	enc.Finish(out)
	text := strings.NewReplacer("data: ", "", `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":0,`, "{").Replace(string(out.Buf))
	return strings.Split(strings.TrimSuffix(text, "\n\n"), "\n\n")
}

func answer(text string) hub.Event {
	return hub.Event{Kind: hub.TextDelta, Text: []byte(text)}
}

func chunkOf(delta string) string {
	return `{"model":"agent","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

const (
	writtenRole = `{"model":"agent","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`
	writtenStop = `{"model":"agent","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
)

// Row C20: the name of the model is the one that the client asked for. Row H5: usage comes if the client asked for it.
func TestRowsC20H5Answer(t *testing.T) {
	used := hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: hub.NoCounts}}
	used.More.Usage.In, used.More.Usage.Out = 1, 2
	f := func(option, body string, unnamed bool, wantHead string, wantUsage bool) {
		t.Helper()
		enc := encoderWith(t, map[string]any{"usage": option})
		req := &hub.Request{Unique: []byte("u-7"), Time: 1790000000500}
		if err := Dialect.Requests.DecodeRequest(req, []byte(`{"messages":[],`+body[1:])); err != nil {
			t.Fatal(err)
		}
		req.Body = nil
		enc.(hub.Answerer).Answer(req)
		out := wire.NewOut(wire.NDJSON)
		start := hub.Event{Kind: hub.RunStart, ID: []byte("chatcmpl-1"), More: &hub.More{Model: []byte("upstream-model")}}
		if unnamed {
			start.ID = nil
		}
		for _, ev := range []hub.Event{start, used, {Kind: hub.RunEnd, Status: hub.StatusDone}} {
			enc.Encode(out, &ev)
		}
		if !strings.HasPrefix(string(out.Buf), wantHead) {
			t.Errorf("%s: got %s, want it to begin with %s", body, out.Buf, wantHead)
		}
		if got := strings.Contains(string(out.Buf), `"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`); got != wantUsage {
			t.Errorf("%s, usage %s: usage was sent: %t", body, option, got)
		}
	}
	const object = `","object":"chat.completion.chunk","created":1790000000,"model":"`
	f("asked", `{"model":"alias","stream":true}`, false, `{"id":"chatcmpl-1`+object+`alias"`, false)
	f("asked", `{"model":"alias","stream_options":{"include_usage":true}}`, true, `{"id":"chatcmpl-u-7`+object+`alias"`, true)
	f("asked", `{"stream_options":{"include_usage":false}}`, false, `{"id":"chatcmpl-1`+object+`upstream-model"`, false)
	f("always", `{"stream_options":null}`, false, `{"id":"chatcmpl-1`+object+`upstream-model"`, true)
	f("never", `{"stream_options":{"include_usage":true}}`, false, `{"id":"chatcmpl-1`+object+`upstream-model"`, false)
}

func TestHalfRequest(t *testing.T) {
	if err := Dialect.Requests.DecodeRequest(&hub.Request{}, []byte(`{"model":`)); err == nil {
		t.Error("half a request is none")
	}
}

func TestOptions(t *testing.T) {
	f := func(raw map[string]any, want []string, evs ...hub.Event) {
		t.Helper()
		if diff := cmp.Diff(want, written(t, encoderWith(t, raw), evs...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", raw, diff)
		}
	}
	parts := []hub.Event{
		{Kind: hub.TextDelta, ID: []byte("r"), Chan: hub.Reasoning, Text: []byte("Hm")},
		{Kind: hub.TextDelta, ID: []byte("p1"), Text: []byte("One.")},
		{Kind: hub.TextDelta, ID: []byte("p2"), Text: []byte("Two")}, {Kind: hub.TextDelta, ID: []byte("p2"), Text: []byte(".")},
	}
	hm := chunkOf(`{"reasoning_content":"Hm"}`)
	f(map[string]any{"separator": "\n\n", "done": "false"},
		[]string{writtenRole, hm, chunkOf(`{"content":"One."}`), chunkOf(`{"content":"\n\nTwo"}`), chunkOf(`{"content":"."}`), writtenStop}, parts...)
	f(nil, []string{writtenRole, hm, chunkOf(`{"content":"One."}`), chunkOf(`{"content":"Two"}`), chunkOf(`{"content":"."}`), writtenStop, "[DONE]"}, parts...)
	f(map[string]any{"model": `the "best"`}, []string{
		strings.Replace(writtenRole, "agent", `the \"best\"`, 1), strings.Replace(writtenStop, "agent", `the \"best\"`, 1), "[DONE]",
	})
}

// TestStepUsage adds up what steps used, the last word of each, unless the run says its own.
func TestStepUsage(t *testing.T) {
	emitted := func(scope hub.Scope, step string, in, out int64) hub.Event {
		ev := hub.Event{Kind: hub.Usage, Scope: scope, Ref: []byte(step), More: &hub.More{Usage: hub.NoCounts}}
		ev.More.Usage.In, ev.More.Usage.Out = in, out
		return ev
	}
	f := func(want string, evs ...hub.Event) {
		t.Helper()
		usage := `{"model":"agent","choices":[],"usage":{` + want + `}}`
		if diff := cmp.Diff([]string{writtenRole, writtenStop, usage, "[DONE]"}, written(t, newTestEncoder(t, ""), evs...)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	f(`"prompt_tokens":30,"completion_tokens":5,"total_tokens":35`,
		emitted(hub.StepScope, "s1", 10, 1), emitted(hub.StepScope, "s1", 10, 2), emitted(hub.StepScope, "s2", 20, 3))
	f(`"prompt_tokens":30,"completion_tokens":4,"total_tokens":34`, emitted(hub.StepScope, "", 10, 1), emitted(hub.StepScope, "", 20, 3))
	f(`"prompt_tokens":7,"completion_tokens":0,"total_tokens":7`, emitted(hub.StepScope, "s1", 10, 1), emitted(hub.RunScope, "", 7, -1))
	many := make([]hub.Event, 0, 300)
	for i := range 300 {
		many = append(many, emitted(hub.StepScope, fmt.Sprint("s", i), 1, 1))
	}
	f(`"prompt_tokens":300,"completion_tokens":300,"total_tokens":600`, many...)
}

// TestAnsweredCall: a call that somebody has run within the run does not wait for the client.
func TestAnsweredCall(t *testing.T) {
	got := written(t, newTestEncoder(t, ""),
		hub.Event{Kind: hub.ToolStart, ID: []byte("c1"), Name: []byte("f"), Flags: hub.ClientRuns},
		hub.Event{Kind: hub.ToolEnd, ID: []byte("c1"), Status: hub.StatusOK, Text: []byte("x")})
	if n := len(got); got[n-2] != writtenStop {
		t.Errorf("got %s", got)
	}
}

// TestResumedCall: a call that was asked for in an earlier run is not asked for again.
func TestResumedCall(t *testing.T) {
	got := written(t, newTestEncoder(t, ""),
		hub.Event{Kind: hub.ToolStart, ID: []byte("c1"), Name: []byte("f"), Flags: hub.ClientRuns | hub.Resumed},
		hub.Event{Kind: hub.ToolEnd, ID: []byte("c1"), Status: hub.StatusOK, Text: []byte("x")})
	if diff := cmp.Diff([]string{writtenRole, writtenStop, "[DONE]"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBounds: neither decoder nor encoder takes more calls than clients do, and the decoder no more choices.
func TestBounds(t *testing.T) {
	dec := Dialect.NewDecoder(Dialect.Defaults())
	decode := func(record string) (n int, fault error) {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(record)})
		return len(evs), err
	}
	for i := range maxCalls {
		if _, err := decode(deltaChunk(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}}]`, i, i))); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := decode(deltaChunk(`"tool_calls":[{"index":999,"id":"c999","function":{"name":"f","arguments":"{}"}}]`)); n != 0 || err == nil {
		t.Errorf("one call too many gave %d events and the error %v", n, err)
	}
	for i := range maxChoices {
		_, err := decode(testBase + fmt.Sprintf(`"choices":[{"index":%d,"delta":{}}]}`, i))
		if err != nil {
			t.Fatal(err)
		}
	}
	if n, err := decode(testBase + `"choices":[{"index":999,"delta":{"content":"x"}}]}`); n != 0 || err == nil {
		t.Errorf("one choice too many gave %d events and the error %v", n, err)
	}
	enc, out := newTestEncoder(t, ""), wire.NewOut(wire.SSE)
	for i := range maxCalls + 1 {
		disposition := enc.Encode(out, &hub.Event{Kind: hub.ToolStart, ID: fmt.Append(nil, i), Name: []byte("f"), Flags: hub.ClientRuns})
		if want := i == maxCalls; (disposition == hub.Dropped) != want {
			t.Errorf("call %d: %s", i, disposition)
		}
	}
}

func TestFailureBody(t *testing.T) {
	f := func(code hub.Code, kind string, status int) {
		t.Helper()
		fail := hub.Fail(code, nil)
		want := fmt.Sprintf(`{"error":{"message":%q,"type":%q,"param":null,"code":%q,"status":%d}}`, fail.Text(), kind, code, status)
		if got := string(Dialect.AppendFailure(nil, fail)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	f(hub.CodeReset, "server_error", 502)
	f(hub.CodeBadRequest, "invalid_request_error", 400)
	f(hub.CodeBusy, "server_error", 503)
}

// TestExtension: what the encoder puts in the extension place is found again, and nothing else is.
func TestExtension(t *testing.T) {
	enc, out := newTestEncoder(t, ""), wire.NewOut(wire.NDJSON)
	payload := `{"x-agent-stream":{"kind":"plan"}}`
	enc.(hub.Extender).Extend(out, []byte(payload))
	want := `{"id":"chatcmpl-0","object":"chat.completion.chunk","created":0,"model":"agent","choices":[],"sabir":` + payload + "}\n"
	if got := string(out.Buf); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	enc.(hub.Extender).Extend(out, []byte(`{"x-agent-stream":{"kind":"data","value":{"__proto__":1}}}`))
	if out.Records != 1 {
		t.Error("an extension that clients refuse was written")
	}
	rec := wire.Record{Data: out.Buf}
	if got := string(Dialect.Extension(rec)); got != payload {
		t.Errorf("found %s, want %s", got, payload)
	}
	evs, err := Dialect.NewDecoder(Dialect.Defaults()).Decode(nil, rec)
	if err != nil || len(evs) != 1 || evs[0].Kind != hub.RunStart {
		t.Errorf("the decoder reads %v, %v", evs, err)
	}
	for _, other := range []string{
		deltaChunk(`"content":"\"x-agent-stream\""`), testBase + `"choices":[],"sabir":{"x-agent-stream ":1}}`, `{"x-agent-stream":{}}`,
	} {
		if got := Dialect.Extension(wire.Record{Data: []byte(other)}); got != nil {
			t.Errorf("%s: found %s", other, got)
		}
	}
}

func TestNesting(t *testing.T) {
	f := func(want bool, pieces ...string) {
		t.Helper()
		var n nesting
		for _, p := range pieces {
			n.add([]byte(p))
		}
		if n.complete() != want {
			t.Errorf("%q is complete: %t", pieces, !want)
		}
	}
	f(false)
	f(false, ` \n\t`)
	f(true, `{}`)
	f(false, `{\"a\":{`, `}`)
	f(true, `{\"a\":{`, `}`, `}`)
	f(false, `{\"a}\"`, `:1`)
	f(true, `{\"a}\"`, `:1}`)
	f(false, `{\"a\\\\`, `\\`, `\"}`) // an escaped backslash and an escaped quote
	f(true, `{\"a\\\\`, `\\`, `\"}\":1}`)
	f(false, `{\u0022a}\u0022:1`)
	f(true, `{\u0022a}\u0022:1}`)
	f(true, `{\u007d`) // no brace is escaped in earnest; it counts all the same
	f(true, `[1,[2]]`)
	f(true, `\"text\"`)
	f(true, `12`)
	f(false, `{\"é\u00e9`)
}

func TestWatcher(t *testing.T) {
	f := func(options map[string]any, records []string, wantEnd, wantBody bool) {
		t.Helper()
		o, problems := Dialect.ParseOptions(options)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		w, end := fastpath.NewWatcher(&Dialect, o), false
		for _, r := range records {
			end = w.Observe(wire.Record{Data: []byte(r)}) == hub.ObservedEnd || end
		}
		if end != wantEnd || w.EndsWithBody() != wantBody {
			t.Errorf("%s: ends %t, with its body %t", records, end, w.EndsWithBody())
		}
	}
	f(nil, nil, false, false)
	f(nil, []string{roleChunk}, false, false)
	f(nil, []string{roleChunk, finishChunk("stop")}, false, true)
	f(nil, []string{roleChunk, finishChunk("")}, false, false)
	f(nil, []string{roleChunk, finishChunk("stop")[:100], `{"choices":[{"finish_reason":"stop"}]`}, false, false)
	f(nil, []string{roleChunk, "[DONE]"}, true, false)
	f(nil, []string{roleChunk, `{"error":null,"choices":[]}`, deltaChunk(`"content":"\"error\""`)}, false, false)
	f(nil, []string{roleChunk, `{"error":{"message":"x"}}`}, true, false)
	f(map[string]any{"unfinished": "length"}, []string{roleChunk}, false, true)
	second := testBase + `"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":null}]}`
	f(nil, []string{finishChunk("stop"), second}, false, false)
	f(map[string]any{"choices": "one"}, []string{second, finishChunk("stop")}, false, true)
	many := make([]string, 0, 2*maxChoices)
	for i := range 2 * maxChoices {
		many = append(many, fmt.Sprintf(`{"choices":[{"index":%d,"delta":{},"finish_reason":"stop"}]}`, i))
	}
	f(nil, many, false, true)
}
