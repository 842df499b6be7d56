package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"runtime/pprof"
	"sync"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/bench"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy"
)

// serveRaw copies bytes between each connection and one of its own to the upstream.
func serveRaw(ln net.Listener, s spec) error {
	for {
		conn, err := ln.Accept()
		if err != nil {
			return ignoreClosed(err)
		}
		go tunnel(conn, s.Upstream)
	}
}

func tunnel(client net.Conn, upstream string) {
	defer client.Close()
	server, err := net.Dial("tcp", upstream)
	if err != nil {
		return
	}
	defer server.Close()
	var both sync.WaitGroup
	both.Go(func() { copyBytes(server, client) })
	both.Go(func() { copyBytes(client, server) })
	both.Wait()
}

// copyBytes copies with a buffer of its own: io.Copy would let the kernel splice, and then nothing is looked at.
func copyBytes(dst, src net.Conn) {
	buf := make([]byte, 8<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	src.Close() // wakes the other direction
	dst.Close()
}

// serveReverse is what the standard library has for the task.
func serveReverse(ln net.Listener, s spec) error {
	p := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: s.Upstream})
	p.FlushInterval = -1
	p.Transport = newTransport()
	return ignoreServerClosed(http.Serve(ln, p))
}

func newTransport() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 1 << 10, DisableCompression: true}
}

func ignoreServerClosed(err error) error {
	if err == http.ErrServerClosed {
		return nil
	}
	return ignoreClosed(err)
}

// spliceScript is all that the naive splice knows: how a text is found in a line of the one dialect, and between what
// it is put in the other.
type spliceScript struct {
	Find        string // what stands before the text
	Head        string
	Before, End string
	Tail        string
	Type        string // content type
}

// newSpliceScript makes the script for a pair; ok is false if the splice cannot do it: the
// records are no lines, or the text comes twice.
func newSpliceScript(from, to *bench.Script) (s spliceScript, ok bool) {
	lines := func(f wire.Framing) bool { return f == wire.SSE || f == wire.NDJSON }
	if !lines(from.Dialect.Framing) || !lines(to.Dialect.Framing) || len(from.Deltas) < 2 || len(to.Deltas) < 2 {
		return s, false
	}
	in := from.Deltas[1]
	in = in[:bench.FindMark(in)]
	s.Find = string(in[bytes.LastIndexAny(in, "{,[")+1:])

	first, delta := to.Deltas[0], to.Deltas[1]
	at := bench.FindMark(delta)
	s.Before, s.End = string(delta[:at]), string(delta[at+bench.MarkSize:])
	opening := first[:recordStart(first, to.Dialect.Framing)]
	s.Head, s.Tail = string(to.Head)+string(opening), string(to.Tail)
	s.Type = to.Dialect.Framing.ContentType()
	return s, s.texts(from.Bytes()) == len(from.Deltas)
}

// texts is how many texts the script finds in a stream. Some dialects say the whole text again at its end.
func (s *spliceScript) texts(stream []byte) (n int) {
	for line := range bytes.Lines(stream) {
		if len(s.append(nil, line)) > 0 {
			n++
		}
	}
	return n
}

// recordStart returns where the record with the first mark begins in p.
func recordStart(p []byte, f wire.Framing) int {
	end := "\n"
	if f == wire.SSE {
		end = "\n\n"
	}
	if at := bytes.LastIndex(p[:bench.FindMark(p)], []byte(end)); at >= 0 {
		return at + len(end)
	}
	return 0
}

func serveSplice(ln net.Listener, s spec) error {
	client := &http.Client{Transport: newTransport()}
	return ignoreServerClosed(http.Serve(ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Splice.serve(w, r, client, s.Upstream)
	})))
}

func (s *spliceScript) serve(w http.ResponseWriter, r *http.Request, client *http.Client, upstream string) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://"+upstream+r.URL.RequestURI(), http.NoBody)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.Header().Set("Content-Type", s.Type)
	flush := w.(http.Flusher)
	lines := bufio.NewReaderSize(resp.Body, 32<<10)
	_, _ = io.WriteString(w, s.Head)
	var out []byte
	for {
		line, err := lines.ReadSlice('\n')
		out = s.append(out[:0], line)
		if _, werr := w.Write(out); werr != nil || err != nil {
			break
		}
		if lines.Buffered() == 0 {
			flush.Flush()
		}
	}
	_, _ = io.WriteString(w, s.Tail)
}

// append appends the record that line becomes, if there is a text in it.
func (s *spliceScript) append(dst, line []byte) []byte {
	at := bytes.Index(line, []byte(s.Find))
	if at < 0 {
		return dst
	}
	text := line[at+len(s.Find):]
	end := bytes.IndexByte(text, '"')
	if end <= 0 {
		return dst
	}
	dst = append(dst, s.Before...)
	dst = append(dst, text[:end]...)
	return append(dst, s.End...)
}

// serveSabir is the proxy inside this program, to be profiled and tested.
func serveSabir(ln net.Listener, s spec) error {
	cfg, err := config.Load(s.Config, nil, nil)
	if err != nil {
		return err
	}
	server, err := proxy.New(cfg, zap.NewNop(), "bench")
	if err != nil {
		return err
	}
	if s.Profile != "" {
		f, err := os.Create(s.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return ignoreClosed(server.Serve(context.Background(), ln)) // until ln is closed
}
