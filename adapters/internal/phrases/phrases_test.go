package phrases_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/phrases"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// TestPhrases: each status has words, those of a run tell its ends apart, and all can be spliced into a string.
func TestPhrases(t *testing.T) {
	seen := map[string]bool{}
	f := func(emitted, want string) {
		t.Helper()
		if emitted != want || seen[emitted] {
			t.Errorf("got %q, want %q, said of nothing else", emitted, want)
		}
		if escaped := rawjson.AppendEscaped(nil, []byte(emitted)); string(escaped) != emitted {
			t.Errorf("%q must be escaped in a string", emitted)
		}
		seen[emitted] = true
	}
	f(phrases.Call(hub.StatusDenied), "The call was not allowed.")
	f(phrases.Call(hub.StatusAborted), "The run ended before the call did.")
	f(phrases.Call(hub.StatusError), "The call failed.")
	f(phrases.Run(hub.StatusCancelled), "The run was cancelled.")
	f(phrases.Run(hub.StatusTruncated), "The agent stopped before the answer was complete.")
	f(phrases.Run(hub.StatusFailed), "The run failed.")
}

// TestRunError: what the upstream says comes first.
func TestRunError(t *testing.T) {
	ev := hub.Event{Kind: hub.RunEnd, Status: hub.StatusFailed, More: &hub.More{}}
	if got := phrases.RunError(&ev); string(got) != phrases.Run(hub.StatusFailed) {
		t.Errorf("without words: %s", got)
	}
	if ev.More.Err = []byte("no quota"); string(phrases.RunError(&ev)) != "no quota" {
		t.Errorf("with words: %s", phrases.RunError(&ev))
	}
}
