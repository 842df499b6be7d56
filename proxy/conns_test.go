package proxy

import (
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/hangup"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

// shortListener is short of files at times.
type shortListener struct {
	net.Listener
	fails atomic.Int32
}

func (l *shortListener) Accept() (net.Conn, error) {
	if l.fails.Add(-1) >= 0 {
		return nil, &net.OpError{Op: "accept", Err: syscall.EMFILE}
	}
	return l.Listener.Accept()
}

// TestShortageOfFiles ends neither the server nor its wish to end.
func TestShortageOfFiles(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	short := &shortListener{Listener: ln}
	short.fails.Store(2)
	closed := make(chan struct{})
	m := newMetrics("test")
	l := &inbound.Listener{Listener: short, Limit: func() int { return 0 }, Closed: closed, Log: zap.NewNop(), Metrics: m.listener(inbound.ListenerClients)}
	go func() {
		if c, err := net.Dial("tcp", ln.Addr().String()); err == nil {
			c.Close()
		}
	}()
	c, err := l.Accept()
	if err != nil {
		t.Fatalf("after a shortage: %v", err)
	}
	if n := (&rig{t: t, Server: &Server{metrics: m}}).metric("sabir_accept_errors_total", "listener=clients"); n != 2 {
		t.Errorf("%v failures are counted, want 2", n)
	}
	c.Close()
	short.fails.Store(1 << 30)
	close(closed)
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed in a shortage: %v", err)
	}
	short.fails.Store(0)
	ln.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// tcpPair is a connection and its other end.
func tcpPair(t testing.TB) (one, other *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	o, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); o.Close() })
	return c.(*net.TCPConn), o.(*net.TCPConn)
}

// TestWatcher notices the peer that leaves, once, and no other.
func TestWatcher(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return
	}
	w, err := hangup.New()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	watch := func(p *hangup.Peer, c net.Conn) (gone chan struct{}) {
		gone = make(chan struct{}, 10)
		p.Watch(w, c, func() { gone <- struct{}{} })
		return gone
	}
	mine, peer := tcpPair(t)
	var client, otherClient, unwatched hangup.Peer
	forgotten := watch(&client, mine)
	client.Forget()
	client.Forget()
	gone := watch(&client, mine)
	other, _ := tcpPair(t)
	otherGone := watch(&otherClient, other)
	defer otherClient.Drop()
	if _, err := peer.Write([]byte("bytes that are not read")); err != nil {
		t.Fatal(err)
	}
	_ = peer.CloseWrite()
	<-gone
	// The connection lives, and is watched anew, as by the next request that was pipelined.
	client.Forget()
	again := watch(&client, mine)
	<-again
	client.Forget()
	client.Drop()
	if len(forgotten)+len(gone)+len(again)+len(otherGone) != 0 {
		t.Error("more was noticed than happened")
	}
	// What cannot be watched is not.
	pipe, _ := net.Pipe()
	watch(&unwatched, pipe)
	unwatched.Drop()
	closed, _ := tcpPair(t)
	closed.Close()
	watch(&unwatched, closed)
	unwatched.Drop()
}

// TestWatcherLeftBetween: a peer that leaves while there is no watch is noticed by who asks next, as a request that was sent together with
// the end of the connection.
func TestWatcherLeftBetween(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return
	}
	w, err := hangup.New()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	mine, peer := tcpPair(t)
	var client hangup.Peer
	client.Watch(w, mine, func() { t.Error("noticed though it was forgotten") })
	client.Forget()
	_ = peer.CloseWrite()
	gone := make(chan struct{}, 10)
	time.Sleep(10 * time.Millisecond) // the event is one of the time between, mostly; the result is the same
	client.Watch(w, mine, func() { gone <- struct{}{} })
	<-gone
	client.Drop()
	client.Drop()
}

// TestWatcherWithReusedFiles watches many connections whose file descriptors are used again at once.
func TestWatcherWithReusedFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		return
	}
	w, err := hangup.New()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 200 {
				mine, peer := tcpPair(t)
				gone := make(chan struct{}, 10)
				var client hangup.Peer
				client.Watch(w, mine, func() { gone <- struct{}{} })
				switch i % 3 {
				case 0: // the peer leaves
					peer.Close()
					<-gone
					client.Forget()
				case 1: // the stream ends first
					client.Forget()
					peer.Close()
				case 2: // nothing is forgotten
				}
				client.Drop()
				mine.Close()
				peer.Close()
				if len(gone) > 0 && i%3 == 1 {
					t.Error("a connection that was forgotten was noticed")
				}
			}
		})
	}
	all.Wait()
	w.Close()
	mine, _ := tcpPair(t)
	var client hangup.Peer
	client.Watch(w, mine, func() { t.Error("watched by a closed watcher") })
	client.Drop()
}

