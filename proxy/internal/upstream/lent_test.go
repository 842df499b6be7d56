package upstream

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// stopper is a stream that can be canceled.
type stopper struct {
	cancel, wake func()
	begins       func() // called before a request leaves; nil: nothing is
}

func (s *stopper) OnCancel(cancel func()) { s.cancel = cancel }
func (s *stopper) Failure() *hub.Failure  { return nil }
func (s *stopper) OnWake(wake func()) {
	if s.wake = wake; s.begins != nil {
		s.begins()
	}
}

// TestConnectionGivenBack: a stream that is canceled when its answer is over ends nothing that another one asks for on the connection.
func TestConnectionGivenBack(t *testing.T) {
	t.Parallel()
	var conns atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) }))
	server.Config.ConnState = func(_ net.Conn, to http.ConnState) {
		if to == http.StateNew {
			conns.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	at, _ := url.Parse(server.URL)
	u := &Upstream{Cfg: &config.Upstream{}, MaxHeader: commonHeader, Dialer: new(net.Dialer), retries: prometheus.NewCounter(prometheus.CounterOpts{})}
	u.Cfg.Timeouts.Connect, u.Cfg.Timeouts.FirstByte, u.Cfg.Timeouts.IdleConnection = time.Minute, time.Minute, time.Minute
	i := &Instance{Upstream: u, network: "tcp", Addr: at.Host}
	defer i.retire()
	ask := func(by *stopper) {
		t.Helper()
		req := fasthttp.AcquireRequest()
		defer fasthttp.ReleaseRequest(req)
		req.SetRequestURI(server.URL)
		until := time.Now().Add(time.Minute)
		body, err := i.Open(req, by, until)
		if err != nil {
			t.Fatal(err)
		}
		if all, err := body.ReadAll(10, until); string(all) != "{}" {
			t.Fatalf("%q, %v", all, err)
		}
	}
	var first stopper
	ask(&first)
	ask(&stopper{begins: func() { first.wake() }})
	ask(&stopper{begins: func() { first.cancel() }})
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}
