package proxy

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// framer is a client of HTTP/2 that writes what it wants.
type framer struct {
	*http2.Framer
	net.Conn
	t    testing.TB
	head bytes.Buffer
	enc  *hpack.Encoder
}

func (r *rig) framer() *framer {
	r.t.Helper()
	c, err := net.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	_ = c.SetDeadline(time.Now().Add(2 * testTimeout))
	r.t.Cleanup(func() { c.Close() })
	f := &framer{Framer: http2.NewFramer(c, c), Conn: c, t: r.t}
	f.enc = hpack.NewEncoder(&f.head)
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		r.t.Fatal(err)
	}
	if err := f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil { // streams may send nothing
		r.t.Fatal(err)
	}
	return f
}

// fields are the header of a request, with more fields.
func (f *framer) fields(more ...string) []byte {
	f.head.Reset()
	for _, line := range append([]string{":method=GET", ":scheme=http", ":path=/run", ":authority=proxy.example"}, more...) {
		at := 1 + strings.IndexByte(line[1:], '=')
		_ = f.enc.WriteField(hpack.HeaderField{Name: line[:at], Value: line[at+1:]})
	}
	return f.head.Bytes()
}

// open begins a stream with a header.
func (f *framer) open(id uint32, block []byte) {
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block, EndHeaders: true, EndStream: true})
}

// closing reads until the server closes the connection, and returns why it says that it does.
func (f *framer) closing() (code http2.ErrCode, err error) {
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return code, err
		}
		if away, ok := frame.(*http2.GoAwayFrame); ok {
			code = away.ErrCode
		}
	}
}

// status reads until a stream is answered.
func (f *framer) status(id uint32) string {
	f.t.Helper()
	f.ReadMetaHeaders = hpack.NewDecoder(4<<10, nil)
	defer func() { f.ReadMetaHeaders = nil }()
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			f.t.Fatalf("no answer: %v", err)
		}
		switch h := frame.(type) {
		case *http2.MetaHeadersFrame:
			if h.StreamID == id {
				return h.PseudoValue("status")
			}
		case *http2.RSTStreamFrame:
			if h.StreamID == id {
				return h.ErrCode.String()
			}
		}
	}
}

// holding is a proxy in clear in front of an agent whose runs do not end.
func holding(t *testing.T, top string) *rig {
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart))
		p.awaitGone()
	})
	return start(t, simple(a.url(), top, "", "client: twin\nmethods: [GET, POST]\n"))
}

// TestHTTP2RapidReset: streams that are reset at once leave no runs behind, and too many end the connection.
func TestHTTP2RapidReset(t *testing.T) {
	t.Parallel()
	r := holding(t, "http2: {cleartext: true, streams: 10}\n")
	f := r.framer()
	var frames bytes.Buffer // all at once: the library notices only that they come faster than runs can begin
	all := &framer{Framer: http2.NewFramer(&frames, nil)}
	for id := uint32(1); id < 20_000; id += 2 {
		all.open(id, f.fields())
		_ = all.WriteRSTStream(id, http2.ErrCodeCancel)
	}
	r.mu.Lock() // no run begins: else those that are over may make room as fast as others come
	go func() { _, _ = f.Conn.Write(frames.Bytes()) }()
	code, err := f.closing()
	r.mu.Unlock()
	if code != http2.ErrCodeEnhanceYourCalm {
		t.Errorf("the connection ends with %v, %v", code, err)
	}
	if n := r.metric("sabir_http2_requests_total"); n > 100 { // of 10,000
		t.Errorf("%v requests were served", n)
	}
	await(t, "all to be over", func() bool {
		return r.noStreams() && r.metric("sabir_connections_open", "listener=clients") == 0
	})
	if r.metric("sabir_http2_errors_total") == 0 {
		t.Error("nothing is counted")
	}
}

// TestHTTP2StreamsOfConnection: no more streams are open on a connection than it may have.
func TestHTTP2StreamsOfConnection(t *testing.T) {
	t.Parallel()
	r := holding(t, "http2: {cleartext: true, streams: 3}\n")
	f := r.framer()
	for id := uint32(1); id <= 7; id += 2 {
		f.open(id, f.fields())
	}
	if got := f.status(7); got != "REFUSED_STREAM" && got != "PROTOCOL_ERROR" {
		t.Errorf("the fourth stream: %s", got)
	}
	await(t, "three runs", func() bool { return r.metric("sabir_streams_open") == 3 })
	f.Close()
	await(t, "all to be over", r.noStreams)
}

