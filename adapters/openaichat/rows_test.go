package openaichat

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The tests below are named after rows of a list of faults that users of other translators reported.

// understand sums up what a reader of the normalized stream understands: texts by channel, calls with their arguments and how
// they ended, usage, and the end.
func understand(t *testing.T, body string) string {
	t.Helper()
	dec, split, seq := Dialect.NewDecoder(Dialect.Defaults()), wire.NewSplitter(wire.Auto, 0), sequencer.New(sequencer.Config{})
	s := summary{parts: map[string]*strings.Builder{}}
	for buf := []byte(body); ; {
		rec, n, err := split.Split(buf, true)
		if n == 0 && err == nil {
			break
		}
		if rec.Data != nil {
			decoded, _ := dec.Decode(nil, rec) // what is bad is skipped, as the proxy does
			s.take(seq.Push(nil, decoded, 0))
		}
		buf = buf[n:]
	}
	s.take(seq.Push(nil, dec.Finish(nil, nil), 0))
	s.take(seq.Flush(nil, nil))
	return s.String()
}

type summary struct {
	order []string
	parts map[string]*strings.Builder
}

func (s *summary) add(key, text string) {
	if s.parts[key] == nil {
		s.parts[key] = &strings.Builder{}
		s.order = append(s.order, key)
	}
	s.parts[key].WriteString(text)
}

func (s *summary) take(evs []hub.Event) {
	for i := range evs {
		ev := &evs[i]
		plain := string(rawjson.AppendUnescaped(nil, ev.Text))
		switch ev.Kind {
		case hub.TextDelta:
			s.add(fmt.Sprintf("%s %s", ev.Chan, ev.ID), plain)
		case hub.ToolStart:
			s.add(string(ev.ID), string(ev.Name)+" ")
		case hub.ToolArgs:
			s.add(string(ev.ID), plain)
		case hub.ToolEnd:
			s.add(string(ev.ID), " "+ev.Status.String())
		case hub.Usage:
			u := &ev.More.Usage
			s.add("usage", fmt.Sprintf("%d/%d/%d/%d", u.In, u.Out, u.Cached, u.ReasoningTokens))
		case hub.RunEnd:
			s.add("end", ev.Status.String())
			if ev.More != nil && len(ev.More.Err) > 0 {
				s.add("end", ": "+string(ev.More.Err))
			}
		}
	}
}

func (s *summary) String() string {
	var b strings.Builder
	for _, key := range s.order {
		fmt.Fprintf(&b, "%s=%s\n", key, s.parts[key])
	}
	return b.String()
}

func events(frames ...string) string { return "data: " + strings.Join(frames, "\n\ndata: ") + "\n\n" }

// call is a delta of tool_calls with these members beside the function.
func callChunk(members, function string) string {
	return deltaChunk(`"tool_calls":[{` + members + `"function":{` + function + `}}]`)
}

const (
	first = `"index":0,"id":"call_a","type":"function",`
	oslo  = `"arguments":"{\"city\":\"Oslo\"}"`
)

