package proxy

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/proxy/internal/fields"
)

// testHTTP2 makes the tests that it is set for reach the proxy by HTTP/2: what they send goes through a bridge from HTTP/1.1, which has
// one connection to the proxy.
const testHTTP2 = "SABIR_TEST_HTTP2"

// bridge lets r be reached by HTTP/2, where that is asked for.
func (r *rig) bridge() {
	if os.Getenv(testHTTP2) == "" {
		return
	}
	transport := http2Client(r.t, nil).Transport.(*http.Transport)
	transport.DisableCompression = true
	srv := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport, FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "http", r.addr, p.In.Host
			p.Out.URL.RawQuery = p.In.URL.RawQuery // as it came, also where it cannot be parsed
			for name, values := range p.In.Header {
				if _, has := p.Out.Header[name]; !has && !fields.HopByHop[name] && name != "Connection" && name != "Te" && name != "Upgrade" {
					p.Out.Header[name] = values // those about who has forwarded it, too
				}
			}
			if p.In.Header.Get("User-Agent") == "" {
				p.Out.Header["User-Agent"] = nil
			}
		},
	})
	r.bridged = srv.Listener.Addr().String()
	r.t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		transport.CloseIdleConnections()
	})
}

// overHTTP2 are the tests that run again by HTTP/2: streams of every dialect to clients of the others, ends, limits, guards and runs that
// outlive connections.
const overHTTP2 = "^Test(Fixtures|SmallRun|Endings|Resume|Join|Principals|Keys|Preflight|CORS|Refused|Redact|Pass|Threads|Early|Slow|StartHitsBug)"

// TestBridged runs a good part of the other tests by HTTP/2.
func TestBridged(t *testing.T) {
	if os.Getenv(testHTTP2) != "" || os.Getenv(testReplicas) != "" || testing.Short() {
		return
	}
	args := []string{"-test.run", overHTTP2, "-test.count", "1"}
	if until, limited := t.Deadline(); limited {
		args = append(args, "-test.timeout", (time.Until(until) * 9 / 10).String())
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), testHTTP2+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
