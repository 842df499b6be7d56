package proxy

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Agent is an agent server of HTTP/2 alone, by TLS if files are given.
func http2Agent(t *testing.T, files *pki, handler http.HandlerFunc) (url string, conns *atomic.Int64) {
	t.Helper()
	conns = new(atomic.Int64)
	srv := httptest.NewUnstartedServer(handler)
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			conns.Add(1)
		}
	}
	if files == nil {
		srv.Config.Protocols.SetUnencryptedHTTP2(true)
		srv.Start()
	} else {
		pair, err := tls.X509KeyPair(files.issue("agent", 9))
		if err != nil {
			t.Fatal(err)
		}
		srv.Config.Protocols.SetHTTP2(true)
		srv.EnableHTTP2 = true
		srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2"}}
		srv.StartTLS()
	}
	t.Cleanup(srv.Close)
	return srv.URL + "/stream?key=1", conns
}

// stepwise answers with lines, each of which leaves at once.
func stepwise(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	for line := range strings.Lines(text) {
		_, _ = io.WriteString(w, line)
		_ = http.NewResponseController(w).Flush()
	}
}

// TestHTTP2Upstream: agents are asked by HTTP/2, by TLS and without, and many runs share a connection.
func TestHTTP2Upstream(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	for name, by := range map[string]*pki{"http": nil, "https": files} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body := strings.Repeat("x", 300_000)
			url, conns := http2Agent(t, by, func(w http.ResponseWriter, r *http.Request) {
				got, err := io.ReadAll(r.Body)
				if r.ProtoMajor != 2 || r.RequestURI != "/stream?key=1&q=%2F" || string(got) != body || err != nil || r.Header.Get("X-Request-Id") != "mine" {
					t.Errorf("the agent gets %s %s, %d bytes, %v, %v", r.Proto, r.RequestURI, len(got), r.Header, err)
				}
				if r.Header.Get("Cookie") != "a=b; c" || len(r.Header["User-Agent"]) != 0 {
					t.Errorf("the agent gets %v", r.Header)
				}
				stepwise(w, smallRun)
			})
			trust := ""
			if by != nil {
				trust = "tls: {ca: " + by.dir + "/clients.pem}\n"
			}
			r := start(t, simple("'"+url+"'", "", "http2: true\n"+trust, "client: twin\nheaders: {allow: [cookie]}\n"))
			for range 5 {
				resp, got := r.post("/run?q=%2F", body, "X-Request-Id: mine", "Cookie: a=b; c")
				if resp.StatusCode != 200 || got != smallRunOut {
					t.Errorf("status %d, %s", resp.StatusCode, got)
				}
			}
			if n := conns.Load(); n != 1 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

// TestHTTP2UpstreamCancel: the run of a client that leaves is reset, and the connection stays for others.
func TestHTTP2UpstreamCancel(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	var once sync.Once
	url, conns := http2Agent(t, nil, func(w http.ResponseWriter, r *http.Request) {
		stepwise(w, lines(lineStart, lineHello))
		if strings.HasSuffix(r.URL.Path, "/silent") {
			<-r.Context().Done()
			once.Do(func() { close(gone) })
			return
		}
		stepwise(w, lines(lineWorld, lineEnd))
	})
	r := start(t, strings.Replace(simple("'"+url+"'", "", "http2: true\n", "client: twin\n"), "/run\n", "/run/*\n", 1))
	c := r.dial()
	c.ask("POST", "/run/silent", "{}")
	c.response()
	c.Close()
	select {
	case <-gone:
	case <-time.After(testTimeout):
		t.Error("the agent does not see that the client has left")
	}
	if _, body := r.post("/run/x", "{}"); body != smallRunOut {
		t.Error(body)
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// TestHTTP2UpstreamEndings: what goes wrong is named as with HTTP/1.1.
func TestHTTP2UpstreamEndings(t *testing.T) {
	t.Parallel()
	url, _ := http2Agent(t, nil, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("X-Request-Id") {
		case "refused":
			http.Error(w, "secret at 10.0.0.1", http.StatusTeapot)
		case "cut":
			stepwise(w, lines(lineStart, lineHello))
			panic(http.ErrAbortHandler)
		case "silent":
			stepwise(w, lines(lineStart))
			<-r.Context().Done()
		case "late":
			<-r.Context().Done()
		}
	})
	for id, want := range map[string]struct {
		timeouts string
		status   int
		ending   string
	}{
		"refused": {"", 400, "upstream_bad_request"}, "cut": {"", 200, "upstream_reset"},
		"silent": {"timeouts: {idle: 1s}\n", 200, "upstream_idle"}, "late": {"timeouts: {first_byte: 300ms}\n", 504, "upstream_timeout"},
	} {
		r := start(t, simple("'"+url+"'", want.timeouts, "http2: true\n", "client: twin\n"))
		resp, body := r.post("/run", "{}", "X-Request-Id: "+id)
		if end := r.awaitEnds(1); resp.StatusCode != want.status || end["ending"] != want.ending {
			t.Errorf("%s: status %d, %v: %s", id, resp.StatusCode, end["ending"], body)
		}
	}
}

// TestHTTP2UpstreamSpeaksNone: a server without HTTP/2 is not asked by HTTP/1.1 in its place.
func TestHTTP2UpstreamSpeaksNone(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is asked") }))
	files := newPKI(t)
	pair, err := tls.X509KeyPair(files.issue("agent", 9))
	if err != nil {
		t.Fatal(err)
	}
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	srv.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
	srv.StartTLS()
	defer srv.Close()
	r := start(t, simple(srv.URL, "", "http2: true\ntls: {ca: "+files.dir+"/clients.pem}\n", "client: twin\n"))
	if resp, body := r.post("/run", "{}"); resp.StatusCode != 502 {
		t.Errorf("status %d, %s", resp.StatusCode, body)
	}
}

// decliningAgent is a server of HTTP/2 that answers the first request of each connection, and all others as decline says.
func decliningAgent(t *testing.T, answers int, decline func(f *http2.Framer, id uint32)) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go serveDeclining(c, answers, decline, asked)
		}
	}()
	return "http://" + ln.Addr().String() + "/stream", asked
}

