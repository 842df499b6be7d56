package proxy

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// sameSession are the parameters with which an editor comes back to a conversation.
func sameSession(name string) string {
	return fmt.Sprintf(`"sessionId":%q,"cwd":"/","mcpServers":[]`, name)
}

// TestEditorFollowsTurn: an editor that comes back to a turn reads all of its runs: also the one that begins with the answer which it gives
// to the question with which the first has ended.
func TestEditorFollowsTurn(t *testing.T) {
	t.Parallel()
	goOn, last := make(chan struct{}), make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			if body := string(p.body); strings.Contains(body, `"answers"`) || strings.Contains(body, "next") {
				p.chunk(lines(lineStart, `{"kind":"text.delta","id":"p2","text":"dropped"}`))
				<-last
				p.finish(lines(lineEnd))
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
	same := sameSession(session)
	two.call("session/load", same)
	two.await("Hello")
	close(goOn)
	two.await("session/request_permission")
	two.send(`{"jsonrpc":"2.0","id":"q1","result":{"outcome":{"outcome":"selected","optionId":"allow"}}}`)
	two.await("dropped")
	three := editorOf(r)
	if history := three.call("session/load", same); strings.Count(history, "words") != 1 {
		t.Errorf("who comes for the answer reads\n%s", history)
	}
	close(last)
	one.holds(one.await("stopReason"), "dropped", "end_turn")
	two.holds(two.prompt(session, "next"), "end_turn")
}

// TestEditorGoesOnBehindTurn: an editor that reads the turn of another one along begins the next turn as soon as the other one has learned
// that the turn is over, and not earlier. What it has yet to read of the turn comes first.
func TestEditorGoesOnBehindTurn(t *testing.T) {
	t.Parallel()
	_, r := editors(t, newAgent(t, streaming(smallRun)), false)
	var said strings.Builder
	route, err := r.lineRoute("/run")
	if err != nil {
		t.Fatal(err)
	}
	l := r.newLineClient(route, route.first, fasthttp.AcquireRequest(), func(_ string, lines []byte) error {
		said.Write(lines)
		return nil
	})
	l.request.Header.SetMethod(fasthttp.MethodPost)
	l.request.SetRequestURI("/run")
	other := newLineTurn(l, nil, nil, "s", []byte("{}"))
	reads := newLineTurn(l, nil, nil, "s", nil)
	reads.follows, reads.shared = other, true
	l.turns["s"] = reads
	prompt := []byte(`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"next"}]}}`)
	l.receive(prompt)
	if got := said.String(); l.turns["s"] != reads || !strings.Contains(got, "session_busy") {
		t.Fatalf("before the end of the turn: %s", got)
	}
	said.Reset()
	other.ended.Store(true)
	l.receive(prompt)
	next := l.turns["s"]
	if next == reads || said.Len() > 0 {
		t.Fatalf("behind the turn: %s", said.String())
	}
	next.leave()
	if reads.leaving.Failure() == nil {
		t.Error("an editor that leaves goes on to read")
	}
	select {
	case <-next.over:
		t.Error("the turn has not waited for the rest of the other one")
	default:
	}
	reads.end()
	<-next.over
	l.all.Wait()
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

// TestEditorInFullServer: an editor whose turn finds no place for who reads it is refused, and its run and its conversation are free again.
func TestEditorInFullServer(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "limits: {streams: 1}", "", editorRoute))
	e := editorOf(r)
	session := e.begin()
	for range 2 {
		e.holds(e.prompt(session, "words"), `"error"`, "too_many_streams")
		await(t, "the place to be free", func() bool { return r.metric("sabir_streams_open") == 0 })
	}
}

// TestWaitWithoutEditor: a turn waits for answers as long as its route says, and without its editor no longer than a run goes on without one.
func TestWaitWithoutEditor(t *testing.T) {
	t.Parallel()
	r := &route{cfg: &config.Route{Asks: config.Asks{Wait: 3}, Resume: config.Resume{Grace: 2}}}
	turn := newLineTurn(nil, r, nil, "", nil)
	turn.shared = true
	with := turn.longestWait(r)
	turn.leave()
	without := turn.longestWait(r)
	r.cfg.Asks.Wait = 1
	if short := turn.longestWait(r); with != 3 || without != 2 || short != 1 {
		t.Errorf("it waits %d with its editor, %d and %d without", with, without, short)
	}
}
