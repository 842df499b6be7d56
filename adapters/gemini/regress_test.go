package gemini_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/gemini"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The tests below are named after the rows of the corpus of bugs that users of other translators met. Each drives the half
// that is Gemini's.

const tail = `,"index":0}],"responseId":"r1"}`

func frame(parts string, more ...string) string {
	f := `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]}`
	for _, m := range more {
		f += "," + m
	}
	return f + tail
}

func sse(frames ...string) string {
	return "data: " + strings.Join(frames, "\r\n\r\ndata: ") + "\r\n\r\n"
}

const stop = `"finishReason":"STOP"`

// decode returns the normalized events of a body, in native notation.
func decode(t *testing.T, body string, cause error) string {
	t.Helper()
	return adaptertest.Strict(t, &gemini.Dialect, wire.Auto, body, cause)
}

// encode returns the frames for decoded events in native notation.
func encode(t *testing.T, events string) string {
	t.Helper()
	evs, err := adaptertest.Events([]byte(events))
	if err != nil {
		t.Fatal(err)
	}
	seq := sequencer.New(sequencer.Config{})
	enc, out := gemini.Dialect.NewEncoder(gemini.Dialect.Defaults()), wire.NewOut(wire.SSE)
	normalized := seq.Push(nil, evs, 0)
	for i := range normalized {
		enc.Encode(out, &normalized[i])
	}
	normalized = seq.Flush(normalized[:0], nil)
	for i := range normalized {
		enc.Encode(out, &normalized[i])
	}
	enc.Finish(out)
	return string(out.Buf)
}

