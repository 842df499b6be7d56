package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// TestKeepFor: a connection is given up a second before the server gives it up, or in half of a short time.
func TestKeepFor(t *testing.T) {
	t.Parallel()
	u := &Instance{Upstream: &Upstream{Cfg: &config.Upstream{}}}
	u.Upstream.Cfg.Timeouts.IdleConnection = 10 * time.Second
	for said, want := range map[time.Duration]time.Duration{
		0: 10 * time.Second, -1: 10 * time.Second, 1: 0, time.Second: 500 * time.Millisecond, 2 * time.Second: time.Second,
		5 * time.Second: 4 * time.Second, 11 * time.Second: 10 * time.Second, time.Hour: 10 * time.Second,
	} {
		if got := u.keepFor(said); got != want {
			t.Errorf("said %v: kept for %v, want %v", said, got, want)
		}
	}
}

// TestStale: a request is sent again if the connection was lost before the server's program can have had it.
func TestStale(t *testing.T) {
	t.Parallel()
	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	f := func(c *upstreamConn, err error, after time.Duration, want bool) {
		t.Helper()
		if got := c.stale(err, after); got != want {
			t.Errorf("%v after %v, sent %t, answered %t: got %t", err, after, c.sent, c.answered, got)
		}
	}
	const soon, late = time.Second - 1, time.Second
	for _, lost := range []error{reset, syscall.ECONNRESET, syscall.EPIPE, fmt.Errorf("x: %w", reset)} {
		f(&upstreamConn{sent: true}, lost, soon, true)
		f(&upstreamConn{sent: true}, lost, late, false)
		f(&upstreamConn{sent: true, answered: true}, lost, soon, false)
	}
	f(&upstreamConn{sent: true, readErr: reset}, io.EOF, soon, true)
	for _, ended := range []error{io.EOF, io.ErrUnexpectedEOF} {
		f(&upstreamConn{sent: true, readErr: ended}, ended, soon, false)
		f(&upstreamConn{}, ended, late, true)
	}
	f(&upstreamConn{}, reset, late, true)
	f(&upstreamConn{}, os.ErrDeadlineExceeded, soon, false)
	f(&upstreamConn{}, errors.New("no HTTP"), soon, false)
}

// TestFailuresOfUpstreams: the messages for clients and for the log, which must not repeat what a server has sent.
func TestFailuresOfUpstreams(t *testing.T) {
	t.Parallel()
	f := func(got *hub.Failure, code hub.Code, log string) {
		t.Helper()
		if got.Code != code || got.Cause.Error() != log {
			t.Errorf("got %s, %v, want %s, %s", got.Code, got.Cause, code, log)
		}
	}
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	f(DialFailure(refused), hub.CodeRefused, refused.Error())
	f(DialFailure(context.DeadlineExceeded), hub.CodeTimeout, context.DeadlineExceeded.Error())
	f(DialFailure(errors.New("no such host")), hub.CodeUnreachable, "no such host")

	reset := &net.OpError{Op: "read", Err: syscall.ECONNRESET}
	f(AnswerFailure(fmt.Errorf("while reading secret: %w", reset)), hub.CodeReset, reset.Error())
	f(AnswerFailure(fmt.Errorf("while reading secret: %w", io.ErrUnexpectedEOF)), hub.CodeReset, "unexpected EOF")
	f(AnswerFailure(fmt.Errorf("while reading secret: %w", io.EOF)), hub.CodeReset, "EOF")
	f(AnswerFailure(fmt.Errorf("while reading secret: %w", syscall.EPIPE)), hub.CodeReset, syscall.EPIPE.Error())
	f(AnswerFailure(fmt.Errorf("while reading secret: %w", os.ErrDeadlineExceeded)), hub.CodeTimeout, "timeout")
	f(AnswerFailure(errors.New("cannot read secret")), hub.CodeMalformed, "the answer is no HTTP: its header cannot be read")
	f(AnswerFailure(&fasthttp.ErrSmallBuffer{}), hub.CodeMalformed, "the header of the answer is larger than limits.header")
	f(AnswerFailure(errInterim), hub.CodeMalformed, "the agent sent more than 16 interim responses (1xx), and no answer behind them")
	own := hub.Fail(hub.CodeShutdown, io.EOF)
	f(AnswerFailure(own), hub.CodeShutdown, "EOF")
}

// TestCredentialsOfTheConfiguration: a header field or a parameter of the URL shows that Sabir has credentials of its own.
func TestCredentialsOfTheConfiguration(t *testing.T) {
	f := func(want bool, url string, fields ...string) {
		t.Helper()
		u := &config.Upstream{Headers: config.UpstreamHeaders{Set: map[string]config.Secret{}}}
		if err := u.URL.UnmarshalText([]byte(url)); err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			u.Headers.Set[field] = "x"
		}
		if got := hasCredentials(u); got != want {
			t.Errorf("%s with %v: %t", url, fields, got)
		}
	}
	f(false, "http://h/x")
	f(false, "http://h/x?alt=sse", "X-Tenant")
	f(true, "http://h/x?alt=sse&key=1")
	f(true, "http://h/x", "X-Tenant", "Authorization")
}
