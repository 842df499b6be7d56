package datastream_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adaptertest"
	"github.com/sabir-proxy/sabir/adapters/datastream"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// The tests below are named after the rows of the list of translation bugs that other projects had.

const (
	runStart = `{"kind":"run.start","id":"r1"}`
	runDone  = `{"kind":"run.end","status":"done"}`
	hello    = `{"kind":"text.delta","id":"t1","text":"Hello"}`
)

// TestRowsOfReasons: how a run ends, in both directions.
func TestRowsOfReasons(t *testing.T) {
	written := func(name, status, want string) {
		t.Helper()
		t.Run(name+" "+status, func(t *testing.T) {
			lines := encode(t, datastream.Dialect.Defaults(), runStart, hello, `{"kind":"run.end","status":"`+status+`"}`)
			if got := lines[len(lines)-1]; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	// Row D11: every reason that the model has.
	for _, r := range []struct{ status, reason string }{
		{"done", "stop"}, {"length", "length"}, {"limit", "other"}, {"filtered", "content-filter"}, {"tools", "tool-calls"},
		{"paused", "tool-calls"}, {"cancelled", "other"},
	} {
		written("D11", r.status, `d:{"finishReason":"`+r.reason+`"}`)
	}
	written("D8", "refused", `d:{"finishReason":"content-filter"}`) // Row D8: a refusal is no good end.
	// Rows E1, E2 and E4: a run that was cut, or failed (row E7), is an error.
	written("E1 E2 E4", "truncated", `3:"The agent stopped before the answer was complete."`)
	written("E7", "failed", `3:"The run failed."`)

	read := func(name, want string, lines ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			evs := adaptertest.Sequenced(t, &datastream.Dialect, lines...)
			if got := evs[len(evs)-1].Status.String(); got != want {
				t.Errorf("got %s, want %s: %s", got, want, adaptertest.Kinds(evs))
			}
		})
	}
	finish := func(reason string) string { return `d:{"finishReason":"` + reason + `"}` }
	const call = `9:{"toolCallId":"c1","toolName":"a","args":{}}`
	// Row D1: calls that are left to the client are the reason, whatever the model says.
	read("D1 stop with an open call", "tools", call, finish("stop"))
	read("D1 but not when it was run", "done", call, `a:{"toolCallId":"c1","result":1}`, finish("tool-calls"))
	read("D1 but not with a length", "length", call, finish("length"))
	// Row D4: a later stop does not hide the call.
	read("D4 tool-calls, then stop", "tools", call, finish("tool-calls"), finish("stop"))
	// Rows D5 and D6: an empty reason, and an unknown one.
	read("D5 empty, then length", "length", finish(""), finish("length"))
	read("D6 unknown reason", "done", finish("malformed"))
	// Rows E7 and E10: an error, also in front of all else, and whatever comes behind it.
	read("E7 error, then finish", "failed", `0:"Hal"`, `3:"x"`, finish("stop"))
	read("E10 error first", "failed", `3:"x"`)
}

// TestRowE1 cuts a recorded stream behind each of its lines: only the whole one is a success (rows E1 and E2).
func TestRowE1(t *testing.T) {
	archive, err := os.ReadFile("testdata/toolloop-v4.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ := bytes.Cut(archive, []byte("-- wire --\n"))
	body, _, _ = bytes.Cut(body, []byte("-- events --\n"))
	lines := strings.Split(strings.TrimSpace(string(body)), "\n")
	for n := 1; n <= len(lines); n++ {
		evs := adaptertest.Sequenced(t, &datastream.Dialect, lines[:n]...)
		want := hub.StatusTruncated
		if n == len(lines) {
			want = hub.StatusDone
		}
		if got := evs[len(evs)-1].Status; got != want {
			t.Errorf("after %d of %d lines the run ended as %s, want %s", n, len(lines), got, want)
		}
	}
}

// TestRowsOfArguments: arguments that are missing, wrong or cut.
func TestRowsOfArguments(t *testing.T) {
	start := []string{runStart, `{"kind":"tool.start","id":"c1","name":"a"}`}
	f := func(name, want string, events ...string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			t.Helper()
			if got := strings.Join(encode(t, datastream.Dialect.Defaults(), append(start, events...)...), "\n"); !strings.Contains(got, want) {
				t.Errorf("%s is not in\n%s", want, got)
			}
		})
	}
	f("B1 B2 whole arguments", `"argsTextDelta":"{\"q\":1}"`, `{"kind":"tool.ready","id":"c1","value":{"q":1}}`, runDone)
	f("B4 B5 no arguments", `"args":{}`, `{"kind":"tool.ready","id":"c1"}`, runDone)
	f("B6 no JSON", `"args":{"value":"{oops"}`, `{"kind":"tool.args","id":"c1","text":"{oops"}`, runDone)
	f("B7 an array", `"args":{"value":[1]}`, `{"kind":"tool.ready","id":"c1","value":[1]}`, runDone)
}

// TestRowE16 feeds what servers answer when they are something else (row E16).
func TestRowE16(t *testing.T) {
	for _, odd := range []string{`null`, `""`, `[]`, `<html>`, `0:`, `0:null`, `9:[]`, `9:{}`, "0:\"\xff\"", `0:` + strings.Repeat("[", 2000)} {
		dec := datastream.Dialect.NewDecoder(datastream.Dialect.Defaults())
		evs, err := dec.Decode(nil, wire.Record{Data: []byte(odd)})
		if err == nil || len(evs) > 0 {
			t.Errorf("%.20q: %d events, error %v", odd, len(evs), err)
		}
	}
}

// TestRowA14: the same stream gives the same bytes (row A14), also from an encoder that was used before.
func TestRowA14(t *testing.T) {
	events := []string{runStart, hello, `{"kind":"tool.start","id":"c1","name":"a"}`, runDone}
	enc, first, second := datastream.Dialect.NewEncoder(datastream.Dialect.Defaults()), wire.NewOut(wire.NDJSON), wire.NewOut(wire.NDJSON)
	adaptertest.Encode(t, enc, first, events...)
	enc.Reset()
	adaptertest.Encode(t, enc, second, events...)
	if !bytes.Equal(first.Buf, second.Buf) {
		t.Errorf("first\n%s\nthen\n%s", first.Buf, second.Buf)
	}
}

// TestRowsOfSignatures: rows I2, I6 and I7. A signature comes behind its reasoning, and before anything else.
func TestRowsOfSignatures(t *testing.T) {
	lines := encode(t, datastream.Dialect.Defaults(), runStart, `{"kind":"text.delta","id":"r","chan":"reasoning","text":"hm"}`,
		`{"kind":"text.end","id":"r","chan":"reasoning","sig":"c2ln"}`, hello, runDone)
	if got := codes(lines); got != "f g j 0 e d" {
		t.Errorf("got %s", got)
	}
}

// TestRowsOfUsage: rows H1 and H8. The counts of a run are not added up, and both clients find them.
func TestRowsOfUsage(t *testing.T) {
	lines := encode(t, datastream.Dialect.Defaults(), runStart, `{"kind":"usage","scope":"run","usage":{"in":5,"out":1}}`,
		`{"kind":"usage","scope":"run","usage":{"in":5,"out":2}}`, runDone)
	want := `d:{"finishReason":"stop","usage":{"promptTokens":5,"completionTokens":2,"inputTokens":5,"outputTokens":2}}`
	if got := lines[len(lines)-1]; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