func TestRegressionsDecoded(t *testing.T) {
	call := func(id, name, args string) string {
		if id != "" {
			id = `"id":"` + id + `",`
		}
		return `{"functionCall":{` + id + `"name":"` + name + `","args":` + args + `}}`
	}
	text := func(s string) string { return `{"text":"` + s + `"}` }
	tests := []struct {
		name, body string
		want       []string // in this order
		never      string
	}{
		{"A2 calls in chunks of their own are distinguished", sse(frame(call("", "a", `{"n":1}`)), frame(call("", "b", `{"n":2}`)), frame(text(""), stop)),
			[]string{`"kind":"tool.ready","flags":["client_runs"],"id":"call_1"`, `"kind":"tool.ready","flags":["client_runs"],"id":"call_2"`, `"status":"tools"`}, ""},
		{"A7 calls with one id stay two", sse(frame(call("x", "a", `{}`)), frame(call("x", "b", `{}`), stop)),
			[]string{`"id":"x","name":"a"`, `"id":"call_1","name":"b"`}, ""},
		{"A11 a second candidate does not mix with the first", sse(`{"candidates":[{"content":{"parts":[{"text":"A"}]},"index":0},{"content":{"parts":[{"text":"B"}]},"index":1}]}`, frame(text("a"), stop)),
			[]string{`"text":"A"`, `"text":"a"`}, `"text":"B"`},
		{"two calls of one function keep their order", sse(frame(call("", "a", `{"n":1}`) + "," + call("", "a", `{"n":2}`))),
			[]string{`"value":{"n":1}`, `"value":{"n":2}`}, ""},
		{"B1 arguments that come whole are passed whole", sse(frame(call("x", "a", `{"q":"x"}`), stop)),
			[]string{`"kind":"tool.args","flags":["synthetic"],"id":"x","text":"{\"q\":\"x\"}"`}, ""},
		{"B4 a call without arguments has an empty object", sse(frame(`{"functionCall":{"name":"now"}}`, stop)), []string{`"value":{}`}, ""},
		{"B5 arguments of an empty string are an empty object", sse(frame(call("x", "a", `""`), stop)), []string{`"value":{}`}, "invalid"},
		{"B6 arguments that are no JSON are not made an empty object", sse(frame(call("x", "a", `"{\"q\":"`), stop)), []string{`"invalid"`}, `"value":{}`},
		{"B7 arguments that are no object are kept", sse(frame(call("x", "a", `[1]`), stop)), []string{`"value":[1]`}, ""},
		{"B9 a call that is cut is not complete", sse(frame(`{"functionCall":{"name":"a","id":"x","partialArgs":[{"jsonPath":"$.q","stringValue":"ab"}],"willContinue":true}}`), frame(text(""), `"finishReason":"MAX_TOKENS"`)),
			[]string{`"invalid"`, `"status":"length"`}, `"value":{"q":"ab"}`},
		{"D1 calls make the end that of tools", sse(frame(call("x", "a", `{}`), stop)), []string{`"kind":"run.end","status":"tools"`}, ""},
		{"D2 STOP in another chunk than the call", sse(frame(call("x", "a", `{}`)), frame(text(""), stop)), []string{`"kind":"run.end","status":"tools"`}, ""},
		{"D2 STOP in a chunk before the call", sse(frame(text("hm"), stop), frame(call("x", "a", `{}`))), []string{`"kind":"tool.end","status":"client"`, `"kind":"run.end","status":"tools"`}, ""},
		{"D3 STOP on every chunk is one end, the last", sse(frame(text("a"), stop), frame(text("b"), stop)), []string{`"text":"a"`, `"text":"b"`, `"kind":"run.end","status":"done"`}, ""},
		{"D4 the last reason counts", sse(frame(text("a"), stop), frame(text("b"), `"finishReason":"MAX_TOKENS"`)), []string{`"status":"length"`}, ""},
		{"D5 an empty reason is none", sse(frame(text("a"), `"finishReason":""`)), []string{`"kind":"run.end","status":"truncated"`}, ""},
		{"D6 a malformed call is no filter", sse(frame(text(""), `"finishReason":"MALFORMED_FUNCTION_CALL"`)), []string{`"status":"failed"`}, "filtered"},
		{"D7 a last chunk without parts", sse(frame(text("a")), `{"candidates":[{"content":{"role":"model"},`+stop+`}]}`), []string{`"status":"done"`}, ""},
		{"E1 a stream without a reason was cut", sse(frame(text("a"))), []string{`"kind":"run.end","status":"truncated"`}, ""},
		{"E6 what follows the end mark does no harm", sse(frame(text("a"), stop)) + "data: [DONE]\n\ndata: [DONE]\n\n", []string{`"status":"done"`}, ""},
		{"E7 an error in the middle", sse(frame(text("a")), `{"error":{"code":500,"message":"Boom.","status":"INTERNAL"}}`), []string{`"text":"a"`, `"status":"failed","err":"Boom.","err_code":"INTERNAL"`}, ""},
		{"E10 an error first", sse(`{"error":{"code":503,"message":"Overloaded.","status":"UNAVAILABLE"}}`), []string{`"status":"failed","err":"Overloaded."`}, ""},
		{"E15 a code as a string", sse(`{"error":{"code":"400","message":"No."}}`), []string{`"err_code":"INVALID_ARGUMENT"`}, ""},
		{"E15 a code as a word", sse(`{"error":{"code":"rate_limited","message":"No."}}`), []string{`"err_code":"rate_limited"`}, ""},
		{"E15 a code that is null", sse(`{"error":{"code":null,"message":"No."}}`), []string{`"status":"failed","err":"No."`}, ""},
		{"F1 no space after the colon", "data:" + frame(text("a"), stop) + "\n\n", []string{`"text":"a"`}, ""},
		{"F2 CRLF", sse(frame(text("a")), frame(text("b"), stop)), []string{`"text":"a"`, `"text":"b"`}, ""},
		{"F7 a line of two megabytes", sse(frame(`{"inlineData":{"mimeType":"image/png","data":"`+strings.Repeat("A", 2<<20)+`"}}`, stop)), []string{`"kind":"file"`, `"status":"done"`}, ""},
		{"F9 comments are no data", ": keepalive\n\n" + sse(frame(text("a"))) + ": x\n" + sse(frame(text("b"), stop)), []string{`"text":"a"`, `"text":"b"`}, ""},
		{"H3 cached tokens are among those of the prompt", sse(`{"candidates":[{` + stop + `}],"usageMetadata":{"promptTokenCount":20,"cachedContentTokenCount":8,"candidatesTokenCount":22,"thoughtsTokenCount":9}}`),
			[]string{`"usage":{"in":20,"out":31,"cached":8,"reasoning":9}`}, ""},
		{"H6 usage of a stream that fails", sse(`{"usageMetadata":{"promptTokenCount":20}}`, `{"error":{"code":500,"message":"x"}}`), []string{`"in":20`, `"status":"failed"`}, ""},
		{"H8 usage on every chunk is not added up", sse(`{"usageMetadata":{"promptTokenCount":20}}`, `{"candidates":[{`+stop+`}],"usageMetadata":{"promptTokenCount":20,"candidatesTokenCount":3}}`), []string{`"usage":{"in":20,"out":3}`}, `"in":40`},
		{"H9 thoughts count as output", sse(`{"candidates":[{` + stop + `}],"usageMetadata":{"candidatesTokenCount":22,"thoughtsTokenCount":9}}`), []string{`"out":31`}, ""},
		{"I3 a signature does not make text a thought", sse(frame(`{"text":"Hi","thoughtSignature":"YWJj"}`), frame(`{"text":"","thoughtSignature":"ZGVm"}`, stop)), []string{`"kind":"text.delta","id":"p_1","text":"Hi"`, `"sig":"YWJj"`, `"sig":"ZGVm"`}, ""},
		{"snake case is understood", sse(`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finish_reason":"STOP"}],"usage_metadata":{"prompt_token_count":2}}`), []string{`"in":2`, `"status":"done"`}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := decode(t, test.body, nil)
			rest := got
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("want %s in its place in\n%s", want, got)
				}
				rest = after
			}
			if test.never != "" && strings.Contains(got, test.never) {
				t.Errorf("want no %s in\n%s", test.never, got)
			}
		})
	}
}

