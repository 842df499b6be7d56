package a2a

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The rows are those of the list of bugs that other translators had, and of the reports that the fixtures name.

// strictly decodes the results of a call and sequences the events.
func strictly(t *testing.T, cause error, results ...string) (all []hub.Event) {
	t.Helper()
	dec := Dialect.NewDecoder(Dialect.Defaults())
	seq := sequencer.New(sequencer.Config{})
	take := func(evs []hub.Event) {
		for i := range evs {
			all = append(all, hub.Event{Kind: evs[i].Kind, Status: evs[i].Status, Text: append([]byte(nil), evs[i].Text...)})
		}
	}
	for _, r := range results {
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(`{"jsonrpc":"2.0","id":1,"result":` + r + `}`)})
		if err != nil {
			t.Fatalf("%s: %v", r, err)
		}
		take(seq.Push(nil, evs, 0))
	}
	take(seq.Push(nil, dec.Finish(nil, cause), 0))
	take(seq.Flush(nil, cause))
	return all
}

func answerOf(evs []hub.Event) (text string, end hub.Status) {
	for i := range evs {
		if evs[i].Kind == hub.TextDelta {
			text += string(evs[i].Text)
		}
		end = evs[i].Status
	}
	return text, end
}

const (
	taskOf    = `{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}`
	completed = `{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}`
)

func pieceOf(text, more string) string {
	return `{"artifactUpdate":{"taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"text":"` + text + `"}]}` + more + `}}`
}

func TestRowsDecoded(t *testing.T) {
	f := func(name, text string, end hub.Status, cause error, results ...string) {
		t.Run(name, func(t *testing.T) {
			gotText, gotEnd := answerOf(strictly(t, cause, results...))
			if gotText != text || gotEnd != end {
				t.Errorf("got %q and %s, want %q and %s", gotText, gotEnd, text, end)
			}
		})
	}
	// Rows E1, E2: a task without a final state is no success, whether the body ended or the connection broke.
	f("E1 reset", "a", hub.StatusTruncated, hub.Fail(hub.CodeReset, nil), taskOf, pieceOf("a", ""))
	f("E2 end of the body", "a", hub.StatusTruncated, nil, taskOf, pieceOf("a", ""))
	// Row E6: what follows the end is dropped.
	f("E6 text after the end", "a", hub.StatusDone, nil, taskOf, pieceOf("a", ""), completed, pieceOf("b", `,"append":true`))
	// Row D12: the end comes twice.
	f("D12 two ends", "a", hub.StatusDone, nil, taskOf, pieceOf("a", ""), completed, completed)
	// Row D11: an unknown state ends nothing.
	f("D11 unknown state", "a", hub.StatusTruncated, nil, taskOf, pieceOf("a", ""), `{"statusUpdate":{"status":{"state":"TASK_STATE_DREAMING"}}}`)
	// Row C5: the last piece repeats the text without append; nothing is lost and nothing repeated.
	f("C5 repeated text", "a b", hub.StatusDone, nil, taskOf, pieceOf("a", ""), pieceOf(" b", `,"append":true`), pieceOf("a b", `,"lastChunk":true`), completed)
	// Row E16: bodies of odd types.
	f("E16 odd results", "", hub.StatusTruncated, nil, `null`, `[]`, `""`, `{}`, `{"task":null}`)
}

func b(s string) []byte { return []byte(s) }

// written encodes normalized events for a client that asked with this body.
func written(t *testing.T, header, body string, evs ...hub.Event) string {
	t.Helper()
	req := hub.Request{Unique: b("u1"), Header: func(string) string { return header }}
	if err := Dialect.Requests.DecodeRequest(&req, b(body)); err != nil {
		t.Fatal(err)
	}
	enc, out := Dialect.NewEncoder(Dialect.Defaults()), wire.NewOut(wire.SSE)
	enc.(hub.Answerer).Answer(&req)
	for i := range evs {
		enc.Encode(out, &evs[i])
	}
	return string(out.Buf)
}