// TestCanceler calls what makes the stream stop once, also if that is known later than the stop.
func TestCanceler(t *testing.T) {
	t.Parallel()
	var calls []string
	st := &canceler{limitWrite: func(f *hub.Failure) { calls = append(calls, "hurry "+string(f.Code)) }}
	st.OnCancel(func() { calls = append(calls, "old") })
	st.OnCancel(func() { calls = append(calls, "cancel") })
	st.cancel(hub.Fail(hub.CodeClientGone, nil))
	st.cancel(hub.Fail(hub.CodeShutdown, nil))
	st.OnCancel(nil)
	st.OnCancel(func() { calls = append(calls, "late") })
	if got := strings.Join(calls, ", "); got != "cancel, hurry client_gone, late" || st.Failure().Code != hub.CodeClientGone {
		t.Errorf("%s, %v", got, st.Failure())
	}
}

// TestCancelerReadsOn: a read is woken where its upstream is to be read on, and ended everywhere else.
func TestCancelerReadsOn(t *testing.T) {
	t.Parallel()
	f := func(want string, wanted func(*hub.Failure) bool, late, unset bool) {
		t.Helper()
		var got string
		st := new(canceler)
		st.readOn(wanted)
		st.OnCancel(func() { got += "end " })
		if late {
			st.cancel(hub.Fail(hub.CodeClientGone, nil))
		}
		st.OnWake(func() { got += "wake " })
		if unset {
			st.OnCancel(func() { got += "other " })
		}
		st.cancel(hub.Fail(hub.CodeClientGone, nil))
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	gone := func(f *hub.Failure) bool { return f.Code == hub.CodeClientGone }
	f("wake ", gone, false, false)
	f("end wake ", gone, true, false)
	f("other ", gone, false, true)
	f("end ", func(f *hub.Failure) bool { return !gone(f) }, false, false)
	f("end ", nil, false, false)
}

// TestClientConn gives a client its time for each write, and last words after a stop.
func TestClientConn(t *testing.T) {
	t.Parallel()
	code := func(err error) hub.Code { return asFailure(err).Code }
	mine, _ := tcpPair(t)
	c := &clientConn{Conn: mine, writeTimeout: 100 * time.Millisecond}
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	_, err := c.Write(make([]byte, 64<<20))
	if code(err) != hub.CodeClientSlow {
		t.Errorf("a client that does not read: %v", err)
	}

	mine, peer := tcpPair(t)
	c = &clientConn{Conn: mine, writeTimeout: time.Hour}
	done := make(chan error, 1)
	go func() {
		_, err := c.Write(make([]byte, 64<<20))
		done <- err
	}()
	if _, err := io.ReadFull(peer, make([]byte, 1)); err != nil { // so that it has begun
		t.Fatal(err)
	}
	c.limitWrite(hub.Fail(hub.CodeClientGone, nil))
	if err := <-done; code(err) != hub.CodeClientSlow {
		t.Errorf("a blocked write to a client that has left: %v", err)
	}

	mine, peer = tcpPair(t)
	c = &clientConn{Conn: mine, writeTimeout: time.Hour}
	c.limitWrite(hub.Fail(hub.CodeShutdown, nil))
	if _, err := c.Write([]byte("last words")); err != nil {
		t.Errorf("last words: %v", err)
	}
	if _, err := c.Write(make([]byte, 64<<20)); code(err) != hub.CodeClientSlow {
		t.Errorf("many last words: %v", err)
	}
	peer.Close()
	mine.Close()
	if _, err := c.Write([]byte("x")); code(err) != hub.CodeClientGone {
		t.Errorf("a closed connection: %v", err)
	}
}

// TestLastWordsOfSession reach a client that has said goodbye, although its leaving has stopped the stream.
func TestLastWordsOfSession(t *testing.T) {
	t.Parallel()
	mine, peer := tcpPair(t)
	x := &session{client: &clientConn{Conn: mine, writeTimeout: time.Hour}}
	x.client.limitWrite(hub.Fail(hub.CodeClientGone, nil))
	x.writeClose(1000, "bye")
	x.writeClose(1001, "twice")
	mine.Close()
	if got, err := io.ReadAll(peer); err != nil || string(got) != "\x88\x05\x03\xe8bye" {
		t.Errorf("got %q, %v", got, err)
	}
}
