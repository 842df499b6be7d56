package proxy

import (
	"crypto/rand"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// Some servers are asked by two requests: one opens a stream of events, another starts the run whose events come there.
// Events without an open stream are lost, so the stream is opened first. A third request ends a run early, since the
// server may go on with the run although its client has left.

// cancelRequest is the request that cancels a run at its upstream.
type cancelRequest struct {
	request  *fasthttp.Request
	body     func(reason string) []byte
	over     []int // statuses of the answer that say that the run has ended already
	outlives bool  // the run goes on when its client leaves: only who asks for its end cancels it
	begun    bool  // the run goes on, whatever comes of asking for its stream

	named func(run []byte) hub.SessionCall // what ends a run by its name, in place of request and body; nil: these say it
	run   []byte                           // its name
	find  finder                           // finds out what ends the run where its stream ends before that is known; nil: it is known
}

// note takes the name of the run from an event, as its agent has said it, and reports whether it has.
func (r *cancelRequest) note(ev *hub.Event) bool {
	if r == nil || r.named == nil || ev.Kind != hub.RunStart {
		return false
	}
	r.run = append(r.run[:0], ev.ID...)
	return r.isNamed()
}

// isNamed reports whether there is nothing to find out before the run can be cancelled.
func (r *cancelRequest) isNamed() bool { return r == nil || r.find == nil || len(r.run) > 0 }

// isWanted reports whether a run that its server has taken is cancelled where its stream ends so.
func (r *cancelRequest) isWanted(f *hub.Failure) bool {
	reason := cancelReason(f, true)
	return reason != "" && (!r.outlives || reason == reasonCancelled)
}

// address makes the request end the run.
func (r *cancelRequest) address(c *call, what *hub.SessionCall) error {
	r.body = func(string) []byte { return what.Body }
	return c.aim(r.request, *what)
}

func (r *cancelRequest) release() {
	if r != nil {
		fasthttp.ReleaseRequest(r.request)
	}
}

// openTwice opens the upstream's stream, and then starts the run. It returns the stream.
func (x *stream) openTwice(sink sink, until time.Time) (*upstream.Body, error) {
	c, up := x.call, x.call.route.up
	thread := c.conversation()
	listen := c.listening(thread)
	defer fasthttp.ReleaseRequest(listen)
	body, err := x.succeed(up, listen, sink, until)
	if err != nil {
		return nil, err
	}
	c.request.Header.SetRequestURI(threadURI(up.Cfg.Start, thread, c.rest, c.query))
	if up.Cfg.Cancel != nil {
		x.cancelRequest = c.cancelRequest(thread)
	}
	answer, err := x.succeed(up, c.request, sink, until)
	if err != nil {
		body.Abort()
		return nil, err
	}
	answer.Close()
	x.canceler.OnCancel(body.Abort)
	return body, nil
}

// succeed asks the upstream and returns its answer, if that is a success.
func (x *stream) succeed(up *upstream.Upstream, req *fasthttp.Request, sink sink, until time.Time) (*upstream.Body, error) {
	body, r, err := x.ask(up, req, sink, until)
	if r != nil {
		return nil, x.refused(up, r, sink)
	}
	return body, err
}

// ask asks the upstream and returns its answer, or how it refuses. One redirect is followed, see [upstream.Upstream.Redirect].
func (x *stream) ask(up *upstream.Upstream, req *fasthttp.Request, sink sink, until time.Time) (*upstream.Body, *upstream.Refusal, error) {
	for followed := false; ; followed = true {
		body, err := x.reach(req, until)
		if err != nil {
			return nil, nil, err
		}
		x.call.route.metrics.answered(body.Status)
		x.logAnswer(body)
		if isSuccess(body.Status) || x.passesStatus(up, body.Status, sink) {
			return body, nil, nil
		}
		target, follow := up.Redirect(req, body.Status, string(body.Header.Peek(fasthttp.HeaderLocation)))
		r := body.Refuse()
		if follow && !followed {
			x.redirected = target
			continue
		}
		r.Target = target
		return nil, r, nil
	}
}

// isSuccess reports whether a status says that the server did what it was asked for.
func isSuccess(status int) bool { return status/100 == 2 }

// refused is the failure that a refusal is, and tells the client what else it needs to know.
func (x *stream) refused(up *upstream.Upstream, r *upstream.Refusal, sink sink) *hub.Failure {
	r.Body = plainText(x.call.route.masked(jsonBody(r.Body))) // the log may have it, and the client
	x.noteCode(codeOfRefusal(r.Body))
	f := up.Refused(r)
	if x.call.route.cfg.Errors.Expose && f.Code != hub.CodeCredentials && r.Body != "" {
		f.Note = "It said: " + string(jsonBody(r.Body))
	}
	if h, ok := sink.(*httpSink); ok {
		r.TellClient(h.header, f)
	}
	return f
}

// conversation is the name of the call's conversation: what the client's request calls it, else what the path has beyond
// the route's, else the request id. Names that would lead to another path are passed over.
func (c *call) conversation() string {
	var named string
	if c.asked != nil {
		named = plainText(c.asked.Thread)
	}
	for _, name := range []string{named, nameIn(c.rest), c.id} {
		if isName(name) {
			return name
		}
	}
	return rand.Text()
}

// isUnnamed reports whether a request goes to a conversation that is new for certain, at an agent that keeps them by the names in its URLs: the
// client has no name for it.
func (c *call) isUnnamed(asked *hub.Request) bool {
	start := c.route.up.Cfg.Start
	return start != nil && start.NamesThread() && !c.route.wantsHistory() && len(asked.Thread) == 0 && !isName(nameIn(c.rest))
}

// longestName is the longest name of a conversation that becomes part of a path, in bytes.
const longestName = 256

// isName reports whether s can stand for one part of a path. Escaping keeps its slashes from being separators, but some
// servers look for .. after they have decoded the path.
func isName(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == "." || part == ".." {
			return false
		}
	}
	return s != "" && len(s) <= longestName
}