// Row D11: no reason but the good ones is read as a good end.
func TestReasons(t *testing.T) {
	wants := map[string]string{
		"STOP": "done", "MAX_TOKENS": "length", "SAFETY": "filtered", "RECITATION": "filtered", "LANGUAGE": "filtered", "OTHER": "failed",
		"BLOCKLIST": "filtered", "PROHIBITED_CONTENT": "filtered", "SPII": "filtered", "MALFORMED_FUNCTION_CALL": "failed",
		"UNEXPECTED_TOOL_CALL": "failed", "TOO_MANY_TOOL_CALLS": "limit", "IMAGE_SAFETY": "filtered", "IMAGE_PROHIBITED_CONTENT": "filtered",
		"IMAGE_RECITATION": "filtered", "IMAGE_OTHER": "failed", "NO_IMAGE": "failed", "CONTINUATION": "length", "MALFORMED_RESPONSE": "failed",
		"FINISH_REASON_UNSPECIFIED": "truncated", "ANYTHING_NEW": "failed", "": "truncated",
	}
	for reason, want := range wants {
		t.Run("D11 "+reason, func(t *testing.T) {
			got := decode(t, sse(frame(`{"text":"a"}`, `"finishReason":"`+reason+`"`)), nil)
			if !strings.Contains(got, `"kind":"run.end","status":"`+want+`"`) {
				t.Errorf("want %s in\n%s", want, got)
			}
		})
	}
}

// Row E1: wherever a stream is cut, its reader learns of it.
func TestCutAnywhere(t *testing.T) {
	body := sse(frame(`{"text":"Checking","thought":true}`), frame(`{"functionCall":{"id":"x","name":"a","args":{"q":1}}}`), frame(`{"text":""}`, stop))
	reset := hub.Fail(hub.CodeReset, errors.New("connection reset"))
	t.Run("E1 after every byte", func(t *testing.T) {
		for n := range len(strings.TrimSpace(body)) {
			got := decode(t, body[:n], reset)
			if strings.Contains(got, `"status":"done"`) || strings.Contains(got, `"status":"tools"`) {
				t.Fatalf("after %d bytes, taken for whole:\n%s", n, got)
			}
		}
	})
	t.Run("E1 a reason on every chunk does not make a broken stream whole", func(t *testing.T) {
		got := decode(t, sse(frame(`{"text":"a"}`, stop), frame(`{"text":"b"}`, stop)), reset)
		if !strings.Contains(got, `"status":"truncated"`) {
			t.Errorf("taken for whole:\n%s", got)
		}
	})
	t.Run("E1 a connection that breaks behind the last chunk", func(t *testing.T) {
		if got := decode(t, body, reset); !strings.Contains(got, `"kind":"run.end","status":"tools"`) {
			t.Errorf("taken for cut:\n%s", got)
		}
	})
}

