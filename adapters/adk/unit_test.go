package adk_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/adk"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/sequencer"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encode returns the records for decoded events in native notation, for a client that asked with this body.
func encode(t *testing.T, body, events string) string {
	t.Helper()
	evs, err := adaptertest.Events([]byte(events))
	if err != nil {
		t.Fatal(err)
	}
	seq := sequencer.New(sequencer.Config{})
	enc, out := adk.Dialect.NewEncoder(adk.Dialect.Defaults()), wire.NewOut(wire.NDJSON)
	if body != "" {
		req := hub.Request{Unique: []byte("u1"), Time: 1795308772663}
		if err := adk.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Fatal(err)
		}
		enc.(hub.Answerer).Answer(&req)
	}
	all := seq.Flush(seq.Push(nil, evs, 0), nil)
	for i := range all {
		enc.Encode(out, &all[i])
	}
	return strings.ReplaceAll(string(out.Buf), `"actions":{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}},`, "")
}

const hello = `{"kind":"text.delta","id":"a","text":"He"}` + "\n" + `{"kind":"text.delta","id":"a","text":"y"}` + "\n" + `{"kind":"run.end","status":"done"}`

// TestFragments: whoever does not ask for streaming gets each turn once, whole.
func TestFragments(t *testing.T) {
	const whole = `{"content":{"parts":[{"text":"Hey"}],"role":"model"},"finishReason":"STOP","invocationId":"u1","author":"agent","id":"u1-1","timestamp":1795308772.663}` + "\n"
	for _, body := range []string{`{"sessionId":"s"}`, `{"session_id":"s","streaming":false}`, `{"streaming":null}`} {
		if got := encode(t, body, hello); got != whole {
			t.Errorf("%s:\n%s", body, got)
		}
	}
	got := encode(t, `{"streaming":true}`, hello)
	if !strings.HasSuffix(got, whole) || strings.Count(got, `"partial":true`) != 2 || strings.Count(got, `"id":"u1-1"`) != 3 {
		t.Errorf("with streaming:\n%s", got)
	}
}

func TestRequest(t *testing.T) {
	for body, want := range map[string]string{`{"sessionId":"s1"}`: "s1", `{"session_id":"s2"}`: "s2", `{"appName":"a"}`: ""} {
		req := hub.Request{Unique: []byte("u1")}
		if err := adk.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil || string(req.Thread) != want || string(req.Run) != "u1" {
			t.Errorf("%s: thread %q, run %q, %v", body, req.Thread, req.Run, err)
		}
	}
	if err := adk.Dialect.Requests.DecodeRequest(&hub.Request{}, []byte(`{`)); err == nil {
		t.Error("half a body is taken")
	}
}

// TestLineEnds: the framework's client splits at characters that JSON allows in strings.
func TestLineEnds(t *testing.T) {
	got := encode(t, "", `{"kind":"text.delta","id":"a","text":"a`+"\u0085b\u2028c\u2029"+`d"}`)
	if strings.ContainsAny(got, "\u0085\u2028\u2029") || strings.Count(got, `a\u0085b\u2028c\u2029d`) != 2 {
		t.Errorf("%s", got)
	}
}

// TestTexts: a text that begins while another is open waits for it; a thought goes on beside it.
func TestTexts(t *testing.T) {
	got := encode(t, "", strings.Join([]string{
		`{"kind":"text.delta","id":"a","msg":"m1","text":"A1"}`, `{"kind":"text.delta","id":"b","msg":"m2","text":"B1"}`,
		`{"kind":"text.delta","id":"c","msg":"m3","chan":"reasoning","text":"hm"}`, `{"kind":"text.delta","id":"a","msg":"m1","text":"A2"}`,
		`{"kind":"text.end","id":"c","chan":"reasoning"}`, `{"kind":"text.end","id":"a"}`, `{"kind":"text.end","id":"b"}`,
	}, "\n"))
	for _, want := range []string{
		`[{"text":"hm","thought":true},{"text":"A1A2"}],"role":"model"},"invocationId":"run","author":"agent","id":"run-1"`,
		`[{"text":"B1"}],"role":"model"},"invocationId"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
}

// TestBodyEnds: a copied stream may end where a translated one may.
func TestBodyEnds(t *testing.T) {
	const event = `{"invocationId":"i","author":"a","id":"e",`
	for records, want := range map[string]bool{
		"": false,
		event + `"content":{"parts":[{"text":"x"}]},"partial":true}`:                                       false,
		event + `"content":{"parts":[{"text":"x"}]}}`:                                                      true,
		event + `"content":{"parts":[{"functionCall":{"id":"c","name":"f"}}]}}`:                            false,
		event + `"content":{"parts":[{"functionCall":{"id":"c","name":"f"}}]},"longRunningToolIds":["c"]}`: true,
		event + `"errorCode":"X","errorMessage":"no"}`:                                                     true,
	} {
		w := adk.Dialect.Watch(adk.Dialect.Defaults())
		if records != "" {
			w.Observe(wire.Record{Data: []byte(records)})
		}
		if w.EndsWithBody() != want {
			t.Errorf("%s: %t", records, !want)
		}
	}
}

func TestExplains(t *testing.T) {
	for record, want := range map[string]hub.Status{
		`{"author":"a","errorCode":"RuntimeError"}`:             hub.StatusFailed,
		`{"author":"a","error_code":"MAX_TOKENS"}`:              hub.StatusLength,
		`{"author":"a","errorCode":"SAFETY"}`:                   hub.StatusNone,
		`{"author":"a","content":{"parts":[{"text":"error"}]}}`: hub.StatusNone,
		`{"error":"x"}`: hub.StatusFailed,
	} {
		if got := adk.Dialect.Explains(wire.Record{Data: []byte(record)}); got != want {
			t.Errorf("%s: %s", record, got)
		}
	}
	f := hub.Fail(hub.CodeTimeout, nil)
	if got := string(adk.Dialect.AppendFailure(nil, f)); !strings.HasPrefix(got, `{"detail":"`) || !strings.HasSuffix(got, `","code":"`+string(f.Code)+`"}`) {
		t.Errorf("%s", got)
	}
}

// TestOddDeltas: deltas of state that are no objects are passed on as they are.
func TestOddDeltas(t *testing.T) {
	for _, delta := range []string{`[1]`, `"x"`, `7`, `[]`} {
		rec := `{"content":{"parts":[{"text":"Hi"}],"role":"model"},"invocationId":"e-1","author":"guide","actions":{"stateDelta":` + delta + `},"id":"e1","timestamp":1}`
		dec := adk.Dialect.NewDecoder(adk.Dialect.Defaults())
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(rec)})
		if err != nil {
			t.Fatalf("%s: %v", delta, err)
		}
		seen := false
		for i := range evs {
			if err := adaptertest.Valid(&evs[i]); err != nil {
				t.Errorf("%s: %v", delta, err)
			}
			seen = seen || evs[i].Kind == hub.Data && string(evs[i].Value) == delta
		}
		if !seen {
			t.Errorf("%s is lost: %s", delta, adaptertest.Lines(evs))
		}
	}
}