// threadURI is the target of a request to u. Where u does not say where the conversation stands, the rest of the client's
// path is appended as ever.
func threadURI(u *config.URL, thread, rest, query string) string {
	if !u.NamesThread() {
		return upstreamURI(&u.URL, rest, query)
	}
	v := u.URL
	v.Path = strings.ReplaceAll(u.Path, config.Thread, thread)
	// In its escaped form the name is one part of the path, whatever is in it, and one value of the query.
	v.RawPath = replaceThread(u.EscapedPath(), url.PathEscape(thread))
	v.RawQuery = replaceThread(u.RawQuery, url.QueryEscape(thread))
	return upstreamURI(&v, "", query)
}

// replaceThread puts an escaped name in the place of the conversation.
func replaceThread(s, name string) string {
	return strings.NewReplacer(config.Thread, name, "%7Bthread%7D", name, "%7bthread%7d", name,
		"%7Bthread}", name, "%7bthread}", name, "{thread%7D", name, "{thread%7d", name).Replace(s)
}

// listening is the request that opens the stream: the call's own, but for what belongs to its body.
func (c *call) listening(thread string) *fasthttp.Request {
	req := c.bare(fasthttp.MethodGet)
	req.Header.SetRequestURI(threadURI(&c.route.up.Cfg.URL, thread, c.rest, c.query))
	return req
}

// bare is a request with the header fields of the call's, and without its body.
func (c *call) bare(method string) *fasthttp.Request {
	req := fasthttp.AcquireRequest()
	c.request.Header.CopyTo(&req.Header)
	req.Header.Del(fasthttp.HeaderContentType)
	req.Header.Del(fasthttp.HeaderContentEncoding)
	req.Header.Del(fasthttp.HeaderContentLength) // of a body that was sent already
	req.Header.Del("Idempotency-Key")            // that of the start
	req.Header.SetMethod(method)
	return req
}

// cancelRequest prepares the request that cancels the run, while the call still has its header.
func (c *call) cancelRequest(thread string) *cancelRequest {
	req := c.bare(fasthttp.MethodPost)
	req.Header.SetRequestURI(threadURI(c.route.up.Cfg.Cancel, thread, c.rest, c.query))
	req.Header.SetContentType("application/json")
	return &cancelRequest{request: req, body: func(reason string) []byte {
		body, _ := json.Marshal(struct { // never fails
			ConversationID string `json:"conversationId"`
			Reason         string `json:"reason"`
		}{thread, reason})
		return body
	}}
}

// maxCancelRequest bounds the call that cancels a run, with what is waited for its name, and with it how long a server that ends waits for its last ones.
const maxCancelRequest = 5 * time.Second

