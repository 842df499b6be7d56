// Package inbound is what a client is before anything is known of what it wants: a connection, and the requests that come on it.
//
// listener.go accepts connections, within a limit; tls.go has the certificates that they are served with, and idleconns.go those that wait
// for a request. conn.go receives the header of a request as a whole (firstread.go its first bytes), and body.go its body,
// within a budget that all bodies share. http2.go serves connections of HTTP/2, each of whose streams is a connection with one request:
// stream.go.
package inbound

import (
	"errors"
	"io"
	"net"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"
)

// Listener accepts connections, no more than its limit at the same time: those beyond it get a 503, and are counted. It goes
// on when the system is short of something, as when the process has too many files open. fasthttp takes such an error of
// Accept for final, and the server would end while its streams could go on.
type Listener struct {
	net.Listener
	Header  int           // largest header of a request, in bytes
	Read    time.Duration // until a whole request has arrived
	Limit   func() int    // of connections; 0 is none
	Certs   *Certificates // nil: plain HTTP
	HTTP2   *HTTP2        // nil: HTTP/1.1 only
	Closed  <-chan struct{}
	Log     *zap.Logger
	Metrics ListenerMetrics

	open     atomic.Int64
	refusing atomic.Int64 // connections that are being refused
	said     time.Time    // when a refusal was logged last
}

// ListenerMetrics are the metrics of one listener.
type ListenerMetrics struct {
	Name          string // label: listenerClients or listenerAdmin
	Open          prometheus.Gauge
	Refused, Fail prometheus.Counter
}

// Names of listeners, the label of metrics.
const (
	ListenerClients = "clients"
	ListenerAdmin   = "admin"
)

// acceptPause is how long to wait before the next attempt.
const acceptPause = 50 * time.Millisecond

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		switch {
		case err == nil && l.enter():
			return secured(c, l), nil
		case err == nil:
			l.refuse(c)
		case !isShortage(err):
			return nil, err
		default:
			l.Metrics.Fail.Inc()
			l.say("connections cannot be accepted", zap.Error(err))
			select {
			case <-l.Closed:
				return nil, net.ErrClosed
			case <-time.After(acceptPause):
			}
		}
	}
}

// enter counts a connection, if there may be another one. Only Accept calls it.
func (l *Listener) enter() bool {
	if limit := l.Limit(); limit > 0 && l.open.Load() >= int64(limit) {
		return false
	}
	l.open.Add(1)
	l.Metrics.Open.Inc()
	return true
}

// leave counts a connection that was closed.
func (l *Listener) leave() {
	l.open.Add(-1)
	l.Metrics.Open.Dec()
}

// maxRefusing is how many refused connections may be read for a moment, so that their clients see the answer.
const maxRefusing = 16

// refuse answers a connection that is one too many. The answer fits into the buffer of a new socket, so writing it waits
// for none.
func (l *Listener) refuse(c net.Conn) {
	l.Metrics.Refused.Inc()
	l.say("connections are refused", zap.Int("limit", l.Limit()), zap.String("setting", "limits.connections"))
	_ = c.SetDeadline(time.Now().Add(refusedGap))
	if l.Certs == nil {
		_, _ = io.WriteString(c, tooManyConnections)
	}
	if l.refusing.Add(1) > maxRefusing {
		l.refusing.Add(-1)
		_ = c.Close()
		return
	}
	go func() {
		defer l.refusing.Add(-1)
		linger(c)
		_ = c.Close()
	}()
}

// codeTooManyConnections is what the answer to a refused connection says.
const codeTooManyConnections = "too_many_connections"

var tooManyConnections = func() string {
	const body = `{"error":{"code":"` + codeTooManyConnections + `","message":"Too many connections are open. Try again later.","status":503}}`
	return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nRetry-After: 1\r\n" +
		"X-Sabir-Error: " + codeTooManyConnections + "\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}()

// SayPause is the time between two lines of log about connections that do not come in.
const SayPause = 10 * time.Second

func (l *Listener) say(text string, fields ...zap.Field) {
	if now := time.Now(); now.Sub(l.said) >= SayPause {
		l.said = now
		l.Log.Warn(text, append(fields, zap.String("listener", l.Metrics.Name), zap.Int64("open", l.open.Load()))...)
	}
}

func isShortage(err error) bool {
	for _, e := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// NewHTTPServer makes a server that reads requests from a listener of connections; see [requestConn].
func NewHTTPServer(log *zap.Logger, header int, handler fasthttp.RequestHandler) *fasthttp.Server {
	return &fasthttp.Server{
		NoDefaultServerHeader:        true,
		ReduceMemoryUsage:            true, // a connection that waits holds no buffers
		DisablePreParseMultipartForm: true, // bodies pass as they are
		ReadBufferSize:               header,
		IdleTimeout:                  IdleConnection,
		CloseOnShutdown:              true,
		Logger:                       zap.NewStdLog(log.WithOptions(zap.IncreaseLevel(zap.ErrorLevel))),
		HeaderReceived:               withoutBody,
		Handler: func(ctx *fasthttp.RequestCtx) {
			c := ConnOf(ctx)
			c.serve()
			if c.frame.Closes { // the library knows it only in one spelling
				ctx.Request.Header.SetConnectionClose()
			}
			handler(ctx)
			c.Finish(ctx)
		},
	}
}

// withoutBody makes a request one that has no body for fasthttp.
func withoutBody(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	h.SetContentLength(0)
	h.Del(fasthttp.HeaderExpect)
	return c
}

// FinalWriteTimeout is how long a client has to take the last bytes of a stream or a connection that was stopped.
const FinalWriteTimeout = time.Second

// IdleConnection is how long a client may keep a connection without a request.
const IdleConnection = 90 * time.Second
