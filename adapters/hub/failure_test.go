package hub_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestStatusesOfFailures: documents and clients rely on the status of every code, and on how it ends a run.
func TestStatusesOfFailures(t *testing.T) {
	want := map[string]string{
		"agent_error":         "502 failed",
		"answer_too_long":     "502 failed",
		"auth_unavailable":    "503 failed",
		"forbidden":           "403 failed",
		"unauthenticated":     "401 failed",
		"bad_dialect":         "406 failed",
		"bad_method":          "405 failed",
		"body_too_large":      "413 failed",
		"cancelled":           "499 cancelled",
		"client_gone":         "499 cancelled",
		"content_blocked":     "502 failed",
		"credentials_expired": "401 truncated",
		"client_slow":         "408 cancelled",
		"ask_unknown":         "409 failed",
		"history_changed":     "409 failed",
		"history_missing":     "400 failed",
		"run_ended":           "409 failed", "run_unknown": "404 failed", "unsupported": "400 failed", "session_busy": "409 failed",
		"thread_exists":         "409 failed",
		"answer_unknown":        "400 failed",
		"answer_unfinished":     "400 failed",
		"answer_continued":      "400 failed",
		"connection_unknown":    "404 failed",
		"run_cut":               "410 failed",
		"run_unread":            "410 truncated",
		"already_read":          "409 failed",
		"host_not_allowed":      "421 failed",
		"internal_error":        "500 failed",
		"no_endpoint":           "404 failed",
		"no_route":              "404 failed",
		"origin_not_allowed":    "403 failed",
		"overloaded":            "503 failed",
		"request_lossy":         "400 failed",
		"request_unreadable":    "400 failed",
		"shutting_down":         "503 truncated",
		"store_unavailable":     "503 failed",
		"replica_silent":        "503 failed",
		"stream_too_long":       "504 truncated",
		"too_many_bodies":       "503 failed",
		"too_many_requests":     "429 failed",
		"too_many_tokens":       "429 failed",
		"too_many_streams":      "503 failed",
		"upstream_bad_request":  "400 failed",
		"upstream_busy":         "503 failed",
		"upstream_credentials":  "502 failed",
		"upstream_denied":       "502 failed",
		"upstream_failing":      "503 failed",
		"upstream_idle":         "504 truncated",
		"upstream_malformed":    "502 failed",
		"upstream_violation":    "502 failed",
		"upstream_not_found":    "404 failed",
		"upstream_refused":      "502 failed",
		"upstream_reset":        "502 truncated",
		"upstream_status":       "502 failed",
		"upstream_timeout":      "504 failed",
		"upstream_truncated":    "502 truncated",
		"upstream_unauthorized": "401 failed",
		"upstream_unreachable":  "502 failed",
	}
	got := map[string]string{}
	for _, code := range hub.Codes() {
		f := hub.Fail(code, nil)
		got[string(code)] = fmt.Sprint(f.HTTPStatus(), " ", hub.FailureEnd(f, new(hub.More)).Status)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	agent := &hub.Failure{Code: hub.CodeAgent, Said: "No more tokens.", Note: "aside"}
	if agent.Text() != "No more tokens." {
		t.Errorf("an agent that says what failed is quoted as %q", agent.Text())
	}
}

// TestFailureBody: what an agent has said is text, whatever it is.
func TestFailureBody(t *testing.T) {
	f := &hub.Failure{Code: hub.CodeAgent, Said: "No CODE."}
	body := hub.FailureBody(`{"code":"CODE","message":"TEXT"}`)
	if got, want := string(body([]byte("x"), f)), `x{"code":"`+string(hub.CodeAgent)+`","message":"No CODE."}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRemembered: of a whole conversation the ids of messages, of results and of reasoning are known, each by its own name.
func TestRemembered(t *testing.T) {
	b := func(s string) []byte { return []byte(s) }
	req := hub.Request{Messages: []hub.Message{
		{Role: hub.RoleUser, ID: b("u1")},
		{Role: hub.RoleAgent, ID: b("m1"), Parts: []hub.Part{
			{Kind: hub.PartReasoning, ID: b("rs1")}, {Kind: hub.PartText, ID: b("t1")},
			{Kind: hub.PartCall, ID: b("c1"), Name: b("f"), Value: b("{}"), Result: &hub.CallResult{ID: b("r1")}},
			{Kind: hub.PartCall, ID: b("c2"), Name: b("g"), Value: b("{}"), ClientRuns: true, Approval: &hub.Approval{ID: b("a2")}},
		}},
	}}
	req.Remember(true)
	var known []string
	for _, id := range strings.Fields("u1 m1 rs1 t1 c1 r1 c2 a2 other") {
		if req.MessageIDs.Has(b(id)) {
			known = append(known, id)
		}
	}
	if got := strings.Join(known, " "); got != "u1 m1 rs1 r1" {
		t.Errorf("known are %s", got)
	}
	first, second := req.History.Find(b("c1")), req.History.Find(b("c2"))
	if !req.History.Known || !first.Answered || first.Args != nil || string(first.Msg) != "m1" {
		t.Errorf("the call with a result is remembered as %+v", first)
	}
	if second.Answered || string(second.Args) != "{}" || !second.ClientRuns || string(second.Ask) != "a2" {
		t.Errorf("the call that waits is remembered as %+v", second)
	}
	partial := hub.Request{Messages: req.Messages, Partial: true}
	if partial.Remember(true); partial.MessageIDs != nil || partial.History.Known {
		t.Error("what is only new was taken for all")
	}
}
