package proxy

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/valyala/fasthttp"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/eventlog"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// Clients of most dialects call more than the one URL that answers with a stream: for a list of models, for the agents that there
// are, to stop a run. A route whose path ends with /* serves what its client's dialect lists as [hub.Endpoint].

// subpath is what a request asks for below the path of its route.
type subpath struct {
	rest   string // for the upstream's URL, escaped
	op     hub.Operation
	params map[string]string // of the endpoint's path
	found  bool              // it is an endpoint of the client's dialect
	path   string            // of that endpoint, as the dialect has it
}

// servesEndpoints reports whether a route answers for the endpoints of a client's dialect. Where both sides speak the same
// dialect, the upstream has them.
func (r *route) servesEndpoints(t *target) bool {
	return t != nil && r.part == partWhole && r.cfg.Start == "" && strings.HasSuffix(r.cfg.Path, "/*") &&
		!r.requestsPass(t) && len(t.dialect.Endpoints) > 0
}

// below finds out what a request asks for. rest is what its path has beyond the route's, escaped. What is no endpoint goes on to
// the upstream, unless the upstream speaks another protocol: it has no such path then.
func (r *route) below(t *target, method, rest string) (subpath, *hub.Failure) {
	if !r.servesEndpoints(t) {
		return subpath{rest: rest}, nil
	}
	at := urls.OneSlash(rest) // routes are found so, too
	e, params := t.dialect.FindEndpoint(method, at)
	switch {
	case e != nil:
		return subpath{op: e.Operation, params: unescaped(params), found: true, path: e.Path}, nil
	case r.translates(t):
		if allowed := r.methodsAt(t, at); len(allowed) > 0 {
			return subpath{}, badMethod(allowed, fmt.Errorf("clients of %s call %q below the route %s by %s", t.dialect.Name, rest, r.name, strings.Join(allowed, " and ")))
		}
		return subpath{}, hub.Fail(hub.CodeNoEndpoint, fmt.Errorf("clients of %s call nothing by %s at %q below the route %s", t.dialect.Name, method, rest, r.name))
	}
	return subpath{rest: rest}, nil
}

// methodsAt are the methods by which clients of a dialect call a path below the route, of those that it answers.
func (r *route) methodsAt(t *target, rest string) []string {
	return slices.DeleteFunc(t.dialect.MethodsAt(rest), func(method string) bool { return !r.methods[method] })
}

// unescaped are parameters of a path as they are meant.
func unescaped(params map[string]string) map[string]string {
	for name, value := range params {
		if plain, err := url.PathUnescape(value); err == nil {
			params[name] = plain
		}
	}
	return params
}

// of is the same request, of a run that it names elsewhere than in its path.
func (s subpath) of(run string) subpath {
	s.params = maps.Clone(s.params)
	if s.params == nil {
		s.params = map[string]string{}
	}
	s.params["run"] = run
	return s
}

// unwrap finds out what a body asks for that names its operation itself, and takes the request out of it.
func (r *route) unwrap(t *target, sub subpath, req *fasthttp.Request) subpath {
	if !sub.found || t.dialect.Envelope == nil {
		return sub
	}
	op, params, body, ok := t.dialect.Envelope(req.Body())
	if !ok {
		return sub
	}
	req.SetBodyRaw(body)
	return subpath{op: op, params: params, found: true}
}

// isRun reports whether a request is a turn of the agent's.
func (s *subpath) isRun() bool { return s.op == hub.OpRun || s.op == hub.OpWhole }

// reply answers a request that is no turn.
func (s *Server) reply(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	ctx.Response.Header.Set("Cache-Control", "no-store")
	ctx.Response.Header.Set(dialectHeader, t.dialect.Name)
	switch sub.op {
	case hub.OpJoin:
		ctx.SetStatusCode(fasthttp.StatusNoContent)
	case hub.OpConnect:
		ctx.SetContentType(t.dialect.Framing.ContentType())
	case hub.OpStop:
		s.stop(ctx, r, t, sub)
	case hub.OpNewThread, hub.OpThread, hub.OpState, hub.OpHistory, hub.OpForgetThread, hub.OpItems, hub.OpAddItems, hub.OpUpdateThread:
		s.replyThread(ctx, r, t, sub)
	case hub.OpFindThreads:
		s.findThreads(ctx, r, t)
	case hub.OpAnswer, hub.OpInput, hub.OpForgetAnswer:
		s.replyAnswer(ctx, r, t, sub)
	case hub.OpGetRun, hub.OpRuns, hub.OpJoinRun, hub.OpRejoin:
		s.replyRun(ctx, r, t, sub)
	case hub.OpNotify, hub.OpExtended, hub.OpOther:
		s.rejectOperation(ctx, t, sub.op, hub.Fail(hub.CodeUnsupported, nil))
	case hub.OpCommand:
		s.answerCommand(ctx, r, t, sub)
	case hub.OpUnknown:
		s.rejectOperation(ctx, t, sub.op, hub.Fail(hub.CodeNoEndpoint, nil))
	default:
		s.describe(ctx, r, t, sub)
	}
	s.log.Debug("request answered", zap.String("route", r.cfg.Path), zap.Stringer("operation", sub.op),
		zap.Int("status", ctx.Response.StatusCode()), zap.String("request_id", string(ctx.Response.Header.Peek(requestIDHeader))))
}