// TestHTTP2Floods: what costs the server work, and brings nothing, ends the connection.
func TestHTTP2Floods(t *testing.T) {
	t.Parallel()
	r := holding(t, cleartext)
	for name, flood := range map[string]func(f *framer, i int) error{
		"continuations": func(f *framer, i int) error {
			if i == 0 {
				return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.fields()})
			}
			return f.WriteContinuation(1, false, f.fields("x-a="+strings.Repeat("a", 1000)))
		},
		"pings": func(f *framer, _ int) error { return f.WritePing(false, [8]byte{}) },
		"data of no stream": func(f *framer, _ int) error {
			return f.WriteData(99, false, make([]byte, 1000))
		},
	} {
		f := r.framer()
		var batch bytes.Buffer
		f.Framer = http2.NewFramer(&batch, f.Conn)
		ended := false
		for i := 0; i < 4_000_000 && !ended; i++ { // what the server answers is not read
			if err := flood(f, i); err != nil {
				t.Fatal(err)
			}
			if batch.Len() >= 64<<10 {
				_, err := batch.WriteTo(f.Conn)
				ended = err != nil
			}
		}
		if !ended {
			t.Errorf("%s: the connection goes on", name)
		}
		f.Close()
	}
	await(t, "all connections to end", func() bool { return r.metric("sabir_http2_connections_open") == 0 })
}

// TestHTTP2FrameSize: a frame costs no more memory than the least that the protocol allows, whatever its header promises.
func TestHTTP2FrameSize(t *testing.T) {
	t.Parallel()
	f := holding(t, cleartext).framer()
	if err := f.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 16<<10+1)); err != nil {
		t.Fatal(err)
	}
	if code, err := f.closing(); code != http2.ErrCodeFrameSize {
		t.Errorf("the connection ends with %v, %v", code, err)
	}
}

// TestHTTP2Requests that are wrong are refused, and never reach the agent as something else.
func TestHTTP2Requests(t *testing.T) {
	t.Parallel()
	r := holding(t, cleartext+"limits: {header: 4KiB}\n")
	for _, c := range []struct {
		want   string
		fields []string
	}{
		{"PROTOCOL_ERROR", []string{"x-a=b\r\nx-c: d"}},
		{"PROTOCOL_ERROR", []string{"x-a=b\nx-c: d"}},
		{"PROTOCOL_ERROR", []string{"x-a\r\nx-c=d"}},
		{"PROTOCOL_ERROR", []string{"X-A=b"}},
		{"PROTOCOL_ERROR", []string{":path=/other"}},
		{"400", []string{"transfer-encoding=chunked"}},
		{"400", []string{"connection=close"}},
		{"400", []string{"upgrade=websocket"}},
		{"400", []string{"content-length=+5"}},
		{"400", []string{"content-length=0", "content-length=5"}},
		{"400", []string{"content-length=99999999999999999999"}},
		{"400", []string{"host=other.example"}},
		{"400", []string{"host=proxy.example", "host=proxy.example"}},
		{"200", []string{"content-length=0", "host=proxy.example"}},
		{"431", []string{"x-a=" + strings.Repeat("a", 5<<10)}},
		{"200", []string{"content-type=text/plain"}},
	} {
		f := r.framer()
		f.open(1, f.fields(c.fields...))
		if got := f.status(1); got != c.want {
			t.Errorf("%.40q: %s, want %s", c.fields, got, c.want)
		}
		f.Close()
	}
	for _, path := range []string{"/run x", "/run\tx", "run", "/%zz", ""} {
		f := r.framer()
		f.head.Reset()
		for _, h := range [][2]string{{":method", "GET"}, {":scheme", "http"}, {":path", path}, {":authority", "proxy.example"}} {
			_ = f.enc.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
		}
		f.open(1, f.head.Bytes())
		if got := f.status(1); got != "400" && got != "PROTOCOL_ERROR" {
			t.Errorf("the path %q: %s", path, got)
		}
		f.Close()
	}
	await(t, "the streams to end", r.noStreams)
}

// TestHTTP2StalledConnection: a client that reads nothing at all does not keep its streams, or its connection.
func TestHTTP2StalledConnection(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 64<<10)
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart))
		for range 1000 {
			p.chunk(`{"kind":"text.delta","id":"p1","text":"` + text + `"}` + "\n")
		}
	})
	r := start(t, simple(a.url(), cleartext+"timeouts: {write: 300ms}\n", "", "client: twin\nmethods: [GET]\n"))
	f := r.framer()
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 30})
	_ = f.WriteWindowUpdate(0, 1<<30)
	f.open(1, f.fields())
	if end := r.awaitEnds(1); end["ending"] != "client_slow" {
		t.Errorf("the stream ends with %v", end["ending"])
	}
	await(t, "the connection to end", func() bool {
		for range 1000 { // the kernel may have taken the last frame after all: what answers these finds no room in the end, be it megabytes
			_ = f.WritePing(false, [8]byte{})
		}
		return r.metric("sabir_connections_open", "listener=clients") == 0
	})
	if _, err := io.Copy(io.Discard, f.Conn); err != nil && errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