func answer(end hub.Status) []hub.Event {
	return []hub.Event{
		{Kind: hub.RunStart}, {Kind: hub.TextStart, ID: b("p1")}, {Kind: hub.TextDelta, ID: b("p1"), Text: b("a")},
		{Kind: hub.TextDelta, ID: b("p1"), Text: b("b")}, {Kind: hub.TextEnd, ID: b("p1")}, {Kind: hub.RunEnd, Status: end},
	}
}

const (
	ask1     = `{"jsonrpc":"2.0","id":"x 1","method":"SendStreamingMessage","params":{"message":{"messageId":"u","role":"ROLE_USER","parts":[{"text":"hi"}]}}}`
	ask3     = `{"jsonrpc":"2.0","id":7,"method":"message/stream","params":{"message":{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"hi"}]}}}`
	ask1REST = `{"message":{"messageId":"u","role":"ROLE_USER","parts":[{"text":"hi"}]}}`
	ask3REST = `{"message":{"messageId":"u","role":"ROLE_USER","content":[{"text":"hi"}]}}`
)

// TestAnswer: clients get the version and the binding that they asked in, with the id of their call byte for byte.
func TestAnswer(t *testing.T) {
	f := func(name, header, body string, wants ...string) {
		t.Run(name, func(t *testing.T) {
			got := written(t, header, body, answer(hub.StatusDone)...)
			for _, want := range wants {
				if !strings.Contains(got, want) {
					t.Errorf("there is no %s in\n%s", want, got)
				}
			}
		})
	}
	f("1.0", "1.0", ask1, `data: {"jsonrpc":"2.0","id":"x 1","result":{"task":{"id":"u1"`, `"append":true}}}`, `TASK_STATE_COMPLETED`)
	f("0.3", "", ask3, `data: {"jsonrpc":"2.0","id":7,"result":{"kind":"task","id":"u1"`, `"state":"completed"},"final":true}}`)
	f("1.0 REST", "1.0", ask1REST, `data: {"task":{"id":"u1"`, `TASK_STATE_COMPLETED`)
	f("0.3 REST", "", ask3REST, `data: {"task":{"id":"u1"`, `"state":"TASK_STATE_COMPLETED"},"final":true}}`)
	f("method without header", "", ask1, `TASK_STATE_COMPLETED`)
	f("id null", "", strings.Replace(ask3, "7", "null", 1), `"id":null,"result":{"kind":"task"`)
	f("a task that goes on", "1.0", strings.Replace(ask1REST, `"role"`, `"taskId":"t9","contextId":"c9","role"`, 1), `"task":{"id":"t9","contextId":"c9"`)
}

// TestRequest: what a client's request says.
func TestRequest(t *testing.T) {
	f := func(header, body, version, call, run, thread string) {
		t.Helper()
		req := hub.Request{Header: func(string) string { return header }}
		if err := Dialect.Requests.DecodeRequest(&req, b(body)); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		got := []string{string(req.Version), string(req.Call), string(req.Run), string(req.Thread)}
		if want := []string{version, call, run, thread}; strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
		if other := strings.Contains(body, "tasks/"); req.Other != other {
			t.Errorf("%s: no message %t, want %t", body, req.Other, other)
		}
	}
	f("1.0", ask1, "1.0", `"x 1"`, "", "")
	f("", ask3, "0.3", "7", "", "")
	f("0.3", ask1REST, "0.3", "", "", "")
	f("1.1", ask3REST, "1.0", "", "", "")
	f("", ask1REST, "1.0", "", "", "")
	f("", ask3REST, "0.3", "", "", "")
	f("", `{"jsonrpc":"2.0","method":"tasks/resubscribe","params":{"id":"t1"}}`, "0.3", "null", "", "")
	f("", strings.Replace(ask3, `"role"`, `"taskId":"t9","contextId":"c9","role"`, 1), "0.3", "7", "t9", "c9")
	var req hub.Request
	if err := Dialect.Requests.DecodeRequest(&req, b(`[]`)); err == nil {
		t.Error("a list is taken for a request")
	}
}