// Reasons of a cancel request, as written to the upstream.
const (
	reasonClientLeft = "client left"
	reasonCancelled  = "cancelled by the client"
	reasonGivenUp    = "given up by the proxy"
)

// sendCancelRequest asks the upstream to end its run, if f says that it was ended before its time. Until that is done, the run has not ended.
func (x *stream) sendCancelRequest(f *hub.Failure) {
	if x.cancelRequest == nil {
		return
	}
	bye, late := x.cancelRequest, x.late
	x.cancelRequest, x.late = nil, nil
	reason := cancelReason(f, x.opened)
	if reason == "" && bye.begun && f != nil && !x.opened {
		reason = reasonGivenUp
	}
	if reason == "" || bye.outlives && reason != reasonCancelled {
		bye.release()
		late.close()
		return
	}
	s, c, at := x.server, x.call, x.placed.at
	run := x.known
	run.keep()
	s.cancelRequests.Go(func() {
		defer run.release()
		defer late.close()
		defer bye.release()
		result, err := s.cancelRun(c, bye, late, reason, at)
		s.noteCancelRequest(c, result, err)
	})
}

// Results of requests that cancel runs, as the metrics have them.
const (
	cancelSent    = "sent"
	cancelFailed  = "failed"
	cancelUnnamed = "unnamed"
)

// noteCancelRequest counts what became of the request that cancels a run, and logs why it was in vain.
func (s *Server) noteCancelRequest(c *call, result string, err error) {
	up := c.route.up.Cfg.Name
	if result != "" {
		s.metrics.cancelRequests.WithLabelValues(up, result).Inc()
	}
	if err != nil {
		s.log.Info("the upstream was not cancelled", zap.String("upstream", up), zap.String("request_id", c.id), zap.Error(err))
	}
}

// cancelRun cancels a run, which a late answer may have to name first. There is no result where nothing has to be cancelled.
func (s *Server) cancelRun(c *call, bye *cancelRequest, late *lateAnswer, reason string, at *upstream.Instance) (result string, err error) {
	until := time.Now().Add(maxCancelRequest)
	var what *hub.SessionCall
	switch {
	case !bye.isNamed():
		what, err = s.find(bye, late, time.Now().Add(min(at.Upstream.Cfg.Timeouts.FirstByte, s.naming)))
		switch {
		case err != nil:
			return cancelUnnamed, err
		case what == nil:
			return "", nil
		}
		until = time.Now().Add(maxCancelRequest - maxNaming)
	case bye.named != nil:
		call := bye.named(bye.run)
		what = &call
	}
	if what != nil {
		if err := bye.address(c, what); err != nil {
			return cancelFailed, err
		}
	}
	bye.request.SetBody(bye.body(reason))
	if err := askAt(at, bye.request, bye.over, until); err != nil {
		return cancelFailed, err
	}
	return cancelSent, nil
}

// cancelReason says why a run is cancelled; empty if it is not, because it is over or was never accepted. A lost
// connection does not tell what became of the run, so that is cancelled as well.
func cancelReason(f *hub.Failure, opened bool) string {
	if f == nil {
		return ""
	}
	switch f.Code {
	case hub.CodeClientGone, hub.CodeClientSlow, hub.CodeRunUnread:
		return reasonClientLeft
	case hub.CodeCancelled:
		return reasonCancelled
	case hub.CodeShutdown, hub.CodeDuration, hub.CodeIdle, hub.CodeTimeout, hub.CodeReset, hub.CodeInternal, hub.CodeTooLong, hub.CodeBlocked:
		return reasonGivenUp
	case hub.CodeMalformed:
		if opened {
			return reasonGivenUp
		}
	}
	return ""
}

// askAt calls the upstream once to end or delete something, until the given time at most. That is gone already where the answer has a status of
// over. Its error is for the log.
func askAt(i *upstream.Instance, req *fasthttp.Request, over []int, until time.Time) error {
	t := i.Upstream.Cfg.Timeouts
	if own := time.Now().Add(t.Connect + t.FirstByte); own.Before(until) {
		until = own
	}
	body, err := i.Open(req, new(canceler), until)
	if err != nil {
		return err
	}
	if r := body.Refuse(); !isSuccess(r.Status) && !slices.Contains(over, r.Status) {
		return i.Upstream.Refused(r).Cause
	}
	return nil
}
