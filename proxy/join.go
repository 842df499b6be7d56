package proxy

import (
	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
)

const (
	// runHeader names a run: in the response that begins it, and in requests that come to it from the start, or end it.
	runHeader = "X-Sabir-Run"

	// positionHeader is where clients of event streams say what they have got last.
	positionHeader = "Last-Event-ID"

	// positionParameter is the same for clients that cannot set header fields, such as a browser's EventSource when it begins.
	positionParameter = "last_event_id"

	// fromStart is the position of LangGraph's clients that want the whole stream.
	fromStart = "-1"
)

// join is what a request wants that comes to a run.
type join struct {
	key      eventlog.Key
	position string // what the client has, "" for nothing
	after    int64  // so many records it has, where its dialect counts them
	must     bool   // there is no other answer to the request
	live     bool   // only a run that goes on is wanted
	body     string // the hash of what the request that began it has to be, "" for anything
}

// comesBack reports whether a request names a shared run by its token.
func (r *route) comesBack(t *target, req *fasthttp.Request) bool {
	_, byLink := r.sharedBy(req)
	return byLink || r.logs != nil && r.positionOf(t, req) != ""
}

// positionOf is where a client says that it is in a run. Where the agent has what is asked for, positions of another form are its own.
func (r *route) positionOf(t *target, req *fasthttp.Request) string {
	if token := req.Header.Peek(runHeader); len(token) > 0 {
		return string(token)
	}
	said := req.Header.Peek(positionHeader)
	if len(said) == 0 {
		said = req.URI().QueryArgs().Peek(positionParameter)
	}
	if at, _ := parsePosition(string(said)); at.form == "" && r.passesOn(t) {
		return ""
	}
	return string(said)
}

// joinOf finds out which run a request comes to; nil if to none.
func (r *route) joinOf(ctx *fasthttp.RequestCtx, t *target, sub *subpath) *join {
	j := &join{position: r.positionOf(t, &ctx.Request)}
	if l, byLink := r.sharedBy(&ctx.Request); byLink {
		return l.joinByLink(j)
	}
	key := func(kind, name string) *join {
		j.key = eventlog.Key{Scope: r.scopeOf(ctx), Kind: kind, Name: name}
		return j
	}
	switch {
	case sub.op == hub.OpJoin:
		return key(byThread, sub.params["thread"])
	case sub.op == hub.OpConnect:
		asked := formOf(ctx, t.dialect)
		j.live = hasAnswer(asked.Messages)
		return key(byThread, plainText(asked.Thread))
	case sub.op == hub.OpRejoin:
		j.after = hasRecords(ctx, t.dialect)
		return key(byRun, sub.params["run"])
	case sub.op == hub.OpAnswer && string(ctx.QueryArgs().Peek("stream")) == "true":
		if j.after = hasRecords(ctx, t.dialect); j.after > 0 && t.dialect.Counted.Parameter == positionParameter {
			j.position = "" // the client counts by it, and names no place in the log
		}
		return key(byAnswer, sub.params["answer"])
	case j.position != "":
		at, _ := parsePosition(j.position)
		j.must = true
		return key(byToken, at.token)
	}
	if repeated := r.repeatKey(ctx, sub); repeated.Name != "" {
		j.key, j.body = repeated, bodyHash(ctx)
		return j
	}
	return nil
}

// hasAnswer reports whether a client has what was said to the user's last words. It would show an answer that comes again twice.
func hasAnswer(messages []hub.Message) bool {
	return len(messages) > 0 && messages[len(messages)-1].Role != hub.RoleUser
}

// hasRecords is how many records a client has that counts them itself; 0 for one that does not say, or does not count, and -1 for one whose
// number cannot be read.
func hasRecords(ctx *fasthttp.RequestCtx, d *hub.Dialect) int64 {
	if d.Counted == nil {
		return 0
	}
	said := string(ctx.QueryArgs().Peek(d.Counted.Parameter))
	if said == "" {
		return 0
	}
	if n, ok := d.Counted.Has(said); ok {
		return n
	}
	return -1
}

