package proxy

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// TestReaderOfLinesLives: who reads what is sent to an editor gets a sign of life after each pause, and none where signs of life are off.
func TestReaderOfLinesLives(t *testing.T) {
	t.Parallel()
	new(fasthttp.ResponseHeader).AppendBytes(nil) // what fasthttp starts with its first header is not of the bubble
	for beat, want := range map[time.Duration]int{0: 0, 5 * time.Second: 4, 20 * time.Second: 1} {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			x := &lineReader{
				conn: &lineConn{mail: newMailboxes(time.Second)}, sink: &httpSink{conn: &clientConn{Conn: ours, writeTimeout: time.Hour}, header: fields.AcquireHeader()},
				beat: beat, left: make(chan struct{}),
			}
			ended := make(chan error)
			go func() { ended <- x.relay(nil) }()
			p := make([]byte, 1000)
			if n, err := theirs.Read(p); err != nil || !strings.HasPrefix(string(p[:n]), "HTTP/1.1 200 OK") {
				t.Fatalf("it begins with %q, %v", p[:n], err)
			}
			until, beats := time.Now().Add(20500*time.Millisecond), 0
			for _ = theirs.SetReadDeadline(until); ; beats++ {
				n, err := theirs.Read(p)
				if err != nil {
					break
				}
				if string(p[:n]) != "\n\n" {
					t.Errorf("it gets %q", p[:n])
				}
			}
			close(x.left)
			var f *hub.Failure
			if err := <-ended; beats != want || !errors.As(err, &f) || f.Code != hub.CodeClientGone {
				t.Errorf("signs of life each %s: %d, then %v", beat, beats, err)
			}
		})
	}
}

// TestTurnMovesOn: a turn that was cancelled before it had a run cancels that, and who reads one learns of the next one, or that there is none.
func TestTurnMovesOn(t *testing.T) {
	t.Parallel()
	run := func() *sharedRun { return &sharedRun{About: &shared{canceler: new(canceler)}} }
	turn, left := newLineTurn(nil, nil, nil, "", nil), make(chan struct{})
	first, second := run(), run()
	turn.moveTo(first)
	if got := turn.next(nil, left); got != first || first.About.canceler.Failure() != nil {
		t.Errorf("the first run is %p, want %p, cancelled by %v", got, first, first.About.canceler.Failure())
	}
	turn.canceler.cancel(hub.Fail(hub.CodeCancelled, nil))
	turn.moveTo(second)
	if got := turn.next(first, left); got != second || second.About.canceler.Failure() == nil {
		t.Errorf("the second run is %p, want %p, cancelled by %v", got, second, second.About.canceler.Failure())
	}
	close(left)
	if got := turn.next(second, left); got != nil {
		t.Errorf("who leaves waits for %p", got)
	}
	close(turn.over)
	if got := turn.next(second, make(chan struct{})); got != nil {
		t.Errorf("behind the last run there is %p", got)
	}
}

// TestTurnIsLeft: a turn that outlives its client lets it go at once, though it goes on; any other ends with its client.
func TestTurnIsLeft(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{true, false} {
		turn := newLineTurn(nil, nil, nil, "", nil)
		turn.shared = shared
		turn.leave()
		turn.leave()
		left := false
		select {
		case <-turn.left:
			left = true
		default:
		}
		if left != shared || (turn.canceler.Failure() != nil) == shared || turn.leaving.Failure() == nil {
			t.Errorf("it outlives its client: %t; it is left: %t, and cancelled by %v", shared, left, turn.canceler.Failure())
		}
	}
}

// TestWhatOpensNoConnection: a request that neither opens a connection of an editor nor is of one opens none.
func TestWhatOpensNoConnection(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "", "", "methods: [GET, POST]\nclient: acp\nrequests: {mode: translate}"))
	h := r.httpEditor(http.Header{})
	for method, body := range map[string]string{"GET": "", "POST": `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`} {
		if resp, got := h.do(method, "/run", body, ""); resp.Header.Get("Acp-Connection-Id") != "" || len(r.lineConns.all()) != 0 || got == "" {
			t.Errorf("%s: %s: %s", method, resp.Status, got)
		}
	}
}

// brokenConn is a connection with faults.
type brokenConn struct {
	net.Conn
	deadline, write error
}

func (c brokenConn) SetWriteDeadline(time.Time) error { return c.deadline }

func (c brokenConn) Write(p []byte) (int, error) { return len(p) - 1, c.write }

type timeout struct{ error }

func (timeout) Timeout() bool { return true }

// TestClientThatCannotBeWrittenTo: a client that does not read for too long is slow, and one whose connection fails is gone.
func TestClientThatCannotBeWrittenTo(t *testing.T) {
	t.Parallel()
	fault := errors.New("broken")
	for what, c := range map[string]struct {
		conn brokenConn
		n    int
		code hub.Code
	}{
		"no deadline": {brokenConn{deadline: fault}, 0, hub.CodeClientGone},
		"lost":        {brokenConn{write: fault}, 3, hub.CodeClientGone},
		"slow":        {brokenConn{write: &net.OpError{Op: "write", Err: timeout{fault}}}, 3, hub.CodeClientSlow},
	} {
		client := &clientConn{Conn: c.conn, writeTimeout: time.Second}
		var f *hub.Failure
		if n, err := client.Write([]byte("text")); n != c.n || !errors.As(err, &f) || f.Code != c.code {
			t.Errorf("%s: %d bytes, %v", what, n, err)
		}
	}
}
