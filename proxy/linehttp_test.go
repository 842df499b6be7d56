package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// httpEditor is an editor that speaks by HTTP.
type httpEditor struct {
	*rig
	header http.Header
	by     http.RoundTripper // its own: servers of other tests close what is idle of the default one
}

// httpEditor is one whose requests have that header.
func (r *rig) httpEditor(header http.Header) *httpEditor {
	by := new(http.Transport)
	r.t.Cleanup(by.CloseIdleConnections)
	return &httpEditor{rig: r, header: header, by: by}
}

// dialHTTPEditor opens a connection, with one event stream of its own that the editor reads.
func (r *rig) dialHTTPEditor(path, key string) (*httpEditor, *editor) {
	r.t.Helper()
	h := r.httpEditor(http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/json"}})
	resp, body := h.do("POST", path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`, "")
	id := resp.Header.Get("Acp-Connection-Id")
	if resp.StatusCode != 200 || id == "" || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":0,"result":{`) || strings.Contains(body, "\n") {
		r.t.Fatalf("opened with %s %s %q", resp.Status, resp.Header, body)
	}
	h.header.Set("Acp-Connection-Id", id)
	e := &editor{t: r.t, in: postedLines{h, path}, lines: make(chan string, 100), ended: make(chan error, 4)}
	h.read(path, "", e)
	return h, e
}

// do makes a request and returns the answer with its body.
func (h *httpEditor) do(method, path, body, session string) (*http.Response, string) {
	h.t.Helper()
	resp := h.begin(method, path, body, session)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp, string(text)
}

func (h *httpEditor) begin(method, path, body, session string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequest(method, "http://"+h.addr+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header = h.header.Clone()
	if session != "" {
		req.Header.Set("Acp-Session-Id", session)
	}
	resp, err := h.by.RoundTrip(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return resp
}

// read gives an editor what an event stream says. It returns when the header of the answer is there, before the first event.
func (h *httpEditor) read(path, session string, e *editor) (end func()) {
	h.t.Helper()
	resp := h.begin("GET", path, "", session)
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		h.t.Fatalf("the event stream: %s %s", resp.Status, resp.Header)
	}
	h.t.Cleanup(func() { resp.Body.Close() })
	go func() {
		scanner := bufio.NewScanner(resp.Body)
		for scanner.Scan() {
			if line, ok := strings.CutPrefix(scanner.Text(), "data: "); ok {
				e.lines <- line
			}
		}
		e.ended <- scanner.Err()
	}()
	return func() { resp.Body.Close() }
}

// postedLines posts lines as messages.
type postedLines struct {
	*httpEditor
	path string
}

func (p postedLines) Write(line []byte) (int, error) {
	if resp, body := p.do("POST", p.path, string(bytes.TrimSpace(line)), ""); resp.StatusCode != 202 || body != "" {
		return 0, fmt.Errorf("the message was answered with %s %s", resp.Status, body)
	}
	return len(line), nil
}

func (p postedLines) Close() error {
	if resp, body := p.do("DELETE", p.path, "", ""); resp.StatusCode != 202 || body != "" {
		return fmt.Errorf("the end of the connection was answered with %s %s", resp.Status, body)
	}
	return nil
}

// TestEditorByHTTP: what concerns a conversation comes in its stream, even what was sent before the stream was opened.
func TestEditorByHTTP(t *testing.T) {
	t.Parallel()
	agent, asked := askedAgent(t)
	r := start(t, simple(agent.url(), "", "", "client: acp\nrequests: {mode: translate}")+"threads: {principal: [Authorization]}\n")
	h, e := r.dialHTTPEditor("/run", "a")
	session := e.begin()
	of := &editor{t: t, in: e.in, lines: make(chan string, 100), ended: make(chan error, 4)}
	end := h.read("/run", session, of)
	if resp, _ := h.do("GET", "/run", "", session); resp.StatusCode != 409 || resp.Header.Get("X-Sabir-Error") != "already_read" {
		t.Errorf("a second reader gets %s", resp.Status)
	}
	if resp, _ := h.do("GET", "/run", "", strings.Repeat("x", longestThread+1)); resp.StatusCode != 400 {
		t.Errorf("a name that is too long gets %s", resp.Status)
	}
	of.calls = 10
	of.holds(of.prompt(session, "one"), `"agent_message_chunk"`, "Hello", `"stopReason":"end_turn"`)
	wantMessages(t, (<-asked).body, "user:one")
	end()
	await(t, "the reader has left", func() bool { return h.claimable(session) })
	of.ask(session, "two")
	<-asked
	r.awaitEnds(2)
	h.read("/run", session, of)
	of.holds(of.await("stopReason"), "Hello", `"end_turn"`)

	if resp, _ := h.do("POST", "/run", "garbage", ""); resp.StatusCode != 400 {
		t.Errorf("garbage gets %s", resp.Status)
	}
	other := r.httpEditor(h.header.Clone())
	other.header.Set("Authorization", "Bearer b")
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if resp, _ := other.do(method, "/run", `{"jsonrpc":"2.0","id":1,"method":"session/new"}`, ""); resp.StatusCode != 404 || resp.Header.Get("X-Sabir-Error") != "connection_unknown" {
			t.Errorf("%s of another principal gets %s", method, resp.Status)
		}
	}
	if err := e.in.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := <-of.ended; err != nil && !strings.Contains(err.Error(), "closed") {
			t.Errorf("the event stream ends with %v", err)
		}
	}
	if resp, _ := h.do("POST", "/run", "{}", ""); resp.StatusCode != 404 {
		t.Errorf("a connection that was ended: %s", resp.Status)
	}
}

