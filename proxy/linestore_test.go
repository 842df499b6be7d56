package proxy

import (
	"fmt"
	"strings"
	"testing"
)

// TestEditorWithoutStore: while Redis is away, an editor gets that failure and nothing else for whatever it asks of conversations, and goes on when it is back.
func TestEditorWithoutStore(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	top := "threads: {principal: [Authorization]}\n" + storeYAML(line.Addr().String(), fmt.Sprintf(", prefix: \"%s:\"", newToken()))
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), top, "", editorRoute))
	e := editorOf(r)
	session := e.begin()
	same := sameSession(session)
	line.set(true)
	for _, ask := range []func() string{
		func() string { return e.call("session/new", `"cwd":"/","mcpServers":[]`) },
		func() string { return e.call("session/load", same) },
		func() string { return e.prompt(session, "words") },
		func() string { return e.call("session/load", same) },
	} {
		said := ask()
		if e.holds(said, `"error"`, "store_unavailable"); strings.Count(said, "\n") != 1 {
			t.Errorf("there is more than one refusal:\n%s", said)
		}
	}
	line.set(false)
	await(t, "the store to be back", func() bool { return strings.Contains(e.prompt(session, "words"), "end_turn") })
}