// Row E16: odd bodies are faults or nothing, and no panic.
func TestOddBodies(t *testing.T) {
	for _, body := range []string{"null", `""`, "[]", "{}", "<html>", "[null,1,[]]", `{"candidates":1}`, `{"error":null}`, "\xff", strings.Repeat("[", 2000), ""} {
		t.Run("E16 "+body[:min(len(body), 20)], func(t *testing.T) {
			if got := decode(t, body, nil); !strings.Contains(got, `"status":"truncated"`) {
				t.Errorf("want the end of a stream that said nothing:\n%s", got)
			}
		})
	}
}

func TestRegressionsEncoded(t *testing.T) {
	const start = `{"kind":"run.start","id":"r1"}` + "\n"
	tests := []struct {
		name, events string
		want         []string
		never        string
	}{
		{"B4 a call without arguments", `{"kind":"tool.start","id":"t","name":"now","flags":["client_runs"]}` + "\n" + `{"kind":"run.end","status":"tools"}`, []string{`"args":{}`, "STOP"}, ""},
		{"B6 arguments that are no JSON", `{"kind":"tool.start","id":"t","name":"now","flags":["client_runs"]}` + "\n" + `{"kind":"tool.args","id":"t","text":"{\"a\":"}` + "\n" + `{"kind":"run.end","status":"tools"}`,
			[]string{"MALFORMED_FUNCTION_CALL"}, "functionCall\""},
		{"B9 arguments that are cut", `{"kind":"tool.start","id":"t","name":"now","flags":["client_runs"]}` + "\n" + `{"kind":"tool.args","id":"t","text":"{\"a\":"}` + "\n" + `{"kind":"run.end","status":"length"}`,
			[]string{"MAX_TOKENS"}, "functionCall\""},
		{"B11 arguments side by side", `{"kind":"tool.start","id":"t","name":"a","flags":["client_runs"]}` + "\n" + `{"kind":"tool.start","id":"u","name":"b","flags":["client_runs"]}` + "\n" +
			`{"kind":"tool.args","id":"t","text":"{\"n\":"}` + "\n" + `{"kind":"tool.args","id":"u","text":"{\"m\":"}` + "\n" + `{"kind":"tool.args","id":"t","text":"1}"}` + "\n" + `{"kind":"tool.args","id":"u","text":"2}"}` + "\n" + `{"kind":"run.end","status":"tools"}`,
			[]string{`"name":"a","args":{"n":1}`, `"name":"b","args":{"m":2}`}, ""},
		{"C4 no empty text first", `{"kind":"tool.start","id":"t","name":"now","flags":["client_runs"]}` + "\n" + `{"kind":"run.end","status":"tools"}`, []string{"functionCall", "STOP"}, `{"text":""}]},"index"`},
		{"D8 a refusal is no good end", `{"kind":"run.end","status":"refused"}`, []string{"SAFETY"}, ""},
		{"D12 one end", `{"kind":"text.delta","text":"a"}` + "\n" + `{"kind":"run.end","status":"done"}` + "\n" + `{"kind":"run.end","status":"done"}`, []string{"STOP"}, ""},
		{"E2 a cut stream is an error", `{"kind":"text.delta","text":"a"}`, []string{`"error":{"code":503`}, "finishReason"},
		{"E5 nothing after the end", `{"kind":"run.end","status":"done"}` + "\n" + `{"kind":"text.delta","text":"late"}`, []string{"STOP"}, "late"},
		{"E15 a code is a number", `{"kind":"run.end","status":"failed","err":"x","err_code":"some_code"}`, []string{`"code":500,`, `"reason":"some_code"`}, ""},
		{"F14 a frame with usage has a candidate", `{"kind":"usage","scope":"run","usage":{"in":1,"out":2}}` + "\n" + `{"kind":"run.end","status":"failed"}`, []string{`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"index":0}],"responseId":"r1","usageMetadata"`}, ""},
		{"I2 a signature is kept", `{"kind":"text.delta","chan":"reasoning","text":"hm"}` + "\n" + `{"kind":"text.end","chan":"reasoning","sig":"YWJj"}` + "\n" + `{"kind":"run.end","status":"done"}`, []string{`"thoughtSignature":"YWJj"`}, ""},
		{"I4 a signature that is not Gemini's does not break readers", `{"kind":"text.delta","chan":"reasoning","text":"hm"}` + "\n" + `{"kind":"text.end","chan":"reasoning","sig":"a.b-c"}` + "\n" + `{"kind":"run.end","status":"done"}`, []string{`"thought":true`}, "thoughtSignature"},
		{"A9 a call that the agent ran is no call for the client", `{"kind":"tool.start","id":"t","name":"bash"}` + "\n" + `{"kind":"tool.end","id":"t","status":"ok","text":"x"}` + "\n" + `{"kind":"run.end","status":"done"}`, []string{"STOP"}, "functionCall"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := encode(t, start+test.events)
			rest := got
			for _, want := range test.want {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("want %s in its place in\n%s", want, got)
				}
				rest = after
			}
			if test.never != "" && strings.Contains(got, test.never) {
				t.Errorf("want no %s in\n%s", test.never, got)
			}
			if n := strings.Count(got, "finishReason") + strings.Count(got, `"error":{`); n != 1 {
				t.Errorf("%d ends:\n%s", n, got)
			}
			if strings.Contains(got, "[DONE]") || strings.Contains(got, "event:") {
				t.Errorf("more than data lines:\n%s", got)
			}
		})
	}
}