// claimable reports whether a session has no reader.
func (h *httpEditor) claimable(session string) bool {
	c := h.lineConns.all()[0]
	if !c.mail.claim(session) {
		return false
	}
	c.mail.release(session)
	return true
}

// TestEditorByHTTPLeaves: the end of a connection ends its turns.
func TestEditorByHTTPLeaves(t *testing.T) {
	t.Parallel()
	r := start(t, agentConfig(t, "acp", t.TempDir(), "", ""))
	h, e := r.dialHTTPEditor("/run", "a")
	session := e.begin()
	h.read("/run", session, e)
	e.ask(session, "slow")
	e.await("waiting")
	e.in.Close()
	if end := r.awaitEnds(1); end["ending"] != "client_gone" {
		t.Errorf("log %v", end)
	}
	if left := r.lineConns.all(); len(left) > 0 {
		t.Errorf("%d connections are left", len(left))
	}
}

// TestEditorByHTTPInDrain: what is said in a turn that runs still reaches its reader.
func TestEditorByHTTPInDrain(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	r := start(t, simple(slowAgent(t, release).url(), "", "", "client: acp\nrequests: {mode: translate}"))
	h, e := r.dialHTTPEditor("/run", "a")
	session := e.begin()
	h.read("/run", session, e)
	e.ask(session, "x")
	e.await("Hello")
	ended := make(chan struct{})
	go func() {
		r.close()
		close(ended)
	}()
	await(t, "the server drains", func() bool { return !r.Ready() })
	close(release)
	e.holds(e.await("stopReason"), `"end_turn"`)
	<-ended
}

// TestMailboxes: what waits is bounded, nothing is lost, and writers that wait for room learn in time that there will be none.
func TestMailboxes(t *testing.T) {
	m := newMailboxes(50 * time.Millisecond)
	large := bytes.Repeat([]byte("x"), maxMail)
	for _, lines := range [][]byte{[]byte("a\n"), []byte("b\n")} {
		if err := m.put("s", lines); err != nil {
			t.Fatal(err)
		}
	}
	if f := asFailure(m.put("t", large)); f.Code != "client_slow" {
		t.Errorf("no room: %v", f)
	}
	if lines, _ := m.take("s"); string(lines) != "a\nb\n" {
		t.Errorf("taken: %q", lines)
	}
	if err := m.put("t", large); err != nil {
		t.Errorf("a piece alone may be larger: %v", err)
	}
	put := make(chan error)
	m.timeout = time.Minute
	go func() { put <- m.put("s", []byte("c\n")) }()
	if lines, _ := m.take("t"); len(lines) != maxMail {
		t.Errorf("taken: %d bytes", len(lines))
	}
	if err := <-put; err != nil {
		t.Error(err)
	}
	if !m.claim("s") || m.claim("s") {
		t.Error("one reader, and no other")
	}
	m.release("s")
	if lines, _ := m.take("s"); string(lines) != "c\n" {
		t.Errorf("what waited was lost: %q", lines)
	}
	if m.size != 0 || len(m.boxes) != 0 {
		t.Errorf("left are %d bytes in %d boxes", m.size, len(m.boxes))
	}
	_, changed := m.take("s")
	m.close()
	<-changed
	if lines, changed := m.take("s"); lines != nil || changed != nil {
		t.Error("nothing can come any more")
	}
	if f := asFailure(m.put("s", []byte("d\n"))); f.Code != "client_gone" {
		t.Errorf("closed: %v", f)
	}
}
