package proxy

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestEditorFollowsTurn: an editor that comes back to a turn reads all of its runs: also the one that begins with the answer which it gives
// to the question with which the first has ended.
func TestEditorFollowsTurn(t *testing.T) {
	t.Parallel()
	goOn := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			if body := string(p.body); strings.Contains(body, `"answers"`) || strings.Contains(body, "next") {
				p.finish(lines(lineStart, `{"kind":"text.delta","id":"p2","text":"dropped"}`, lineEnd))
				continue
			}
			p.chunk(lines(lineStart, lineHello))
			<-goOn
			p.finish(lines(`{"kind":"tool.start","id":"c1","name":"drop"}`, `{"kind":"tool.ready","id":"c1","name":"drop","value":{}}`,
				`{"kind":"ask","id":"q1","ref":"c1","what":"permission","title":"Drop it?"}`, `{"kind":"run.end","status":"paused"}`))
		}
	})
	_, r := editors(t, a, false)
	one, two := editorOf(r), editorOf(r)
	session := one.begin()
	one.ask(session, "words")
	one.await("Hello")
	two.call("session/load", fmt.Sprintf(`"sessionId":%q,"cwd":"/","mcpServers":[]`, session))
	two.await("Hello")
	close(goOn)
	two.await("session/request_permission")
	two.send(`{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
	two.await("dropped")
	one.holds(one.await("stopReason"), "dropped", "end_turn")
	two.holds(two.prompt(session, "next"), "end_turn")
}

// TestEditorIsLetGo: an editor whose reader is ended before the agent has said anything learns why.
func TestEditorIsLetGo(t *testing.T) {
	t.Parallel()
	asked, goOn := make(chan struct{}), make(chan struct{})
	release := sync.OnceFunc(func() { close(goOn) })
	a := newAgent(t, func(p *peer) {
		p.request()
		close(asked)
		<-goOn
		p.ok("Content-Type: application/x-ndjson")
		p.finish(smallRun)
	})
	_, r := editors(t, a, false)
	t.Cleanup(release)
	e := editorOf(r)
	e.ask(e.begin(), "words")
	<-asked
	r.mu.Lock()
	for reader, held := range r.streams {
		if held.client == "" { // it is no run
			reader.cancel(hub.Fail(hub.CodeShutdown, nil))
		}
	}
	r.mu.Unlock()
	e.holds(e.await(`"id":`), `"error"`, "shutting_down")
	release()
	r.awaitEnds(1)
}
