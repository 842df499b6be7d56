package proxy

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// wsAgent is an upstream that is called by WebSocket.
type wsAgent struct {
	t   testing.TB
	ln  net.Listener
	srv http.Server
	all sync.WaitGroup
}

// newWSAgent runs script for each connection; the connection is closed after it.
func newWSAgent(t testing.TB, script func(*websocket.Conn, *http.Request)) *wsAgent {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a := &wsAgent{t: t, ln: ln}
	up := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	a.srv.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		conn, err := up.Upgrade(w, req, nil)
		if err != nil {
			return
		}
		a.all.Add(1)
		defer a.all.Done()
		defer conn.Close()
		script(conn, req)
	})
	a.all.Go(func() { _ = a.srv.Serve(ln) })
	t.Cleanup(func() {
		a.srv.Close()
		a.all.Wait()
	})
	return a
}

func (a *wsAgent) url() string { return "ws://" + a.ln.Addr().String() + "/stream" }

// messages sends texts as messages and then closes in good order.
func messages(texts ...string) func(*websocket.Conn, *http.Request) {
	return func(c *websocket.Conn, _ *http.Request) {
		for _, s := range texts {
			if c.WriteMessage(websocket.TextMessage, []byte(s)) != nil {
				return
			}
		}
		goodbye(c, websocket.CloseNormalClosure)
	}
}

// goodbye closes a connection as the protocol wishes.
func goodbye(c *websocket.Conn, code int) {
	_ = c.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(testTimeout))
	listen(c)
}

// listen reads until the connection ends.
func listen(c *websocket.Conn) {
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
	}
}

// wsClient is a client that comes by WebSocket.
type wsClient struct {
	*websocket.Conn
	t testing.TB
}

func (r *rig) dialWS(path string, header ...string) *wsClient {
	r.t.Helper()
	h := http.Header{}
	for _, l := range header {
		name, value, _ := strings.Cut(l, ": ")
		h.Add(name, value)
	}
	conn, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+path, h)
	if err != nil {
		status := 0
		if resp != nil {
			status = resp.StatusCode
		}
		r.t.Fatalf("handshake: %v, status %d", err, status)
	}
	_ = conn.SetReadDeadline(time.Now().Add(2 * testTimeout))
	r.t.Cleanup(func() { conn.Close() })
	return &wsClient{Conn: conn, t: r.t}
}

// say sends a message.
func (c *wsClient) say(s string) {
	c.t.Helper()
	if err := c.WriteMessage(websocket.TextMessage, []byte(s)); err != nil {
		c.t.Fatal(err)
	}
}

// hear reads a message.
func (c *wsClient) hear() string {
	c.t.Helper()
	_, p, err := c.ReadMessage()
	if err != nil {
		c.t.Fatalf("no message: %v", err)
	}
	return string(p)
}

// run reads messages up to and with the end of the run.
func (c *wsClient) run() []string {
	c.t.Helper()
	var all []string
	for {
		all = append(all, c.hear())
		if strings.Contains(all[len(all)-1], `"kind":"run.end"`) {
			return all
		}
	}
}

// code reads on to the end of the connection and returns its close code; 0 if it was just cut.
func (c *wsClient) code() int {
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			if ce, ok := err.(*websocket.CloseError); ok && ce.Code != websocket.CloseAbnormalClosure {
				return ce.Code
			}
			return 0
		}
	}
}

// TestEndlessMessage: a message of an upstream that does not end is given up at the limit of records, not kept until it
// ends.
func TestEndlessMessage(t *testing.T) {
	t.Parallel()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
		head := byte(websocket.TextMessage) // and continuations; the bit that ends the message is never set
		for range 64 {
			if _, err := c.NetConn().Write(append([]byte{head, 100}, strings.Repeat("x", 100)...)); err != nil {
				return
			}
			head = 0
		}
		listen(c)
	})
	r := start(t, simple(a.url(), "limits: {record: 1KB}", "timeouts: {idle: 3s}\n", "client: twin\n"))
	if got := r.demand("/run"); !strings.Contains(got.body, "upstream_malformed") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestWebSocketWithoutPings: a session without signs of life works.
func TestWebSocketWithoutPings(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "timeouts: {keepalive: 0s}\n", "", "client: twin\n"))
	c := r.dialWS("/run")
	for range 2 {
		c.say("{}")
		if all := c.run(); len(all) < 3 {
			t.Errorf("the run is %v", all)
		}
	}
}

// TestCharacterInTwoFrames: a message may be cut anywhere, and is looked at whole.
func TestCharacterInTwoFrames(t *testing.T) {
	t.Parallel()
	a := newWSAgent(t, func(c *websocket.Conn, _ *http.Request) {
		if _, _, err := c.ReadMessage(); err != nil {
			return
		}
		text := strings.Replace(lineHello, "Hello", "Grüße", 1)
		at := strings.Index(text, "ü") + 1
		frames := frame(fin|opText, false, lineStart) + frame(opText, false, text[:at]) + frame(fin|opMore, false, text[at:]) + frame(fin|opText, false, lineEnd)
		if _, err := c.NetConn().Write([]byte(frames)); err != nil {
			return
		}
		listen(c)
	})
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 || !strings.Contains(body, "Grüße") || strings.Contains(body, "malformed") {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
}