// TestRowsRead has rows in which servers of this dialect are the upstream.
func TestRowsRead(t *testing.T) {
	f := func(row, want string, frames ...string) {
		t.Helper()
		t.Run(row, func(t *testing.T) {
			t.Helper()
			if diff := cmp.Diff(want, understand(t, events(append([]string{roleChunk}, frames...)...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	tools, stop, done := finishChunk("tool_calls"), finishChunk("stop"), "[DONE]"
	weather := "call_a=weather {\"city\":\"Oslo\"} client\n"
	whole := callChunk(first, `"name":"weather",`+oslo)

	// Row A5: indexes start at 1.
	f("A5 indexes start at 1", weather+"end=tools\n", callChunk(`"index":1,"id":"call_a",`, `"name":"weather","arguments":""`), callChunk(`"index":1,`, oslo), tools, done)
	// Row A6: the index is missing.
	f("A6 index missing", weather+"call_b=list {} client\nend=tools\n", callChunk(`"id":"call_a",`, `"name":"weather"`), callChunk(``, oslo),
		callChunk(`"index":null,"id":"call_b",`, `"name":"list","arguments":"{}"`), tools, done)
	// Row A7: all calls have the index 0.
	f("A7 all at index 0", weather+"call_b=list {} client\nend=tools\n", whole, callChunk(`"index":0,"id":"call_b",`, `"name":"list","arguments":"{}"`), tools, done)
	// Row A8: the id is at one index, the arguments at another.
	f("A8 id and arguments at two indexes", weather+"end=tools\n", callChunk(first, `"name":"weather"`), callChunk(`"index":1,`, oslo), tools, done)
	// Rows A9 and A18: there is no id; the one that is made is the same whenever the stream is read (row A14).
	f("A9 A14 A18 no id", "call_chatcmpl-1_1=weather {\"city\":\"Oslo\"} client\nend=tools\n", callChunk(`"index":0,"id":null,`, `"name":"weather","arguments":null`), callChunk(`"index":0,`, oslo), tools, done)
	// Row A10: the name comes behind id and arguments.
	f("A10 name behind the arguments", weather+"end=tools\n", callChunk(first, oslo), callChunk(`"index":0,`, `"name":"weather"`), tools, done)
	f("A10 name never", "call_a=unknown {\"city\":\"Oslo\"} client\nend=tools\n", callChunk(first, oslo), tools, done)
	// Row A11: two choices stay two messages.
	second := func(members string) string { return strings.Replace(deltaChunk(members), `"index":0`, `"index":1`, 1) }
	f("A11 two choices", "answer p_1=Red\nanswer p_2=Blue\nend=done\n", deltaChunk(`"content":"Red"`), second(`"content":"Blue"`), stop,
		strings.Replace(stop, `"index":0`, `"index":1`, 1), done)
	// Row A13: an id with other characters stays as it is; dialects that cannot have it rewrite it.
	f("A13 id with a colon", "functions.Bash:0=Bash {} client\nend=tools\n", callChunk(`"index":0,"id":"functions.Bash:0",`, `"name":"Bash","arguments":"{}"`), tools, done)

	// Row B3: the last arguments come with the reason to finish, in a chunk without usage.
	f("B3 arguments in the last chunk", weather+"end=tools\n", callChunk(first, `"name":"weather"`),
		strings.Replace(callChunk(`"index":0,`, oslo), `"finish_reason":null`, `"finish_reason":"tool_calls"`, 1), done)
	// Row B5: empty arguments are none.
	f("B5 empty arguments", "call_a=list {} client\nend=tools\n", callChunk(first, `"name":"list","arguments":""`), tools, done)
	// Row B6: arguments that are no JSON are not replaced.
	f("B6 arguments that are no JSON", "call_a=list {city: client\nend=tools\n", callChunk(first, `"name":"list","arguments":"{city:"`), tools, done)
	// Row B9: a call that was cut by the limit is not for the client to run.
	f("B9 half a call", "call_a=weather {\"ci aborted\nend=length\n", callChunk(first, `"name":"weather","arguments":"{\"ci"`), finishChunk("length"), done)
	// Row B10: a delta has two calls.
	f("B10 two calls in a delta", weather+"call_b=list {} client\nend=tools\n",
		deltaChunk(`"tool_calls":[{`+first+`"function":{"name":"weather",`+oslo+`}},{"index":1,"id":"call_b","function":{"name":"list","arguments":""}}]`), tools, done)
	// Row B11: arguments by turns.
	f("B11 arguments by turns", weather+"call_b=list {\"n\":1} client\nend=tools\n", callChunk(first, `"name":"weather"`), callChunk(`"index":1,"id":"call_b",`, `"name":"list"`),
		callChunk(`"index":0,`, `"arguments":"{\"city\":"`), callChunk(`"index":1,`, `"arguments":"{\"n\":"`), callChunk(`"index":0,`, `"arguments":"\"Oslo\"}"`), callChunk(`"index":1,`, `"arguments":"1}"`), tools, done)
	// Rows B12 and B13: reasoning before and inside a call.
	f("B12 B13 reasoning and a call", "reasoning p_1=Hm.\n"+"call_a=weather {\"city\":\"Oslo\"} client\nreasoning p_2=Well.\nend=tools\n", deltaChunk(`"reasoning_content":"Hm."`),
		callChunk(first, `"name":"weather"`), deltaChunk(`"reasoning_content":"Well."`), callChunk(`"index":0,`, oslo), tools, done)

	// Rows C2, C4, C5 and C8: text, call, text; nothing is lost at the borders, and what comes first begins the stream.
	f("C2 C5 text and a call and text", "answer p_1=Be.\ncall_a=weather {\"city\":\"Oslo\"} client\nanswer p_2=After.\nend=tools\n",
		deltaChunk(`"content":"Be"`), deltaChunk(`"content":"."`), whole, deltaChunk(`"content":"After."`), tools, done)
	f("C4 C8 a call first", weather+"end=tools\n", whole, tools, done)
	// Row C16: no reason, only an end mark.
	f("C16 no reason but an end mark", "answer p_1=Hello\nend=truncated: The agent server stopped before the answer was complete.\n", deltaChunk(`"content":"Hello"`), done)
	// Row C17: a reason on every chunk.
	f("C17 a reason on every chunk", "reasoning p_1=Hm.\nanswer p_2=Hello\nend=done\n",
		strings.Replace(deltaChunk(`"reasoning_content":"Hm."`), "null", `"stop"`, 1), strings.Replace(deltaChunk(`"content":"Hello"`), "null", `"stop"`, 1), done)

	// Row D1: stop, although there are calls.
	f("D1 stop with calls", weather+"end=tools\n", whole, stop, done)
	// Row D4: stop behind tool_calls; D12: the reason twice.
	f("D4 D12 stop behind tool_calls", weather+"end=tools\n", whole, tools, stop, done)
	f("D4 stop behind length", "answer p_1=Hello\nend=length\n", deltaChunk(`"content":"Hello"`), finishChunk("length"), stop, done)
	// Row D5: an empty reason is none.
	f("D5 empty reason", "answer p_1=Hello\nend=length\n", finishChunk(""), deltaChunk(`"content":"Hello"`), finishChunk("length"), done)

	// Row E4: neither a reason nor an end mark.
	f("E4 cut", "answer p_1=Hello\nend=truncated: The agent server stopped before the answer was complete.\n", deltaChunk(`"content":"Hello"`))
	// Row E6: nothing counts behind the end mark.
	f("E6 chunks behind the end mark", "answer p_1=Hello\nend=done\n", deltaChunk(`"content":"Hello"`), stop, done, deltaChunk(`"content":" again"`), done)
	// Rows E7 and E15: an error in the middle, whose code is a number, a string or null.
	for _, code := range []string{`400`, `"400"`, `null`} {
		f("E7 E15 an error with the code "+code, "answer p_1=Hel\nend=failed: It broke.\n", deltaChunk(`"content":"Hel"`),
			`{"error":{"message":"It broke.","type":"server_error","param":null,"code":`+code+`}}`, done)
	}
	// Row F10: the ping of another API.
	f("F10 ping", "answer p_1=Hello\nend=done\n", deltaChunk(`"content":"Hel"`), `{"type":"ping"}`, deltaChunk(`"content":"lo"`), stop, done)
	// Row H8: usage on each chunk is not added up.
	f("H8 usage on each chunk", "answer p_1=Hello\nusage=5/2/-1/-1\nend=done\n", strings.Replace(deltaChunk(`"content":"Hel"`), `"choices"`, `"usage":{"prompt_tokens":5,"completion_tokens":1},"choices"`, 1),
		strings.Replace(deltaChunk(`"content":"lo"`), `"choices"`, `"usage":{"prompt_tokens":5,"completion_tokens":2},"choices"`, 1), stop, done)
	// Row H3: cached tokens are among those of the prompt, and counted once.
	f("H3 cached tokens", "answer p_1=Hello\nusage=20/31/8/9\nend=done\n", deltaChunk(`"content":"Hello"`), stop,
		testBase+`"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":31,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":9}}}`, done)
	// Row I11: the member for reasoning was renamed. Row I13, that SDKs keep only the last piece of it, is one of clients.
	f("I11 reasoning renamed", "reasoning p_1=Hm.\nanswer p_2=Yes.\nend=done\n", deltaChunk(`"reasoning":"Hm."`), deltaChunk(`"content":"Yes."`), stop, done)
	// Row F15: reasoning as an object.
	f("F15 reasoning as an object", "reasoning p_1=Hm.\nanswer p_2=Yes.\nend=done\n", deltaChunk(`"reasoning_content":{"text":"Hm."}`), deltaChunk(`"content":"Yes."`), stop, done)
}

// Row D9: the stop sequence that was hit is kept; a number is a token and none.
func TestRowD9StopSequence(t *testing.T) {
	f := func(member, wantName, wantMeta string) {
		t.Helper()
		dec := Dialect.NewDecoder(Dialect.Defaults())
		end := strings.Replace(finishChunk("stop"), `"finish_reason"`, member+`,"finish_reason"`, 1)
		if _, err := dec.Decode(nil, wire.Record{Data: []byte(end)}); err != nil {
			t.Fatal(err)
		}
		evs, err := dec.Decode(nil, wire.Record{Data: []byte("[DONE]")})
		if err != nil || len(evs) != 1 {
			t.Fatal(evs, err)
		}
		meta := ""
		if evs[0].More != nil {
			meta = string(evs[0].More.Meta)
		}
		if string(evs[0].Name) != wantName || meta != wantMeta {
			t.Errorf("%s: got %s, %s", member, evs[0].Name, meta)
		}
	}
	f(`"stop_reason":"END"`, "stop_sequence", `{"stop_sequence":"END"}`)
	f(`"matched_stop":"END"`, "stop_sequence", `{"stop_sequence":"END"}`)
	f(`"stop_reason":128009`, "stop", "")
	f(`"stop_reason":null`, "stop", "")
}

// Row D11: every reason that servers give means something; what is not known is a good end that keeps its word.
func TestRowD11Reasons(t *testing.T) {
	f := func(reason, want string) {
		t.Helper()
		if got := understand(t, events(finishChunk(reason), "[DONE]")); got != "end="+want+"\n" {
			t.Errorf("%s: got %s", reason, got)
		}
	}
	for reason, status := range finishes {
		want := status.String()
		if status == hub.StatusTools {
			want = "done" // no call
		}
		f(reason, want)
	}
	f("stop", "done")
	f("end_turn", "done")
	f("eos", "done")
	f("something_new", "done")
}

// Row E16: bodies that are no stream end as truncated, and nothing panics.
func TestRowE16OddBodies(t *testing.T) {
	truncated := "end=truncated: The agent server stopped before the answer was complete.\n"
	for _, body := range []string{"", "null", `""`, "[]", "{}", "<html><body>Bad gateway</body></html>", "data: \n\n", "data: [{}]\n\n", `{"choices":[null,7,"x",{"delta":[]}]}`} {
		if got := understand(t, body); got != truncated {
			t.Errorf("%q: got %s", body, got)
		}
	}
}

// Rows F1, F2, F5, F8, F9 and F13: how lines end, spaces behind the colon, characters cut anywhere, comments. The same
// frames mean the same.
func TestRowsF1F2F5F8F9Framing(t *testing.T) {
	body := events(roleChunk, deltaChunk(`"content":"Grüße ☃ 😀"`), finishChunk("stop"), "[DONE]")
	want := "answer p_1=Grüße ☃ 😀\nend=done\n"
	for name, edit := range map[string]*strings.Replacer{
		"F1 no space":  strings.NewReplacer("data: ", "data:"),
		"F2 CR LF":     strings.NewReplacer("\n", "\r\n"),
		"F2 CR":        strings.NewReplacer("\n", "\r"),
		"F8 comments":  strings.NewReplacer("data: {", ": keep-alive\n\ndata: {"),
		"F9 a comment": strings.NewReplacer("\n\n", "\n: inside\n\n"),
		"F13 bare":     strings.NewReplacer("data: [DONE]", "", "data: ", ""),
	} {
		if got := understand(t, edit.Replace(body)); got != want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// Row F7: a line of two megabytes.
func TestRowF7LongLine(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<17)
	got := understand(t, events(roleChunk, deltaChunk(`"content":"`+long+`"`), finishChunk("stop"), "[DONE]"))
	if got != "answer p_1="+long+"\nend=done\n" {
		t.Errorf("got %d bytes", len(got))
	}
}

// TestRowsWritten has rows in which a client of this dialect gets the stream.
func TestRowsWritten(t *testing.T) {
	f := func(row string, want []string, evs ...hub.Event) {
		t.Helper()
		t.Run(row, func(t *testing.T) {
			t.Helper()
			got := written(t, newTestEncoder(t, ""), evs...)
			if diff := cmp.Diff(append([]string{writtenRole}, want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	call := func(id string) []hub.Event {
		return []hub.Event{
			{Kind: hub.ToolStart, ID: []byte(id), Name: []byte("f"), Flags: hub.ClientRuns},
			{Kind: hub.ToolArgs, ID: []byte(id), Text: []byte(`{\"n\":1}`)},
		}
	}
	called := func(index int, id string) []string {
		return []string{
			chunkOf(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":"f","arguments":""}}]}`, index, id)),
			chunkOf(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":"{\"n\":1}"}}]}`, index)),
		}
	}
	finish := func(reason string) []string {
		return []string{strings.Replace(writtenStop, "stop", reason, 1), "[DONE]"}
	}
	join := func(lists ...[]string) (all []string) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	hello := chunkOf(`{"content":"Hello"}`)
	thought := hub.Event{Kind: hub.TextDelta, Chan: hub.Reasoning, Text: []byte("Hm")}
	end := func(status hub.Status) hub.Event { return hub.Event{Kind: hub.RunEnd, Status: status} }

	// Rows A1 and A2: parallel calls, in one record or in several, have indexes of their own.
	f("A1 A2 parallel calls", join(called(0, "c1"), called(1, "c2"), finish("tool_calls")), append(append(call("c1"), call("c2")...), end(hub.StatusTools))...)
	// Rows A3, A4 and A6: the first call has the index 0, whatever came before it.
	f("A3 A4 A6 text before a call", join([]string{chunkOf(`{"reasoning_content":"Hm"}`), hello}, called(0, "c1"), finish("tool_calls")),
		append([]hub.Event{thought, answer("Hello")}, append(call("c1"), end(hub.StatusTools))...)...)
	// Row B4: a call without arguments has an empty object.
	f("B4 no arguments", join([]string{strings.Replace(called(0, "c1")[0], "c1", "c1", 1), chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`)}, finish("tool_calls")),
		call("c1")[0], end(hub.StatusTools))
	// Rows D1 and D2: calls make the end tool_calls, although it was said to be a good one, and in another record.
	f("D1 D2 calls, then a good end", join(called(0, "c1"), finish("tool_calls")), append(call("c1"), end(hub.StatusDone))...)
	// Rows D3 and D12: one reason to finish, although the upstream says two.
	f("D3 D12 one end", append([]string{hello}, finish("length")...), answer("Hello"), end(hub.StatusLength), end(hub.StatusDone))
	// Row D7: the chunk with the reason has a delta, also without any text.
	f("D7 an empty answer", finish("stop"), end(hub.StatusDone))
	// Row D8: a refusal is no good end.
	f("D8 refused", append([]string{hello}, finish("content_filter")...), answer("Hello"), end(hub.StatusRefused))
	// Row D10: an incomplete answer is length, with its usage (also row H6).
	usage := hub.Event{Kind: hub.Usage, Scope: hub.RunScope, More: &hub.More{Usage: hub.NoCounts}}
	usage.More.Usage.In, usage.More.Usage.Out, usage.More.Usage.Cached, usage.More.Usage.ReasoningTokens = 20, 31, 8, 9
	counted := `{"model":"agent","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":31,"total_tokens":51,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":9}}}`
	f("D10 H6 incomplete, with usage", []string{hello, finish("length")[0], counted, "[DONE]"}, answer("Hello"), usage, end(hub.StatusLength))
	// Rows H1, H2, H3, H9 and F14: totals as they are canonical, once, in a chunk that has choices.
	f("F14 H1 H2 H3 H9 usage", []string{hello, writtenStop, counted, "[DONE]"}, usage, answer("Hello"), usage)
	// Rows F10, F11 and G1: what has no form writes nothing, and the role has come before it.
	f("F10 G1 nothing foreign", append([]string{hello}, finish("stop")...), hub.Event{Kind: hub.Raw, Name: []byte("anthropic"), Value: []byte(`{"type":"ping"}`)}, answer("Hello"))
	// Row F15: reasoning is a string.
	f("F15 reasoning is a string", append([]string{chunkOf(`{"reasoning_content":"Hm"}`)}, finish("stop")...), thought)
	// Row J20: the role is in the first chunk, also of a stream that is nothing but a call.
	f("J20 the role first", join(called(0, "c1"), finish("tool_calls")), append(call("c1"), end(hub.StatusTools))...)
}

// Rows E1, E2, E3, E5, E7 and E10: a run that fails or is cut ends with an error, and nothing comes after it: no reason to
// finish, no end mark, no late event.
func TestRowsE1E2E3E5E7E10Failures(t *testing.T) {
	f := func(cause error, want string) {
		t.Helper()
		seq, enc, out := sequencer.New(sequencer.Config{}), newTestEncoder(t, ""), wire.NewOut(wire.NDJSON)
		normalized := seq.Push(nil, []hub.Event{answer("Hel")}, 0)
		normalized = seq.Flush(normalized, cause)
		normalized = append(normalized, seq.Push(nil, []hub.Event{answer("lo")}, 0)...)
		for i := range normalized {
			enc.Encode(out, &normalized[i])
		}
		enc.Finish(out)
		lines := bytes.Split(bytes.TrimSpace(out.Buf), []byte("\n"))
		if got := string(lines[len(lines)-1]); got != want || bytes.Contains(out.Buf, []byte(`"finish_reason":"`)) {
			t.Errorf("got %s, want it to end with %s", out.Buf, want)
		}
	}
	f(nil, `{"error":{"message":"The agent server stopped before the answer was complete.","type":"truncated","param":null,"code":"upstream_truncated"}}`)
	f(hub.Fail(hub.CodeReset, nil), `{"error":{"message":"The connection to the agent server was lost before the answer was complete.","type":"truncated","param":null,"code":"upstream_reset"}}`)
	f(hub.Fail(hub.CodeMalformed, nil), `{"error":{"message":"The agent server sent something that could not be understood.","type":"server_error","param":null,"code":"upstream_malformed"}}`)
}

// Row E1: wherever a stream is cut, the client receives an error, unless only the last records are missing.
func TestRowE1CutAnywhere(t *testing.T) {
	frames := []string{roleChunk, deltaChunk(`"content":"Hello"`), callChunk(first, `"name":"weather",`+oslo), finishChunk("tool_calls"), "[DONE]"}
	body := events(frames...)
	complete := len(events(frames[:4]...)) - 2 // a last frame needs no blank line
	for n := range len(body) {
		got := understand(t, body[:n])
		if cut := strings.Contains(got, "end=truncated"); cut != (n < complete) {
			t.Fatalf("cut before byte %d of %d: %s", n, len(body), got)
		}
	}
}