// TestRowJ16: whatever is written has the names of Google's API, in camel case.
func TestRowJ16(t *testing.T) {
	got := encode(t, strings.Join([]string{
		`{"kind":"run.start","id":"r1"}`,
		`{"kind":"text.delta","chan":"reasoning","text":"hm"}`, `{"kind":"text.end","chan":"reasoning","sig":"YWJj"}`, `{"kind":"text.delta","text":"a"}`,
		`{"kind":"file","media":"image/png","text":"QUJD"}`,
		`{"kind":"tool.start","id":"t","name":"now","flags":["client_runs"]}`, `{"kind":"tool.ready","id":"t","name":"now","value":{"n":1}}`,
		`{"kind":"usage","scope":"run","usage":{"in":20,"out":31,"cached":8,"reasoning":9}}`,
		`{"kind":"run.end","status":"tools"}`,
	}, "\n"))
	for _, want := range []string{`"thoughtSignature":`, `"functionCall":`, `"finishReason":`, `"usageMetadata":`, `"cachedContentTokenCount":8`, `"thoughtsTokenCount":9`, `"responseId":`} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	if name := regexp.MustCompile(`"\w*_\w*":`).FindString(got); name != "" {
		t.Errorf("%s is in snake case:\n%s", name, got)
	}
}

// Rows F8, G2: the sign of life is a pair of blank lines, whatever padding is asked for.
func TestKeepAlive(t *testing.T) {
	t.Run("F8 G2", func(t *testing.T) {
		out := wire.NewOut(wire.SSE)
		gemini.Dialect.KeepAlive(out, gemini.Dialect.Defaults())
		if string(out.Buf) != "\n\n" {
			t.Errorf("got %q", out.Buf)
		}
	})
}

func TestExtension(t *testing.T) {
	enc, out := gemini.Dialect.NewEncoder(gemini.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	payload := []byte(`{"x-agent-stream":{"kind":"plan"}}`)
	enc.(hub.Extender).Extend(out, payload)
	rec := wire.Record{Data: bytes.TrimSpace(out.Buf)}
	if got := gemini.Dialect.Extension(rec); !bytes.Equal(got, payload) {
		t.Errorf("got %s of %s", got, out.Buf)
	}
	plain := wire.Record{Data: []byte(frame(`{"text":"\"x-agent-stream\""}`))}
	if got := gemini.Dialect.Extension(plain); got != nil {
		t.Errorf("a text that speaks of it is none: %s", got)
	}
}

func TestAnswer(t *testing.T) {
	enc, out := gemini.Dialect.NewEncoder(gemini.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	enc.(hub.Answerer).Answer(&hub.Request{Model: []byte("asked")})
	enc.Encode(out, &hub.Event{Kind: hub.RunStart})
	enc.Encode(out, &hub.Event{Kind: hub.TextDelta, Text: []byte("a")})
	if !strings.Contains(string(out.Buf), `"modelVersion":"asked"`) {
		t.Errorf("got %s", out.Buf)
	}
}
