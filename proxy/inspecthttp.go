package proxy

import (
	"bytes"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/bytedance/sonic"
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/browser"
	"github.com/sabir-proxy/sabir/proxy/internal/page"
)

// The page of operators, and what it reads:
//
//	/inspect/             the page and its files, which hold nothing of a run
//	/inspect/runs         the list of runs, live, as server-sent events
//	/inspect/runs/N       a run as a recording
//	/inspect/runs/N/live  its lines, live, as server-sent events

// answerInspect answers a request below the page. It returns false where there is none.
func (s *Server) answerInspect(ctx *fasthttp.RequestCtx, ended <-chan struct{}) bool {
	i := s.kept.inspect
	at := string(ctx.Path())
	if i.form.Load() == nil {
		return false
	}
	if !strings.HasPrefix(at+"/", page.Prefix) {
		return s.answerPage(ctx)
	}
	secure(&ctx.Response.Header)
	if at+"/" == page.Prefix {
		// A path alone: fasthttp's redirects are to http, whatever the client speaks.
		ctx.Response.Header.Set(fasthttp.HeaderLocation, page.Prefix)
		ctx.SetStatusCode(fasthttp.StatusFound)
		return true
	}
	if content, media := page.File(at); content != nil {
		ctx.SetContentType(media)
		ctx.SetBody(s.withLinks(content))
		return true
	}
	rest, ok := strings.CutPrefix(at, page.Prefix+"runs")
	if !ok {
		return false
	}
	if f := browser.CheckOwnPage(ctx); f != nil { // it could read nothing, but runs would be watched, and the places of pages be taken
		s.reject(ctx, nil, f)
		return true
	}
	if !s.asOperator(ctx) {
		return true
	}
	return s.answerRuns(ctx, strings.TrimPrefix(rest, "/"), ended)
}

// secure sets what keeps a page from being used by others.
func secure(h *fasthttp.ResponseHeader) {
	h.Set("Content-Security-Policy", page.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// asOperator reports whether a request has what operators need, or answers that it has not.
func (s *Server) asOperator(ctx *fasthttp.RequestCtx) bool {
	err := s.operatorMay(ctx)
	if err == nil {
		return true
	}
	ctx.Response.Header.Set(fasthttp.HeaderWWWAuthenticate, "Bearer")
	s.reject(ctx, nil, hub.Fail(hub.CodeUnauthenticated, err))
	return false
}

// answerRuns answers what is asked of the runs.
func (s *Server) answerRuns(ctx *fasthttp.RequestCtx, rest string, ended <-chan struct{}) bool {
	i := s.kept.inspect
	if rest == "" {
		s.streamEvents(ctx, ended, i.follower())
		return true
	}
	number, what, _ := strings.Cut(rest, "/")
	key, _ := strconv.ParseInt(number, 10, 64)
	tape := i.find(key)
	switch {
	case tape == nil:
		ctx.Error("This run is not kept any more.\n", fasthttp.StatusNotFound)
		secure(&ctx.Response.Header)
	case what == "live":
		s.streamEvents(ctx, ended, tape.follower())
	case what == "":
		lines, _ := tape.from(0)
		ctx.SetContentType("application/x-ndjson")
		ctx.SetBody(bytes.Join(lines, nil))
	default:
		return false
	}
	return true
}

// A follower appends what is new as server-sent events. It returns true when nothing will follow.
type follower func(dst []byte) ([]byte, bool)

const (
	pageInterval = 250 * time.Millisecond // between two looks at what is new
	pageBeat     = 10 * time.Second       // of silence, after which a comment shows whether the page is still there
	pageLines    = 2000                   // at once
)

// streamEvents answers with what a follower finds, until the page has left.
func (s *Server) streamEvents(ctx *fasthttp.RequestCtx, ended <-chan struct{}, f follower) {
	if ctx.IsHead() {
		ctx.SetContentType("text/event-stream")
		return
	}
	i := s.kept.inspect
	if i.watching.Add(1) > 2*maxPages {
		i.watching.Add(-1)
		ctx.Error("Too many pages are open.\n", fasthttp.StatusServiceUnavailable)
		return
	}
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
	for name, value := range ctx.Response.Header.All() {
		if key := string(name); key != fasthttp.HeaderContentType && key != fasthttp.HeaderContentLength {
			head += key + ": " + string(value) + "\r\n"
		}
	}
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(conn net.Conn) {
		defer i.watching.Add(-1)
		follow(ended, conn, []byte(head+"\r\n"), f)
	})
}

// follow writes what is new until there is nothing more, or the reader has left.
func follow(ended <-chan struct{}, conn net.Conn, buf []byte, f follower) {
	ticker := time.NewTicker(pageInterval)
	defer ticker.Stop()
	for last := time.Now(); ; {
		var over bool
		if buf, over = f(buf); len(buf) == 0 && time.Since(last) >= pageBeat {
			buf = append(buf, ":\n\n"...)
		}
		if len(buf) > 0 {
			last = time.Now()
			if conn.SetWriteDeadline(last.Add(adminTime)) != nil {
				return
			}
			if _, err := conn.Write(buf); err != nil {
				return
			}
			buf = buf[:0]
		}
		if over {
			return
		}
		select {
		case <-ticker.C:
		case <-ended:
			return
		}
	}
}

// follower shows the runs that have changed. The first event has all.
func (i *inspector) follower() follower {
	seen, first := map[int64]runSummary{}, true
	return func(dst []byte) ([]byte, bool) {
		changed, kept := []runSummary{}, map[int64]bool{}
		for _, t := range i.list() {
			now := t.now()
			kept[now.Key] = true
			if seen[now.Key] != now {
				seen[now.Key] = now
				changed = append(changed, now)
			}
		}
		gone := []int64{}
		for key := range seen {
			if !kept[key] {
				delete(seen, key)
				gone = append(gone, key)
			}
		}
		if !first && len(changed)+len(gone) == 0 {
			return dst, false
		}
		first = false
		return appendEvent(dst, "runs", map[string]any{"changed": changed, "gone": gone}), false
	}
}

// follower shows the lines of a run.
func (t *runTape) follower() follower {
	at := 0
	return func(dst []byte) ([]byte, bool) {
		lines, ended := t.from(at)
		rest := len(lines) > pageLines
		if rest {
			lines = lines[:pageLines]
		}
		for _, line := range lines {
			dst = append(append(append(dst, "data: "...), line...), '\n')
		}
		at += len(lines)
		if !ended || rest {
			return dst, false
		}
		return append(dst, "event: end\ndata: {}\n\n"...), true
	}
}

func appendEvent(dst []byte, name string, v any) []byte {
	text, _ := sonic.ConfigFastest.Marshal(v) // texts and numbers, which JSON has forms for
	dst = append(append(append(dst, "event: "...), name...), "\ndata: "...)
	return append(append(dst, text...), "\n\n"...)
}
