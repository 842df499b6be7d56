package proxy

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/overload"
)

// refuseOverloaded refuses a request that would begin a run, before its body is read, where its client gets no more of them.
func (s *Server) refuseOverloaded(ctx *fasthttp.RequestCtx, r *route, t *target, sub *subpath) *hub.Failure {
	if !s.shed.Sheds() || r.part != partWhole || !sub.isRun() || r.comesBack(t, &ctx.Request) || websocket.FastHTTPIsWebSocketUpgrade(ctx) {
		return nil
	}
	return r.overloaded(s.shed.Refuses(clientKey(senderOf(ctx).who, fields.ClientOf(&ctx.Request.Header, ctx.RemoteAddr(), r.global))))
}

// mostRetry is the longest that a client is asked to wait, in seconds. It is by chance, so that not all come again at once.
const mostRetry = 5

// overloaded is the failure of a run that is turned away; nil if it is not.
func (r *route) overloaded(cause overload.Cause) *hub.Failure {
	if cause == "" {
		return nil
	}
	f := hub.Fail(hub.CodeOverload, fmt.Errorf("limits.shed: too much %s", cause))
	f.RetryAfter = 1 + rand.IntN(mostRetry) //nolint:gosec // no secret
	r.metrics.all.shed.WithLabelValues(r.name, string(cause)).Inc()
	return f
}

// loadWatch looks at the load of the process from begin to end. Without its looks, the load is what it was.
type loadWatch struct{ begin, end func() }

func (s *Server) loadWatch() loadWatch {
	ctx, cancel := context.WithCancel(context.Background())
	l := loadLog{log: s.log, streams: &s.open}
	return loadWatch{begin: func() { go s.shed.Watch(ctx, func(now overload.State) { l.note(now, time.Now()) }) }, end: cancel}
}

// loadLog logs when new runs begin to be refused, and when that is over; not at each change of a load that comes and goes.
type loadLog struct {
	log     *zap.Logger
	streams *atomic.Int64
	said    time.Time
	lasts   bool // as far as the log says
}

func (l *loadLog) note(load overload.State, now time.Time) {
	if load.Cause == "" {
		if l.lasts {
			l.log.Info("not overloaded any more: new runs are taken again")
		}
		l.lasts = false
		return
	}
	if now.Sub(l.said) < inbound.SayPause {
		return
	}
	l.said, l.lasts = now, true
	l.log.Warn("overloaded: new runs are refused, of those clients first that have the most", zap.String("cause", string(load.Cause)),
		zap.Duration("delay", load.Delay), zap.Float64("memory", load.Used), zap.Int64("streams", l.streams.Load()))
}

// shedMetrics are those of runs that are turned away.
func (m *metrics) shedMetrics() {
	m.shed = m.counter("shed_total", "Runs that were refused because the process was overloaded, by the cause: delay or memory.", "route", "cause")
}

// loadCollector shows the load of the process.
type loadCollector struct{ guard *overload.Guard }

var (
	overloadDesc = prometheus.NewDesc("sabir_overloaded", "1 while new runs are refused because the process is overloaded, by the cause.", []string{"cause"}, nil)
	delayDesc    = prometheus.NewDesc("sabir_scheduling_delay_seconds", "How long work waited for a processor, the median of the last second.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (loadCollector) Describe(to chan<- *prometheus.Desc) {
	to <- overloadDesc
	to <- delayDesc
}

// Collect implements [prometheus.Collector].
func (c loadCollector) Collect(to chan<- prometheus.Metric) {
	now := c.guard.State()
	for _, cause := range overload.Causes {
		value := 0.0
		if now.Cause == cause {
			value = 1
		}
		to <- prometheus.MustNewConstMetric(overloadDesc, prometheus.GaugeValue, value, string(cause))
	}
	to <- prometheus.MustNewConstMetric(delayDesc, prometheus.GaugeValue, now.Delay.Seconds())
}
