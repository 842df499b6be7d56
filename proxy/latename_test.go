package proxy

import (
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/rawio"
)

// piecesSource is a source of one piece again and again.
type piecesSource struct {
	piece string
	read  int
	end   error
}

func (s *piecesSource) Close() {}
func (s *piecesSource) ReadInto(b *rawio.Buffer, _ time.Time) error {
	if s.read += len(s.piece); s.end != nil {
		return s.end
	}
	b.Fill([]byte(s.piece))
	return nil
}

// TestNamesAfterManyBytes: the name of a run is looked for in so many bytes, whether they are records or the part of one.
func TestNamesAfterManyBytes(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{": nothing\n\n", "data: {}\n\n", strings.Repeat("x", 1000)} {
		src := &piecesSource{piece: piece}
		l := &lateAnswer{src: src}
		err := l.search(runNames(t), time.Now().Add(testTimeout))
		if !errors.Is(err, errUnnamed) || src.read < maxNamingBytes || src.read > maxNamingBytes+2*len(piece) {
			t.Errorf("%.20q: %v after %d bytes", piece, err, src.read)
		}
	}
	for end, want := range map[error]error{io.EOF: nil, rawio.ErrWake: errUnnamed, io.ErrNoProgress: io.ErrNoProgress} {
		l := &lateAnswer{src: &piecesSource{end: end}}
		if err := l.search(runNames(t), time.Now()); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("an answer that ends with %v: %v", end, err)
		}
	}
}

// TestManyUnnamedRuns: only so many answers are read on at the same time.
func TestManyUnnamedRuns(t *testing.T) {
	t.Parallel()
	s := new(Server)
	how := &cancelRequest{find: func(*lateAnswer, time.Time) (*hub.SessionCall, error) { return new(hub.SessionCall), nil }}
	s.unnamed.Store(maxUnnamed - 1)
	if _, err := s.find(how, new(lateAnswer), time.Time{}); err != nil {
		t.Error(err)
	}
	s.unnamed.Add(1)
	if _, err := s.find(how, new(lateAnswer), time.Time{}); !errors.Is(err, errUnnamed) || s.unnamed.Load() != maxUnnamed {
		t.Errorf("one too many: %v, %d are counted", err, s.unnamed.Load())
	}
}

// runNames looks for the names of A2A tasks.
func runNames(t *testing.T) *engine.RunName {
	t.Helper()
	d, err := adapters.Lookup("a2a")
	if err != nil {
		t.Fatal(err)
	}
	o, _ := d.ParseOptions(nil)
	return engine.NewRunName(engine.Config{From: d, FromOptions: o})
}

// TestCompressedAnswerIsReadOn: a stream that is cancelled between the header of a compressed answer and its body leaves the body to be read on.
func TestCompressedAnswerIsReadOn(t *testing.T) {
	t.Parallel()
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, a2aWorking)
	_ = z.Close()
	begin := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
		<-begin
		p.send(packed.String())
	})
	r := start(t, a2aRoute(a.url(), "", aguiToA2A))
	req := fasthttp.AcquireRequest()
	defer fasthttp.ReleaseRequest(req)
	req.SetRequestURI(a.url())
	x := &stream{canceler: new(canceler)}
	x.canceler.readOn(func(*hub.Failure) bool { return true })
	body, err := r.table.Load().upstreams["agent"].Instances[0].Open(req, x.canceler, time.Now().Add(testTimeout))
	if err != nil {
		t.Fatal(err)
	}
	x.canceler.cancel(hub.Fail(hub.CodeClientGone, nil))
	src, err := x.decompressed(body)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var got rawio.Buffer
	defer got.Release()
	if err := src.ReadInto(&got, time.Now().Add(testTimeout)); err != rawio.ErrWake {
		t.Fatalf("the stream reads %q, %v", got.Unread(), err)
	}
	close(begin)
	if err := readWhole(src, &got, 1<<10, time.Now().Add(testTimeout)); err != nil || string(got.Unread()) != a2aWorking {
		t.Errorf("behind its end comes %q, %v", got.Unread(), err)
	}
}
