package proxy

import (
	"fmt"
	"strings"
	"testing"
)

// TestEditorWithoutStore: while Redis is away, an editor gets that failure for whatever it asks of conversations, and goes on when it is back.
func TestEditorWithoutStore(t *testing.T) {
	t.Parallel()
	line := newCable(t, redisAddress(t))
	top := "threads: {principal: [Authorization]}\n" + storeYAML(line.Addr().String(), fmt.Sprintf(", prefix: \"%s:\"", newToken()))
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), top, "", editorRoute))
	e := editorOf(r)
	session := e.begin()
	same := sameSession(session)
	line.set(true)
	e.holds(e.call("session/new", `"cwd":"/","mcpServers":[]`), `"error"`, "store_unavailable")
	e.holds(e.call("session/load", same), `"error"`, "store_unavailable")
	e.holds(e.prompt(session, "words"), `"error"`, "store_unavailable")
	line.set(false)
	await(t, "the store to be back", func() bool { return strings.Contains(e.prompt(session, "words"), "end_turn") })
}