func serveDeclining(c net.Conn, answers int, decline func(f *http2.Framer, id uint32), asked *atomic.Int64) {
	if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	f := http2.NewFramer(c, c)
	_ = f.WriteSettings()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		h, ok := frame.(*http2.HeadersFrame)
		if !ok {
			continue
		}
		asked.Add(1)
		if answers--; answers < 0 {
			decline(f, h.StreamID)
			continue
		}
		var head strings.Builder
		enc := hpack.NewEncoder(&head)
		_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
		_ = enc.WriteField(hpack.HeaderField{Name: "content-type", Value: "application/x-ndjson"})
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: h.StreamID, BlockFragment: []byte(head.String()), EndHeaders: true})
		_ = f.WriteData(h.StreamID, true, []byte(smallRun))
	}
}

// TestHTTP2UpstreamDeclines: a request that the server has certainly not begun is sent once more on another connection; one that it may
// have begun is not.
func TestHTTP2UpstreamDeclines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		again   bool
		decline func(f *http2.Framer, id uint32)
	}{
		{"refused stream", true, func(f *http2.Framer, id uint32) { _ = f.WriteRSTStream(id, http2.ErrCodeRefusedStream) }},
		{"goaway before it", true, func(f *http2.Framer, id uint32) { _ = f.WriteGoAway(id-2, http2.ErrCodeNo, nil) }},
		{"reset", false, func(f *http2.Framer, id uint32) { _ = f.WriteRSTStream(id, http2.ErrCodeInternal) }},
		{"goaway after it", false, func(f *http2.Framer, id uint32) {
			_ = f.WriteGoAway(id, http2.ErrCodeNo, nil)
			_ = f.WriteRSTStream(id, http2.ErrCodeCancel)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, asked := decliningAgent(t, 1, c.decline)
			r := start(t, simple(url, "", "http2: true\n", "client: twin\n"))
			if resp, body := r.post("/run", "{}"); resp.StatusCode != 200 || body != smallRunOut {
				t.Fatalf("status %d, %s", resp.StatusCode, body)
			}
			resp, body := r.post("/run", "{}")
			if again := resp.StatusCode == 200; again != c.again {
				t.Errorf("status %d, %s", resp.StatusCode, body)
			}
			if n := asked.Load(); n != map[bool]int64{true: 3, false: 2}[c.again] {
				t.Errorf("the server is asked %d times", n)
			}
			if retries := r.metric("sabir_upstream_retries_total"); retries != map[bool]float64{true: 1}[c.again] {
				t.Errorf("%v retries", retries)
			}
		})
	}
}

// TestHTTP2UpstreamFields: fields of one name stay side by side, and the client's User-Agent is the only one.
func TestHTTP2UpstreamFields(t *testing.T) {
	t.Parallel()
	var header http.Header
	url, _ := http2Agent(t, nil, func(w http.ResponseWriter, r *http.Request) {
		header = r.Header
		stepwise(w, smallRun)
	})
	r := start(t, simple("'"+url+"'", "", "http2: true\n", "client: twin\nheaders: {allow: [x-part, user-agent]}\n"))
	if resp, got := r.post("/run", "{}", "X-Part: one", "X-Part: two", "User-Agent: client/1"); resp.StatusCode != 200 {
		t.Fatalf("status %d, %s", resp.StatusCode, got)
	}
	if !slices.Equal(header["X-Part"], []string{"one", "two"}) || !slices.Equal(header["User-Agent"], []string{"client/1"}) {
		t.Errorf("the agent gets %v", header)
	}
}

// TestHTTP2NotChosen: where a server by TLS does not choose HTTP/2, nothing is sent, and the log says which key is wrong.
func TestHTTP2NotChosen(t *testing.T) {
	t.Parallel()
	files := newPKI(t)
	pair, err := tls.X509KeyPair(files.issue("agent", 9))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	got := make(chan string, 1)
	go func() {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		sent, _ := io.ReadAll(conn)
		got <- string(sent)
	}()
	r := start(t, simple("'https://"+ln.Addr().String()+"/'", "", "http2: true\ntls: {ca: "+files.dir+"/clients.pem}\n", "client: twin\n"))
	if resp, body := r.post("/run", "{}"); resp.StatusCode != 502 {
		t.Errorf("status %d %s", resp.StatusCode, body)
	}
	if end := r.awaitEnds(1); !strings.Contains(toString(end["cause"]), "leave out http2") {
		t.Errorf("log %v", end)
	}
	if sent := <-got; sent != "" {
		t.Errorf("the server was sent %q", sent)
	}
}
