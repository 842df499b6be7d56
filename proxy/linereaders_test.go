package proxy

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// TestEditorByHTTPReaders: who reads what is sent to an editor is a stream as others are, and gets signs of life.
func TestEditorByHTTPReaders(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "limits: {streams: 2}\n", "", "client: acp\nrequests: {mode: translate}\ntimeouts: {keepalive: 20ms}"))
	h, _ := r.dialHTTPEditor("/run", "a")
	second := r.dial()
	second.ask("GET", "/run", "", "Authorization: Bearer a", "Acp-Connection-Id: "+h.header.Get("Acp-Connection-Id"), "Acp-Session-Id: c1")
	resp := second.response()
	for events, beats := bufio.NewReader(resp.Body), 0; beats < 2; beats++ { // the first one opens the answer
		if got := line(t, events); resp.StatusCode != 200 || got != "" {
			t.Errorf("the second reader gets %s %q", resp.Status, got)
		}
	}
	third := r.dial()
	third.ask("GET", "/run", "", "Authorization: Bearer a", "Acp-Connection-Id: "+h.header.Get("Acp-Connection-Id"), "Acp-Session-Id: c2")
	_ = third.SetReadDeadline(time.Now().Add(testTimeout))
	if all, err := io.ReadAll(third.br); err != nil || strings.Count(string(all), "HTTP/1.1 ") != 1 {
		t.Errorf("behind its refusal a reader gets %v, %s", err, all)
	}
	resp, body := h.do("GET", "/run", "", "c2")
	if resp.StatusCode != 503 || resp.Header.Get("X-Sabir-Error") != "too_many_streams" {
		t.Errorf("one reader too many gets %s: %s", resp.Status, body)
	}
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_streams"); n != 2 {
		t.Errorf("%v readers were refused", n)
	}
	second.reset()
	await(t, "the place to be free", func() bool {
		again := h.begin("GET", "/run", "", "c1")
		defer again.Body.Close()
		return again.StatusCode == 200
	})
}

// TestEditorByHTTPIsTooSlow: the connection of an editor that does not read what is sent to it ends: nothing would reach it any more, and each further
// message would be accepted, and its turn asked for, in vain.
func TestEditorByHTTPIsTooSlow(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "acp", t.TempDir(), "", "")+"timeouts: {write: 200ms}\n")
	h, e := r.dialHTTPEditor("/run", "alice")
	session := e.begin()
	e.ask(session, "flood") // more than waits for a reader
	await(t, "the connection to end", func() bool {
		resp, _ := h.do("POST", "/run", `{"jsonrpc":"2.0","method":"$/other"}`, "")
		return resp.StatusCode == http.StatusNotFound && resp.Header.Get("X-Sabir-Error") == "connection_unknown"
	})
	select {
	case err := <-e.ended:
		if err != nil {
			t.Errorf("its reader ends with %v", err)
		}
	case <-time.After(testTimeout):
		t.Error("its reader does not end")
	}
	if end := r.awaitEnds(1); end["ending"] != "client_gone" || end["cause"] != "client_slow" {
		t.Errorf("%v", end)
	}
}

// TestSessionOfAnotherName: a WebSocket whose key has another principal's name since the configuration has changed is refused: what it has
// begun belongs to the one before.
func TestSessionOfAnotherName(t *testing.T) {
	t.Parallel()
	text := guarded(newAgent(t, streaming(smallRun)).url(), "/run twin")
	r := start(t, text)
	conn, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", http.Header{"X-Api-Key": {aliceKey}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	t.Cleanup(func() { conn.Close() })
	if err := r.Reload(parse(t, strings.Replace(text, "name: alice", "name: carol", 1))); err != nil {
		t.Fatal(err)
	}
	if err := conn.WriteMessage(websocket.TextMessage, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if _, got, _ := conn.ReadMessage(); !strings.Contains(string(got), "unauthenticated") {
		t.Errorf("it gets %s", got)
	}
}