// TestCopies: the streams of two versions are not copied from one to the other.
func TestCopies(t *testing.T) {
	options := func(version, binding string) hub.Options {
		o, problems := Dialect.ParseOptions(map[string]any{"version": version, "binding": binding})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		return o
	}
	f := func(upstream, binding, header, body string, want bool) {
		t.Helper()
		var asked *hub.Request
		if body != "" {
			asked = &hub.Request{Header: func(string) string { return header }}
			if err := Dialect.Requests.DecodeRequest(asked, b(body)); err != nil {
				t.Fatal(err)
			}
		}
		if got := Dialect.Copies(options(upstream, binding), options("auto", "auto"), asked); got != want {
			t.Errorf("upstream %s %s, client %s: got %t", upstream, binding, body, got)
		}
	}
	f("auto", "auto", "1.0", ask1, true)
	f("auto", "auto", "", ask3, true)
	f("1.0", "auto", "", ask3, false)
	f("1.0", "auto", "1.0", ask1, true)
	f("0.3", "auto", "1.0", ask1, false)
	f("0.3", "jsonrpc", "", ask3, true)
	f("0.3", "rest", "", ask3, false)
	f("1.0", "rest", "1.0", ask1REST, true)
	f("1.0", "jsonrpc", "", "", true)
	f("0.3", "auto", "", "", false)
}

// TestRequestsPass: requests pass unless the options of both sides say that they speak differently.
func TestRequestsPass(t *testing.T) {
	f := func(version, binding, toVersion, toBinding string, want bool) {
		t.Helper()
		options := func(version, binding string) hub.Options {
			o, problems := Dialect.ParseOptions(map[string]any{"version": version, "binding": binding})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			return o
		}
		if got := Dialect.RequestsPass(options(version, binding), options(toVersion, toBinding)); got != want {
			t.Errorf("%s %s, %s %s: got %t", version, binding, toVersion, toBinding, got)
		}
	}
	f("auto", "auto", "auto", "auto", true)
	f("0.3", "rest", "auto", "auto", true)
	f("auto", "auto", "1.0", "jsonrpc", true)
	f("0.3", "rest", "0.3", "rest", true)
	f("0.3", "auto", "1.0", "auto", false)
	f("1.0", "rest", "1.0", "jsonrpc", false)
}

// TestRowsWritten: streams that the clients of other translators did not survive.
func TestRowsWritten(t *testing.T) {
	// The first piece must not say append, all others must: Go's task manager fails a task that appends to nothing, and a
	// piece that does not append takes the place of all before it.
	t.Run("append", func(t *testing.T) {
		got := written(t, "1.0", ask1, answer(hub.StatusDone)...)
		pieces := strings.Split(got, `"artifactUpdate"`)[1:]
		for i, piece := range pieces {
			if strings.Contains(piece, `"append":true`) != (i > 0) {
				t.Errorf("piece %d: %s", i+1, piece)
			}
		}
		if len(pieces) != 3 || !strings.Contains(pieces[2], `"lastChunk":true`) {
			t.Errorf("%d pieces, or the last is not sealed:\n%s", len(pieces), got)
		}
	})
	// Row E5: nothing comes after the final state, and in 0.3 only the last status is final.
	t.Run("E5 nothing after the end", func(t *testing.T) {
		for _, end := range []hub.Status{hub.StatusDone, hub.StatusFailed, hub.StatusCancelled, hub.StatusPaused, hub.StatusTools} {
			got := written(t, "", ask3, append(answer(end)[:5:5], hub.Event{Kind: hub.Notice, Text: b("n")}, hub.Event{Kind: hub.RunEnd, Status: end})...)
			if strings.Count(got, `"final":true`) != 1 || !strings.HasSuffix(strings.TrimSpace(got), `"final":true}}`) && !strings.Contains(got[strings.LastIndex(got, "data: "):], `"final":true`) {
				t.Errorf("%s: the last record is not the only one that is final:\n%s", end, got)
			}
		}
	})
	// Row E10: a failure before the first event is an error with the id of the call, which clients want there, too.
	t.Run("E10 failure first", func(t *testing.T) {
		more := hub.More{Err: b("no"), ErrCode: b("upstream_refused")}
		end := hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: &more}
		for _, c := range [][2]string{
			{ask1, `data: {"jsonrpc":"2.0","id":"x 1","error":{"code":-32603,"message":"no"`}, {ask3, `"id":7,"error":{"code":-32603,"message":"no"`},
			{ask1REST, "event: error\ndata: {\"error\":{\"code\":500,"}, {ask3REST, "event: error\ndata: {\"code\":-32603,"},
		} {
			if got := written(t, "", c[0], end); !strings.Contains(got, c[1]) {
				t.Errorf("there is no %s in\n%s", c[1], got)
			}
		}
	})
	// Row A14: the same stream twice gives the same bytes.
	t.Run("A14 no random ids", func(t *testing.T) {
		if first, second := written(t, "1.0", ask1, answer(hub.StatusDone)...), written(t, "1.0", ask1, answer(hub.StatusDone)...); first != second {
			t.Errorf("first  %s\nsecond %s", first, second)
		}
	})
}

