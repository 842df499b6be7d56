package proxy

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/conversation"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/threads"
)

// Clients of some dialects say only what is new, and name the conversation. Agents that want to be told everything get it from the
// log of threads.

// threadTurn is a turn in a conversation that is remembered.
type threadTurn struct {
	log *threads.Log
	key threads.Key
}

// scope separates the conversations of routes and principals. Credentials are not kept.
func (r *route) scope(h *fasthttp.RequestHeader) string {
	sum := sha256.New()
	for _, field := range r.global.Threads.Principal {
		fmt.Fprintf(sum, "%q", h.Peek(field))
	}
	return string(sum.Sum([]byte(r.name + "\x00")))
}

// limitThreads sets the limits of the log.
func limitThreads(log *threads.Log, cfg *config.Threads) {
	log.Limit(threads.Limits{Threads: cfg.Max, Bytes: int(cfg.Memory), Keep: cfg.Keep})
}

// remembers reports whether conversations are remembered for clients of the route that say only what is new.
func (r *route) remembers() bool { return r.up.agents == nil && r.sessions == nil && r.wantsHistory() }

// recall completes a request that says only what is new with what was said before, and makes the call remember what comes of it. size
// is that of the request.
func (c *call) recall(asked *hub.Request, size int) *hub.Failure {
	if asked.Other || c.soFar != nil || !asked.Partial && !asked.Begins {
		return nil
	}
	if asked.Begins {
		asked.Thread = newThread()
	}
	if !c.route.remembers() {
		return nil // the agent remembers
	}
	key := threads.Key{Scope: c.scope, Thread: plainText(asked.Thread)}
	if asked.Begins || asked.Create && len(key.Thread) <= longestThread {
		c.route.threads.Create(key)
	}
	before, held, err := c.route.threads.Begin(key)
	switch {
	case errors.Is(err, threads.ErrUnknown):
		return nil // it is refused as what it is: partial
	case err != nil:
		return hub.Fail(hub.CodeSessionBusy, err)
	}
	c.thread = &threadTurn{log: c.route.threads, key: key}
	if len(before) > 0 {
		asked.Messages = conversation.GoOn(before, asked.Messages)
	}
	asked.Partial = false
	asked.Remember(true) // so that ids are changed only where they come again: the agent knows its calls by them
	c.soFar = &soFar{folder: conversation.NewFolder(asked.Messages), size: held + size}
	return nil
}

// endThread remembers what was said in the turn. A turn that was refused is as if it had never been.
func (c *call) endThread() {
	t := c.thread
	if t == nil {
		return
	}
	c.thread = nil
	if !c.soFar.begun {
		t.log.End(t.key, nil, 0)
		return
	}
	t.log.End(t.key, c.soFar.folder.Messages(), c.soFar.size+c.soFar.folder.Size())
}

// replyThread answers what a client asks of a conversation.
func (s *Server) replyThread(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	key := threads.Key{Scope: r.scope(&ctx.Request.Header), Thread: sub.params["thread"]}
	if !r.translates(t) || !r.remembers() {
		s.reject(ctx, t, hub.Fail(hub.CodeNoEndpoint, errors.New("the agent keeps conversations itself")))
		return
	}
	if sub.op == hub.OpNewThread {
		if f := r.createThread(ctx.Request.Body(), t, &key); f != nil {
			s.reject(ctx, t, f)
			return
		}
	}
	about := hub.Agent{Thread: hub.Thread{ID: key.Thread, Time: time.Now().UnixMilli()}}
	var known bool
	about.Thread.Messages, about.Thread.Busy, known = r.threads.Messages(key)
	if known && sub.op == hub.OpForgetThread {
		r.threads.Forget(key)
	}
	if !known {
		s.reject(ctx, t, hub.Fail(hub.CodeNotFound, threads.ErrUnknown))
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(t.dialect.AppendReply(nil, sub.op, &about))
}

// longestThread is the longest name of a conversation that a client may choose, in bytes.
const longestThread = 256

// createThread makes the conversation that a body asks for.
func (r *route) createThread(body []byte, t *target, key *threads.Key) *hub.Failure {
	id, mayExist, err := t.dialect.NewThread(body)
	switch {
	case err != nil:
		return unreadable(t.dialect, err)
	case len(id) > longestThread:
		return unreadable(t.dialect, hub.NewError(hub.ReasonType, "thread_id", -1, "want a text of at most 256 bytes"))
	case id == "":
		id = string(newThread())
	}
	key.Thread = id
	if _, _, known := r.threads.Messages(*key); known && !mayExist {
		return hub.Fail(hub.CodeThreadExists, nil)
	}
	r.threads.Create(*key)
	return nil
}

// newThread is the name of a conversation that a client begins: a UUID, which every client takes.
func newThread() []byte {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// threadCollector shows what the log holds when metrics are read.
type threadCollector struct{ log *threads.Log }

var (
	threadsDesc = prometheus.NewDesc("sabir_threads", "Conversations that are remembered for clients that say only what is new.", nil, nil)
	memoryDesc  = prometheus.NewDesc("sabir_threads_bytes", "About how many bytes they hold.", nil, nil)
	evictedDesc = prometheus.NewDesc("sabir_threads_evicted_total", "Conversations that were forgotten for want of room, or because they were not used.", nil, nil)
)

// Describe implements [prometheus.Collector].
func (c threadCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{threadsDesc, memoryDesc, evictedDesc} {
		to <- d
	}
}

// Collect implements [prometheus.Collector].
func (c threadCollector) Collect(to chan<- prometheus.Metric) {
	n, bytes, evicted := c.log.Counts()
	to <- prometheus.MustNewConstMetric(threadsDesc, prometheus.GaugeValue, float64(n))
	to <- prometheus.MustNewConstMetric(memoryDesc, prometheus.GaugeValue, float64(bytes))
	to <- prometheus.MustNewConstMetric(evictedDesc, prometheus.CounterValue, float64(evicted))
}
