package copilot_test

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestHistory: in a replay of several runs, errors and ends in the middle end nothing (S2-19), and all is marked as
// replayed. It ends with historyComplete or with the body, as the last run in it ended.
func TestHistory(t *testing.T) {
	const (
		user     = `{"type":"user.message","data":{"content":"Again"}}`
		answer   = `{"type":"assistant.message","data":{"messageId":"m2","content":"4"}}`
		abort    = `{"type":"abort","data":{"reason":"user_initiated"}}`
		complete = `{"type":"historyComplete","sessionId":"s1"}`
	)
	f := func(want hub.Status, wantErr string, records ...string) {
		t.Helper()
		evs := decode(t, "history=true", records...)
		if n := count(evs, isKind(hub.RunEnd)); n != 1 {
			t.Fatalf("%d ends", n)
		}
		end := evs[len(evs)-1]
		err := ""
		if end.More != nil {
			err = string(end.More.Err)
		}
		if end.Kind != hub.RunEnd || end.Status != want || err != wantErr {
			t.Errorf("it ends with %s %s, %q; want %s, %q", end.Kind, end.Status, err, want, wantErr)
		}
		if n := count(evs, func(ev *hub.Event) bool { return !ev.Flags.Has(hub.Replayed) }); n > 0 {
			t.Errorf("%d events are not marked", n)
		}
	}
	f(hub.StatusDone, "", user, answer)
	f(hub.StatusDone, "", user, answer, complete)
	f(hub.StatusDone, "", user, answer, idle, user, failure, user, answer)
	f(hub.StatusFailed, "gone", user, answer, user, failure)
	f(hub.StatusFailed, "gone", user, answer, user, failure, complete)
	f(hub.StatusCancelled, "", user, answer, abort)
	f(hub.StatusCancelled, "", user, answer, abort, idle)
	f(hub.StatusDone, "", user, abort, idle, user, answer, idle)
	f(hub.StatusDone, "", user, failure, user, answer)

	live := decode(t, "", complete, user, answer)
	if count(live, isKind(hub.RunEnd)) != 0 || live[1].Kind != hub.Data || string(live[1].Name) != "historyComplete" {
		t.Errorf("before a live stream, the end of the replay ends it, or is lost")
	}
}

// TestCutHistory: a replay that was cut is no good end.
func TestCutHistory(t *testing.T) {
	dec := copilot.Dialect.NewDecoder(set(t, "history=true"))
	if _, err := dec.Decode(nil, wire.Record{Data: []byte(`{"type":"user.message","data":{"content":"Hi"}}`)}); err != nil {
		t.Fatal(err)
	}
	if evs := dec.Finish(nil, hub.Fail(hub.CodeReset, nil)); len(evs) > 0 {
		t.Errorf("cut, it ends with %s", evs[0].Status)
	}
	dec.Reset()
	if evs := dec.Finish(nil, nil); len(evs) > 0 {
		t.Errorf("empty, it ends with %s", evs[0].Status)
	}
}

// TestObserve: copied streams end when the session does, whatever their envelope, and not when a text speaks of it.
func TestObserve(t *testing.T) {
	f := func(rec string, want hub.Observation) {
		t.Helper()
		if got := copilot.Dialect.Observe(wire.Record{Data: []byte(rec)}); got != want {
			t.Errorf("%s is observed as %d, want %d", rec, got, want)
		}
	}
	for _, e := range []string{idle, failure} {
		f(e, hub.ObservedEnd)
		f(`{"type":"event","sessionId":"s","event":`+e+`}`, hub.ObservedEnd)
		f(`{"jsonrpc":"2.0","method":"session.event","params":{"sessionId":"s","event":`+e+`}}`, hub.ObservedEnd)
		f(`{"jsonrpc":"2.0","method":"other","params":{"event":`+e+`}}`, hub.ObservedNothing)
	}
	f(`{"type":"assistant.message","data":{"content":"\"session.idle\""}}`, hub.ObservedNothing)
	f(`{"type":"hook.start","data":{"hookType":"session.idle"}}`, hub.ObservedNothing)
	f(`{"agentId":"a","type":"session.error","data":{}}`, hub.ObservedNothing)
	f(`"session.idle"`, hub.ObservedNothing)
}

// TestRequests: the request that opens a stream names its session, in whatever form it comes.
func TestRequests(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		var req hub.Request
		if err := copilot.Dialect.Requests.DecodeRequest(&req, []byte(body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		if string(req.Thread) != want {
			t.Errorf("%s names %q, want %q", body, req.Thread, want)
		}
		if asks := strings.Contains(body, "prompt"); req.Other == asks || len(req.Messages) > 0 != asks {
			t.Errorf("%s asks %t, of %d messages", body, !req.Other, len(req.Messages))
		}
	}
	f(`{"type":"subscribe","sessionId":"s1"}`, "s1")
	f(`{"type":"requestHistory","sessionId":"s1"}`, "s1")
	f(`{"prompt":"Hi","source":"user"}`, "")
	f(`{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"sessionId":"s2","prompt":"Hi"}}`, "s2")
	var req hub.Request
	if err := copilot.Dialect.Requests.DecodeRequest(&req, []byte("no JSON")); err == nil {
		t.Error("what is no JSON is read")
	}
}