// describe tells the client of the agent behind the route.
func (s *Server) describe(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	about := r.agent(sub.params["model"])
	about.URL, about.Asked = r.urlOf(ctx), formOf(ctx, t.dialect)
	body := t.dialect.AppendReply(nil, sub.op, about)
	if len(body) == 0 {
		s.rejectOperation(ctx, t, sub.op, hub.Fail(hub.CodeNotFound, nil))
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

// formOf is what a request that is no turn says of its form. One that cannot be read says nothing.
func formOf(ctx *fasthttp.RequestCtx, d *hub.Dialect) *hub.Request {
	asked := &hub.Request{
		Header: func(name string) string { return string(ctx.Request.Header.Peek(name)) },
		Query:  func(name string) string { return string(ctx.QueryArgs().Peek(name)) },
	}
	if body := ctx.Request.Body(); d.Requests != nil && len(body) > 0 {
		_ = d.Requests.DecodeRequest(asked, body)
	}
	return asked
}

// urlOf is the URL of a route as a client reaches it: as its request says, or a proxy that is trusted.
func (r *route) urlOf(ctx *fasthttp.RequestCtx) string {
	var said fasthttp.RequestHeader
	from := senderOf(ctx)
	fields.SetForwarded(&said, &ctx.Request.Header, from.Addr, from.secure, r.global)
	return (&url.URL{Scheme: string(said.Peek(fields.ProtoHeader)), Host: string(said.Peek(fields.HostHeader)), Path: r.base()}).String()
}

// base is the path of the route without what stands for those below.
func (r *route) base() string { return strings.TrimSuffix(r.cfg.Path, "/*") }

// agent is the description of the agent that clients receive.
func (r *route) agent(model string) *hub.Agent {
	cfg := &r.cfg.Agent
	a := &hub.Agent{Name: cfg.Name, Description: cfg.Description, Models: cfg.Models, Model: model}
	if a.Name == "" {
		a.Name = defaultAgent
	}
	if len(a.Models) == 0 {
		a.Models = []string{r.cfg.Requests.Model}
		if a.Models[0] == "" {
			a.Models[0] = a.Name
		}
	}
	return a
}

// defaultAgent is the name of an agent that has none; it is the one that CopilotKit asks for.
const defaultAgent = "default"

// stop ends the runs of a thread, the run of an answer, or one by its name. The client goes on reading until the stream has ended.
func (s *Server) stop(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath) {
	key := runKey{scope: r.scopeOf(ctx), thread: sub.params["thread"], answer: sub.params["answer"]}
	run, answer := sub.params["run"], key.answer
	if t.dialect.StopsRun != nil {
		var err error
		if run, err = t.dialect.StopsRun(ctx.Request.Body(), func(name string) string { return string(ctx.QueryArgs().Peek(name)) }); err != nil {
			s.rejectOperation(ctx, t, sub.op, unreadable(t.dialect, err))
			return
		}
	}
	if asksOfRuns(t.dialect) && (run != "" || key.thread == "") {
		s.stopRun(ctx, r, t, sub.of(run))
		return
	}
	name := eventlog.Key{Scope: key.scope, Kind: byThread, Name: key.thread}
	switch {
	case answer != "":
		name.Kind, name.Name = byAnswer, answer
	case key.thread == "":
		name.Kind, name.Name, key.run = byRun, run, run
	}
	if !s.runs.cancel(key, run) {
		switch found, f := s.endElsewhere(name, key, run); {
		case !found && answer != "" && s.replyCancelled(ctx, r, t, key):
			return
		case f != nil:
			s.rejectOperation(ctx, t, sub.op, f)
			return
		case !found && answer != "":
			s.reject(ctx, t, hub.Fail(hub.CodeNotFound, nil))
			return
		case !found:
			ctx.SetStatusCode(fasthttp.StatusNotFound)
		}
	}
	ctx.SetContentType("application/json")
	about := &hub.Agent{Stopped: answer}
	if key.run != "" && ctx.Response.StatusCode() == fasthttp.StatusOK {
		about.Stopped = key.run
	}
	ctx.SetBody(t.dialect.AppendReply(nil, hub.OpStop, about))
}

// endElsewhere ends runs of other replicas: one that clients can come to, or else those that end with their client.
func (s *Server) endElsewhere(name eventlog.Key, key runKey, run string) (found bool, f *hub.Failure) {
	asked, f := s.stopElsewhere(name)
	if f != nil || asked != nil {
		return asked != nil, f
	}
	return s.replicas.cancelElsewhere(key, run)
}
