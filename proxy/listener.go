package proxy

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

// listener accepts connections, no more than its limit at the same time: those beyond it get a 503, and are counted. It goes
// on when the system is short of something, as when the process has too many files open. fasthttp takes such an error of
// Accept for final, and the server would end while its streams could go on.
type listener struct {
	net.Listener
	header  int           // largest header of a request, in bytes
	read    time.Duration // until a whole request has arrived
	limit   func() int    // of connections; 0 is none
	certs   *certificates // nil: plain HTTP
	http2   *http2Server  // nil: HTTP/1.1 only
	closed  <-chan struct{}
	log     *zap.Logger
	metrics listenerMetrics

	open     atomic.Int64
	refusing atomic.Int64 // connections that are being refused
	said     time.Time    // when a refusal was logged last
}

// listenerMetrics are the metrics of one listener.
type listenerMetrics struct {
	name          string // label: listenerClients or listenerAdmin
	open          prometheus.Gauge
	refused, fail prometheus.Counter
}

// Names of listeners, the label of metrics.
const (
	listenerClients = "clients"
	listenerAdmin   = "admin"
)

// acceptPause is how long to wait before the next attempt.
const acceptPause = 50 * time.Millisecond

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
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
			l.metrics.fail.Inc()
			l.say("connections cannot be accepted", zap.Error(err))
			select {
			case <-l.closed:
				return nil, net.ErrClosed
			case <-time.After(acceptPause):
			}
		}
	}
}

// enter counts a connection, if there may be another one. Only Accept calls it.
func (l *listener) enter() bool {
	if limit := l.limit(); limit > 0 && l.open.Load() >= int64(limit) {
		return false
	}
	l.open.Add(1)
	l.metrics.open.Inc()
	return true
}

// leave counts a connection that was closed.
func (l *listener) leave() {
	l.open.Add(-1)
	l.metrics.open.Dec()
}

// maxRefusing is how many refused connections may be read for a moment, so that their clients see the answer.
const maxRefusing = 16

// refuse answers a connection that is one too many. The answer fits into the buffer of a new socket, so writing it waits
// for none.
func (l *listener) refuse(c net.Conn) {
	l.metrics.refused.Inc()
	l.say("connections are refused", zap.Int("limit", l.limit()), zap.String("setting", "limits.connections"))
	_ = c.SetDeadline(time.Now().Add(refusedGap))
	if l.certs == nil {
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

// sayPause is the time between two lines of log about connections that do not come in.
const sayPause = 10 * time.Second

func (l *listener) say(text string, fields ...zap.Field) {
	if now := time.Now(); now.Sub(l.said) >= sayPause {
		l.said = now
		l.log.Warn(text, append(fields, zap.String("listener", l.metrics.name), zap.Int64("open", l.open.Load()))...)
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

// newHTTPServer makes a server that reads requests from a listener of connections; see [requestConn].
func newHTTPServer(log *zap.Logger, header int, handler fasthttp.RequestHandler) *fasthttp.Server {
	return &fasthttp.Server{
		NoDefaultServerHeader:        true,
		ReduceMemoryUsage:            true, // a connection that waits holds no buffers
		DisablePreParseMultipartForm: true, // bodies pass as they are
		ReadBufferSize:               header,
		IdleTimeout:                  idleConnection,
		CloseOnShutdown:              true,
		Logger:                       zap.NewStdLog(log.WithOptions(zap.IncreaseLevel(zap.ErrorLevel))),
		HeaderReceived:               withoutBody,
		Handler: func(ctx *fasthttp.RequestCtx) {
			c := requestConnOf(ctx)
			c.serve()
			handler(ctx)
			c.finish(ctx)
		},
	}
}

// withoutBody makes a request one that has no body for fasthttp.
func withoutBody(h *fasthttp.RequestHeader) (c fasthttp.RequestConfig) {
	h.SetContentLength(0)
	h.Del(fasthttp.HeaderExpect)
	return c
}

// idleConnection is how long a client may keep a connection without a request.
const idleConnection = 90 * time.Second