// answerJoin answers a request that comes to a run, and reports whether it has.
func (s *Server) answerJoin(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath, id, origin string) bool {
	if r.logs == nil {
		return false
	}
	sub = r.joinBelow(t, string(ctx.Method()), sub)
	j := r.joinOf(ctx, t, &sub)
	if j == nil {
		return false
	}
	run, f := s.runToJoin(r, j.key)
	if j.after < 0 && f == nil {
		f = hub.Fail(hub.CodeUnreadable, errCount)
		f.Note = "The parameter " + t.dialect.Counted.Parameter + " is no number of a record."
	}
	if f != nil {
		s.metrics.resumeJoins.WithLabelValues(r.name, t.dialect.Name, string(f.Code)).Inc()
		s.rejectOperation(ctx, t, sub.op, f)
		return true
	}
	if run == nil && !j.must || run != nil && j.live && run.Ended() {
		return false
	}
	v, f := r.viewerOf(ctx, t, sub, j, run)
	if f == nil && ctx.IsDelete() {
		f = s.stopShared(run)
	}
	linked := false
	if f == nil && ctx.IsGet() {
		linked, f = s.answerLink(ctx, r, run)
	}
	switch {
	case f != nil:
		s.metrics.resumeJoins.WithLabelValues(r.name, t.dialect.Name, string(f.Code)).Inc()
		s.rejectOperation(ctx, t, sub.op, f)
	case linked:
	case j.body != "" && run.About.asked.Later && run.About.asked.Whole:
		s.reply(ctx, r, t, subpath{op: hub.OpAnswer, params: map[string]string{"answer": plainText(run.About.asked.Answer)}})
	case ctx.IsDelete():
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	default:
		v.call.id, v.call.origin = id, origin
		s.takeOver(ctx, func(conn *inbound.Conn) { s.serveViewer(v, conn) })
	}
	return true
}

// viewerOf is the client of a request that comes to a run, nil for none.
func (r *route) viewerOf(ctx *fasthttp.RequestCtx, t *target, sub subpath, j *join, run *sharedRun) (*viewer, *hub.Failure) {
	if run == nil {
		return nil, hub.Fail(hub.CodeRunUnknown, nil)
	}
	if j.body != "" && j.body != run.About.body {
		f := hub.Fail(hub.CodeUnreadable, errOtherBody)
		f.Status = fasthttp.StatusUnprocessableEntity
		return nil, f
	}
	at := position{records: j.after}
	if j.position != "" && j.position != fromStart {
		var ok bool
		if at, ok = parsePosition(j.position); !ok || at.token != run.About.token {
			return nil, hub.Fail(hub.CodeUnreadable, errPosition)
		}
		if at.form != "" && at.form != formOfPosition(t.dialect) {
			f := hub.Fail(hub.CodeUnreadable, errOtherCounts)
			f.Note = "The position counts the records of another dialect. Come to the run by its name."
			return nil, f
		}
	}
	asked := *run.About.asked
	if sub.op == hub.OpRejoin { // how the answer is wrapped is said by the request that gets it
		form := wrapOf(ctx, t.dialect)
		asked.Call, asked.Version = form.Call, form.Version
	}
	c := callOf(&ctx.Request, senderOf(ctx), r, t, sub, "")
	fasthttp.ReleaseRequest(c.request)
	c.request = nil
	how := joinStart
	if at.records > 0 {
		how = joinPosition
	}
	polls := ctx.IsGet() && j.must && at.records > 0
	return &viewer{call: c, run: run, asked: &asked, how: how, skip: at.records, of: at.of, polls: polls, rejoins: sub.op == hub.OpRejoin}, nil
}

// wrapOf is what a request for the rest of a run says of the form of its answer. One without a body says that by its header.
func wrapOf(ctx *fasthttp.RequestCtx, d *hub.Dialect) *hub.Request {
	form := formOf(ctx, d)
	if len(ctx.Request.Body()) == 0 {
		_ = d.Requests.DecodeRequest(form, []byte("{}")) // as far as it can be read
	}
	form.Detach()
	return form
}