func TestExtension(t *testing.T) {
	payload := `{"x-agent-stream":{"kind":"plan","items":[]}}`
	for _, raw := range []map[string]any{{}, {"version": "0.3"}, {"binding": "rest"}, {"version": "0.3", "binding": "rest"}} {
		o, _ := Dialect.ParseOptions(raw)
		out := wire.NewOut(wire.SSE)
		enc := Dialect.NewEncoder(o)
		enc.(hub.Extender).Extend(out, b(payload)) // wait for the start
		enc.(hub.Extender).Extend(out, b(payload))
		if len(out.Buf) > 0 {
			t.Errorf("%v: before the start there is %s", raw, out.Buf)
		}
		enc.Encode(out, &hub.Event{Kind: hub.RunStart})
		enc.(hub.Extender).Extend(out, b(payload))
		split, dec, found := wire.NewSplitter(wire.SSE, 0), Dialect.NewDecoder(o), ""
		for buf := out.Buf; len(buf) > 0; {
			rec, n, err := split.Split(buf, true)
			if err != nil || n == 0 {
				t.Fatal(err)
			}
			buf = buf[n:]
			found += string(Dialect.Extension(rec))
			evs, err := dec.Decode(nil, rec)
			if err != nil || len(evs) > 1 || len(evs) == 1 && evs[0].Kind != hub.RunStart {
				t.Errorf("%v: the decoder made %d events of %s, %v", raw, len(evs), rec.Data, err)
			}
		}
		if found != strings.Repeat(payload, 3) {
			t.Errorf("%v: found %s", raw, found)
		}
	}
	for _, data := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"status":{"state":"TASK_STATE_WORKING","message":{"parts":[]}},"metadata":{"x-agent-stream":{}}}}}`,
		`{"message":{"parts":[{"text":"\"x-agent-stream\""}]}}`, `{"x-agent-stream":{}}`,
	} {
		if found := Dialect.Extension(wire.Record{Data: b(data)}); found != nil {
			t.Errorf("%s is taken for an extension", data)
		}
	}
}

func TestObserve(t *testing.T) {
	f := func(name, data string, want hub.Observation) {
		t.Helper()
		if got := Dialect.Observe(wire.Record{Event: b(name), Data: b(data)}); got != want {
			t.Errorf("%s: got %d, want %d", data, got, want)
		}
	}
	f("", `{"jsonrpc":"2.0","id":1,"result":`+taskOf+`}`, hub.ObservedStart)
	f("", taskOf, hub.ObservedStart)
	f("", `{"jsonrpc":"2.0","id":1,"result":`+completed+`}`, hub.ObservedEnd)
	f("", `{"kind":"status-update","status":{"state":"working"},"final":true}`, hub.ObservedEnd)
	f("", `{"kind":"status-update","status":{"state":"input-required"}}`, hub.ObservedEnd)
	f("", `{"kind":"message","parts":[{"kind":"data","data":{"state":"completed"}}]}`, hub.ObservedNothing)
	f("", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, hub.ObservedEnd)
	f("error", `{"code":1}`, hub.ObservedEnd)
	f("", `{"message":{"parts":[{"text":"\"error\""}]}}`, hub.ObservedNothing)
}
