package acp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/acp"
	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// Bugs that users of other translators reported. The protocol has no indices, blocks or items, so most rows about those
// cannot occur; these are the ones whose half on this side can.

func call(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

// rawInput is what the encoder writes for a call with these arguments.
func rawInput(t *testing.T, events ...string) any {
	t.Helper()
	for _, line := range encode(t, nil, nil, append([]string{`{"kind":"tool.start","id":"c","name":"f"}`}, events...)...) {
		if in, ok := update(t, line)["rawInput"]; ok {
			return in
		}
	}
	return nil
}

func TestToolRegressions(t *testing.T) {
	// Row A9, A18: a call without an id is a fault, not a panic, and not a call that swallows the next one.
	t.Run("A9 A18 call without an id", func(t *testing.T) {
		events, faults := decode(t, call(`{"sessionUpdate":"tool_call","title":"x"}`), call(`{"sessionUpdate":"tool_call","toolCallId":"c2","title":"y"}`))
		if len(faults) != 1 || strings.Count(events, "tool.start") != 1 || !strings.Contains(events, `"id":"c2"`) {
			t.Errorf("got %s, %v", events, faults)
		}
	})
	// Row A10: a name that never comes is made of what there is, and no call is written without a title.
	t.Run("A10 call without a name", func(t *testing.T) {
		events, _ := decode(t, call(`{"sessionUpdate":"tool_call","toolCallId":"c"}`), call(`{"sessionUpdate":"tool_call","toolCallId":"d","kind":"read"}`))
		if !strings.Contains(events, `"name":"tool"`) || !strings.Contains(events, `"name":"read"`) {
			t.Errorf("got %s", events)
		}
		late := encode(t, nil, nil, `{"kind":"tool.start","id":"c"}`, `{"kind":"tool.args","id":"c","text":"{}"}`, `{"kind":"tool.start","id":"c","name":"f"}`)
		if u := update(t, late[0]); u["sessionUpdate"] != "tool_call" || u["title"] != "f" {
			t.Errorf("got %v", u)
		}
	})
	// Row A13: ids are strings without an alphabet; they pass as they are.
	t.Run("A13 ids with any character", func(t *testing.T) {
		u := update(t, encode(t, nil, nil, `{"kind":"tool.start","id":"functions.Bash:0","name":"Bash"}`)[0])
		if u["toolCallId"] != "functions.Bash:0" {
			t.Errorf("got %v", u)
		}
	})
	// Row A14: ids are made of what came, so the same stream gives the same bytes.
	t.Run("A14 the same bytes twice", func(t *testing.T) {
		events := []string{`{"kind":"text.delta","text":"a"}`, `{"kind":"tool.start","name":"f"}`, `{"kind":"text.delta","text":"b"}`, `{"kind":"ask","what":"permission"}`}
		if a, b := encode(t, nil, nil, events...), encode(t, nil, nil, events...); strings.Join(a, "\n") != strings.Join(b, "\n") {
			t.Errorf("first %s, then %s", a, b)
		}
	})
	// Row A1, A2, A7: parallel calls whose fragments interleave stay apart.
	t.Run("A1 A2 A7 B11 parallel calls", func(t *testing.T) {
		lines := strings.Join(encode(t, nil, nil, `{"kind":"tool.start","id":"c1","name":"f"}`, `{"kind":"tool.start","id":"c2","name":"g"}`,
			`{"kind":"tool.args","id":"c1","text":"{\"a\":"}`, `{"kind":"tool.args","id":"c2","text":"{\"b\":"}`, `{"kind":"tool.args","id":"c1","text":"1}"}`,
			`{"kind":"tool.args","id":"c2","text":"2}"}`, `{"kind":"tool.ready","id":"c2"}`, `{"kind":"tool.ready","id":"c1"}`), "\n")
		for _, want := range []string{`"toolCallId":"c1","rawInput":{"a":1}`, `"toolCallId":"c2","rawInput":{"b":2}`} {
			if !strings.Contains(lines, want) {
				t.Errorf("%s is not in %s", want, lines)
			}
		}
	})
}

func TestArgumentRegressions(t *testing.T) {
	// Row B1: arguments that come whole are there, not {}.
	t.Run("B1 B2 whole arguments", func(t *testing.T) {
		if got := rawInput(t, `{"kind":"tool.ready","id":"c","value":{"city":"Oslo"}}`); got.(map[string]any)["city"] != "Oslo" {
			t.Errorf("got %v", got)
		}
		events, _ := decode(t, call(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"f","rawInput":{"city":"Oslo"}}`))
		if !strings.Contains(events, `{"kind":"tool.ready","id":"c","value":{"city":"Oslo"}}`) {
			t.Errorf("got %s", events)
		}
	})
	// Row B3: the last fragment counts, whatever comes with it.
	t.Run("B3 last fragment", func(t *testing.T) {
		if got := rawInput(t, `{"kind":"tool.args","id":"c","text":"{\"a\":"}`, `{"kind":"tool.args","id":"c","text":"1}"}`, `{"kind":"run.end","status":"tools"}`); got.(map[string]any)["a"] != 1.0 {
			t.Errorf("got %v", got)
		}
	})
	// Rows B4, B5: no arguments are an empty object, or none.
	t.Run("B4 B5 no arguments", func(t *testing.T) {
		if got := rawInput(t, `{"kind":"tool.ready","id":"c","value":{}}`); len(got.(map[string]any)) != 0 {
			t.Errorf("got %v", got)
		}
		if got := rawInput(t, `{"kind":"tool.args","id":"c","text":""}`, `{"kind":"tool.ready","id":"c"}`); got != nil && len(got.(map[string]any)) != 0 {
			t.Errorf("got %v", got)
		}
	})
	// Rows B6, B9: arguments that are no JSON, or half of it, are passed on as text, never as an object and never as none.
	t.Run("B6 B9 arguments that are no JSON", func(t *testing.T) {
		if got := rawInput(t, `{"kind":"tool.args","id":"c","text":"{\"a\":"}`, `{"kind":"run.end","status":"length"}`); got != `{"a":` {
			t.Errorf("got %v", got)
		}
	})
	// Row B7: arguments that are no object are kept, and come back as they were.
	t.Run("B7 arguments that are no object", func(t *testing.T) {
		for _, value := range []string{`"x"`, `[1]`, `null`, `7`, `true`} {
			lines := encode(t, nil, nil, `{"kind":"tool.start","id":"c","name":"f"}`, `{"kind":"tool.ready","id":"c","value":`+value+`}`, `{"kind":"tool.end","id":"c","status":"ok"}`)
			seq, dec := sequencer.New(sequencer.Config{}), acp.Dialect.NewDecoder(acp.Dialect.Defaults())
			var got string
			for _, line := range lines {
				evs, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
				if err != nil {
					t.Fatal(err)
				}
				for _, ev := range seq.Push(nil, evs, 0) {
					if ev.Kind == hub.ToolReady {
						got = string(ev.Value)
					}
				}
			}
			if got != value {
				t.Errorf("%s comes back as %s", value, got)
			}
		}
	})
}

// TestEndRegressions is for rows D1, D8, D9, D10, D11: every reason has the closest stop reason, errors are errors, and those
// that the protocol knows come back.
func TestEndRegressions(t *testing.T) {
	f := func(status, want string) {
		t.Helper()
		lines := encode(t, nil, nil, `{"kind":"text.delta","id":"p","text":"Hi"}`, `{"kind":"usage","scope":"run","usage":{"in":9,"out":4}}`,
			`{"kind":"run.end","status":"`+status+`","err":"boom","err_code":"c"}`)
		var m struct {
			ID     int
			Result struct {
				StopReason string
				Usage      map[string]int
			}
			Error struct {
				Code    int
				Message string
				Data    struct {
					Code  string
					Usage map[string]int
				}
			}
		}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &m); err != nil || m.ID != 2 {
			t.Fatalf("the last line is no response: %s", lines[len(lines)-1])
		}
		if want == "" && (m.Error.Code != -32603 || m.Error.Message != "boom" || m.Error.Data.Code != "c" || m.Error.Data.Usage["inputTokens"] != 9) {
			t.Errorf("%s: got %+v", status, m)
		}
		// Rows D10, H6: usage is not lost with an end that is not the usual one.
		if want != "" && (m.Result.StopReason != want || m.Result.Usage["outputTokens"] != 4) {
			t.Errorf("%s: got %+v", status, m)
		}
	}
	f("done", "end_turn")
	f("length", "max_tokens")
	f("limit", "max_turn_requests")
	f("refused", "refusal")
	f("filtered", "refusal")
	f("tools", "end_turn")
	f("paused", "end_turn")
	f("cancelled", "cancelled")
	f("failed", "")
	f("truncated", "")
}

// TestCutRegressions is for rows E1, E2, E3, E4: a stream that is cut after any line but the last is no success, and ends.
func TestCutRegressions(t *testing.T) {
	lines := encode(t, nil, nil, `{"kind":"text.delta","id":"p","text":"Hi"}`, `{"kind":"tool.start","id":"c","name":"f"}`, `{"kind":"tool.ready","id":"c","value":{"a":1}}`,
		`{"kind":"tool.end","id":"c","status":"ok","text":"x"}`, `{"kind":"run.end","status":"done"}`)
	for n := range len(lines) + 1 {
		seq, dec := sequencer.New(sequencer.Config{}), acp.Dialect.NewDecoder(acp.Dialect.Defaults())
		var last hub.Status
		take := func(normalized []hub.Event) {
			for i := range normalized {
				last = normalized[i].Status
			}
		}
		for _, line := range lines[:n] {
			evs, err := dec.Decode(nil, wire.Record{Data: []byte(line)})
			if err != nil {
				t.Fatal(err)
			}
			take(seq.Push(nil, evs, 0))
		}
		take(seq.Push(nil, dec.Finish(nil, nil), 0))
		take(seq.Flush(nil, nil))
		if want := map[bool]hub.Status{true: hub.StatusDone, false: hub.StatusTruncated}[n == len(lines)]; last != want {
			t.Errorf("cut after %d of %d lines, the run ends as %s", n, len(lines), last)
		}
	}
}

func TestErrorRegressions(t *testing.T) {
	// Rows E5, E6: nothing follows the response.
	t.Run("E5 E6 nothing after the end", func(t *testing.T) {
		lines := encode(t, nil, nil, `{"kind":"text.delta","id":"p","text":"Hi"}`, `{"kind":"run.end","status":"done"}`, `{"kind":"text.delta","id":"p","text":"late"}`, `{"kind":"run.end","status":"failed"}`)
		if len(lines) != 2 || !strings.Contains(lines[1], `"stopReason"`) {
			t.Errorf("got %s", lines)
		}
	})
	// Rows E7, E10: an error in the middle is one, with its text.
	t.Run("E7 E10 error in the middle", func(t *testing.T) {
		events, _ := decode(t, call(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}`), `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"overloaded"}}`)
		if !strings.Contains(events, `{"kind":"run.end","status":"failed","err":"overloaded","err_code":"-32603"}`) {
			t.Errorf("got %s", events)
		}
	})
	// Row E15: codes are numbers, texts or nothing.
	t.Run("E15 codes of any type", func(t *testing.T) {
		for raw, want := range map[string]string{`{"code":400,"message":"m"}`: `"err_code":"400"`, `{"code":"400","message":"m"}`: `"err_code":"400"`, `{"code":null,"message":"m"}`: `"err":"m"}`, `"m"`: `"err":"m"}`} {
			events, _ := decode(t, `{"jsonrpc":"2.0","id":2,"error":`+raw+`}`)
			if !strings.Contains(events, `"status":"failed"`) || !strings.Contains(events, want) {
				t.Errorf("%s: got %s", raw, events)
			}
		}
		line := encode(t, nil, nil, `{"kind":"run.end","status":"failed","err":"m","err_code":"400"}`)[0]
		if line != `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"m","data":{"code":"400"}}}` {
			t.Errorf("got %s", line)
		}
	})
	// Row E16: odd bodies are faults, never a panic.
	t.Run("E16 odd bodies", func(t *testing.T) {
		for _, body := range []string{"null", `""`, "[]", "{}", "<html>", "[[[[", `{"jsonrpc":"2.0"`, "\xff"} {
			if events, faults := decode(t, body); events != "" || len(faults) != 1 {
				t.Errorf("%q: got %s, %v", body, events, faults)
			}
		}
		for _, body := range []string{`{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":2}`, `{"jsonrpc":"2.0","id":2,"result":null}`, `{"jsonrpc":"2.0","id":2,"result":[]}`} {
			if events, faults := decode(t, body); events != "" || faults != nil {
				t.Errorf("%q: got %s, %v", body, events, faults)
			}
		}
	})
}

// TestUsageRegressions is for rows H1, H3, H8, H9: counts are totals in which each token is counted once.
func TestUsageRegressions(t *testing.T) {
	lines := encode(t, nil, nil, `{"kind":"usage","scope":"run","usage":{"in":5,"out":1}}`, `{"kind":"usage","scope":"run","usage":{"in":20,"out":40,"total":60,"cached":8,"cache_write":2,"reasoning":31}}`, `{"kind":"run.end","status":"done"}`)
	want := `"usage":{"totalTokens":60,"inputTokens":10,"outputTokens":9,"thoughtTokens":31,"cachedReadTokens":8,"cachedWriteTokens":2}`
	if len(lines) != 1 || !strings.Contains(lines[0], want) {
		t.Errorf("got %s", lines)
	}
	decoded, _ := acp.Dialect.NewDecoder(acp.Dialect.Defaults()).Decode(nil, wire.Record{Data: []byte(lines[0])})
	if c := decoded[0].More.Usage; c.In != 20 || c.Out != 40 || c.Cached != 8 || c.ReasoningTokens != 31 {
		t.Errorf("it comes back as %+v: %s", c, adaptertest.Lines(decoded))
	}
	// The sum of steps stands for a run that says nothing of itself.
	lines = encode(t, nil, nil, `{"kind":"usage","scope":"step","usage":{"in":5,"out":1}}`, `{"kind":"usage","scope":"step","usage":{"in":7,"out":2,"cached":3}}`, `{"kind":"run.end","status":"done"}`)
	if want := `"usage":{"totalTokens":15,"inputTokens":9,"outputTokens":3,"cachedReadTokens":3}`; !strings.Contains(lines[0], want) {
		t.Errorf("got %s", lines)
	}
}

// TestReasoningRegressions is for rows C5, C6 and I1: thoughts and texts that alternate are messages of their own, whole and
// in order; the end of a thought without a place for its signature is no text.
func TestReasoningRegressions(t *testing.T) {
	lines := encode(t, nil, nil, `{"kind":"text.delta","msg":"m","chan":"reasoning","text":"one"}`, `{"kind":"text.delta","msg":"m","text":"two"}`, `{"kind":"tool.start","id":"c","name":"f"}`,
		`{"kind":"text.delta","msg":"m","chan":"reasoning","text":"three"}`, `{"kind":"text.end","msg":"m","chan":"reasoning","sig":"abc"}`, `{"kind":"text.delta","msg":"m","text":"four"}`)
	var got, ids []string
	for _, line := range lines {
		u := update(t, line)
		if content, ok := u["content"].(map[string]any); ok {
			got = append(got, u["sessionUpdate"].(string)+" "+content["text"].(string))
			ids = append(ids, u["messageId"].(string))
		}
	}
	if want := "agent_thought_chunk one, agent_message_chunk two, agent_thought_chunk three, agent_message_chunk four"; strings.Join(got, ", ") != want {
		t.Errorf("got %s", got)
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			t.Errorf("the messages %s share an id", ids)
		}
		seen[id] = true
	}
}
