package proxy

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/internal/fields"
	"github.com/sabir-proxy/sabir/proxy/internal/inbound"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// call is one request of a client, copied out of the server's own structures: those are used again as soon as the
// handler has returned.
type call struct {
	route   *route
	target  *target
	claim   *repeatClaim      // of a request that may be repeated; nil for others
	request *fasthttp.Request // for the upstream; nil once it was sent
	// translated says that the body was written anew in the upstream's dialect.
	translated   bool
	turn         turn         // what the log and the metrics say of it
	losses       hub.Losses   // what the upstream's dialect had no place for
	asked        *hub.Request // what the client's dialect knows of the body, without the body; nil for nothing
	says         bool         // the body says something to an agent
	id           string       // request id, the client's or made up
	unique       []byte       // unlike that of other calls, whatever the client says
	path         string
	sub          subpath
	rest         string // what the path has beyond the route's, escaped
	query        string // the client's, without what the configuration says itself
	dropped      int    // parameters of the client's query that are not in it
	peer         string
	from         sender
	scope        string      // separates the conversations of routes and clients
	thread       *threadTurn // of a conversation that is remembered for the client; nil: none is
	run          *runRecord  // that the client may ask about; nil: it may not
	origin       string      // allowed origin of a browser, "" for none
	http11       bool
	close        bool           // the client wants the connection closed
	lease        inbound.Lease  // of the memory for the body
	head         bool           // the client wants no body
	session      *session       // of a client that came by WebSocket; nil for HTTP
	forks        bool           // the conversation of the agent is a new one, in which others have said what the request goes on from
	agentSession *agentSession  // at the server of the upstream; nil: it keeps none, or bodies pass
	branching    *branching     // where the conversation goes on there; nil: as agentSession, or it has no name
	soFar        *soFar         // the conversation up to the answer, where the next request may go on from that; nil: it may not
	lines        *lineTurn      // of a client that speaks by lines; nil for others
	multiplexed  bool           // the client has others on the same WebSocket
	answers      []hub.Decision // to the questions with which the last run of such a turn has ended
	gathered     *gathered      // what the client is asked again, where the agent is not; nil: the agent is asked
	left         []hub.Decision // answers that were kept for questions which the client leaves behind
	pending      *pendingStream // of a client that asks by two requests; nil for one
	shared       *sharedRun     // that others may come to; nil: they may not
	described    bool           // it asks what the agent is, and the agent says so itself
	describedAt  string         // the URL of the route, where the agent names its own then; "" for others
	tapped       *tapped        // what a tap shows of the client's request; nil: there is no tap
}

const requestIDHeader = "X-Request-Id"

// arrived makes the call of a request that has arrived as a whole.
func arrived(ctx *fasthttp.RequestCtx, r *route, t *target, sub subpath, id string) (*call, *hub.Failure) {
	plain, f := plainBody(ctx, r)
	if f != nil {
		return nil, f
	}
	return newCall(&ctx.Request, senderOf(ctx), r, t, sub, id, plain)
}

// newCall makes the call to the upstream of r out of a client's request, or says why there can be none. sub is what
// stands in its path below the route's; plain is its body as setBody has it.
func newCall(req *fasthttp.Request, peer sender, r *route, t *target, sub subpath, id string, plain []byte) (*call, *hub.Failure) {
	c := callOf(req, peer, r, t, sub, id)
	if f := c.setBody(&req.Header, req.Body(), plain); f != nil {
		c.release()
		return nil, f
	}
	return c, nil
}

// callOf is the call without the body.
func callOf(req *fasthttp.Request, peer sender, r *route, t *target, sub subpath, id string) *call {
	c := &call{
		route: r, target: t, request: fasthttp.AcquireRequest(), id: id, unique: randomID(), path: string(req.URI().Path()),
		peer: fields.ClientOf(&req.Header, peer.Addr, r.global), http11: req.Header.IsHTTP11(), close: req.Header.ConnectionClose(), head: req.Header.IsHead(),
	}
	c.request.Header.SetNoDefaultContentType(true)
	c.from, c.scope = peer, r.scope(&req.Header, peer.who)
	c.sub, c.rest = sub, sub.rest
	query := string(req.URI().QueryString())
	if sub.found {
		query = "" // it is of the client's protocol
	}
	c.query, c.dropped = urls.WithoutNames(query, r.up.Query)
	c.setURL(sub.rest, c.query)
	c.copyHeaders(&req.Header, peer)
	c.request.Header.SetMethod(r.upstreamMethod(string(req.Header.Method())))
	if len(req.Body()) > 0 {
		fields.Copy(&c.request.Header, &req.Header, fasthttp.HeaderContentEncoding)
	}
	return c
}

// requestID takes over the client's request id if it is a sane one, else makes one up.
func requestID(req *fasthttp.Request) string {
	const longest = 128
	id := fields.Peek(&req.Header, requestIDHeader)
	if n := len(id); n > 0 && n <= longest && bytes.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0 {
		return string(id)
	}
	return string(randomID())
}

// randomID is 64 bits by chance, in hexadecimal.
func randomID() []byte {
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	text := make([]byte, hex.EncodedLen(len(random)))
	hex.Encode(text, random[:])
	return text
}

func (r *route) upstreamMethod(client string) string {
	if r.up.Cfg.Method != "" && client != fasthttp.MethodHead {
		return r.up.Cfg.Method
	}
	return client
}

// setURL addresses the upstream. rest is what the client's path has beyond the route's, escaped.
func (c *call) setURL(rest, query string) {
	if c.route.up.Agents != nil {
		return
	}
	u, uri := &c.route.up.Cfg.URL.URL, c.route.uri
	if rest != "" || query != "" {
		uri = upstreamURI(u, rest, query)
	}
	c.request.Header.SetRequestURI(uri)
	c.request.Header.SetHost(u.Host)
	c.request.UseHostHeader = true
}

// upstreamURI is the target of a request to u, with what the client's path has beyond the route's, escaped, and with the
// client's query after that of u.
func upstreamURI(u *url.URL, rest, query string) string {
	target := u.EscapedPath()
	if rest != "" {
		target = strings.TrimSuffix(target, "/") + rest
	}
	target = "/" + strings.TrimLeft(target, "/") // two slashes would begin the name of a host
	if u.RawQuery != "" && query != "" {
		query = "&" + query
	}
	if query = u.RawQuery + query; query != "" {
		target += "?" + query
	}
	return target
}

// plainBody is the body of a request without its content coding, for reading only; nil if that is not known, or the body
// would be larger than the route accepts.
func plainBody(ctx *fasthttp.RequestCtx, r *route) ([]byte, *hub.Failure) {
	body, coding := ctx.Request.Body(), codingOf(&ctx.Request.Header)
	if len(body) == 0 || coding == "" {
		return body, nil
	}
	plain, err := inbound.ConnOf(ctx).Plain(coding, body, int64(r.cfg.Limits.RequestBody), int64(r.global.Limits.Bodies))
	if errors.Is(err, inbound.ErrBodyBudget) {
		return nil, hub.Fail(hub.CodeBodies, err)
	}
	return plain, nil // after any other error there is none
}

// codingOf are the content codings of a request's body.
func codingOf(h *fasthttp.RequestHeader) string {
	return fields.Codings(fields.List(fields.PeekAll(h, fasthttp.HeaderContentEncoding)))
}

// decodeBody takes the content coding off a body that the server reads by itself: of a request that is no turn, that may say in its body
// what it asks for, or that is a line of an editor's. That of any other may go on as it came; see [plainBody].
func (r *route) decodeBody(ctx *fasthttp.RequestCtx, t *target, sub subpath) *hub.Failure {
	own := sub.found && (!sub.isRun() || t.dialect.Envelope != nil) || r.servesLines(t)
	if !own || codingOf(&ctx.Request.Header) == "" {
		return nil
	}
	plain, f := plainBody(ctx, r)
	switch {
	case f != nil:
		return f
	case plain == nil && len(ctx.Request.Body()) > 0:
		return unknownCoding()
	}
	ctx.Request.SetBodyRaw(plain)
	ctx.Request.Header.Del(fasthttp.HeaderContentEncoding)
	return nil
}

// unknownCoding is what a client learns whose body cannot be read for its content coding.
func unknownCoding() *hub.Failure {
	f := hub.Fail(hub.CodeUnreadable, errors.New("the content coding of the body is not known, the body is not in it, or it is too large without"))
	f.Note, f.Status = "Its content coding is not known, it is not in that coding, or it is too large without.", fasthttp.StatusUnsupportedMediaType
	return f
}

// setBody gives the upstream the client's body, which is the call's from now on: written anew in the dialect of the upstream,
// or as it came. plain is the body for reading, nil where that is not possible.
func (c *call) setBody(header *fasthttp.RequestHeader, body, plain []byte) *hub.Failure {
	c.request.SetBodyRaw(body)
	c.keepRequest(header, plain)
	codec, translates := c.target.dialect.Requests, c.route.translates(c.target) && (len(body) > 0 || header.IsPost())
	if len(body) == 0 {
		plain = []byte{} // there is no coding that could be unknown
	}
	if codec == nil || len(plain) == 0 && !translates {
		return nil
	}
	asked := &hub.Request{
		Time:   time.Now().UnixMilli(),
		Unique: c.unique, // not the request id: clients give several requests one, and so has a WebSocket
		Header: func(name string) string { return string(header.Peek(name)) },
		Query:  func(name string) string { return queryOf(header, name) },
		Model:  jsonBody(c.sub.params["model"]), Whole: c.sub.op == hub.OpWhole, Endpoint: c.sub.path,
	}
	if c.route.up.Agents == nil {
		defer asked.Detach() // else once its driver has been asked
	}
	err := codec.DecodeRequest(asked, plain)
	if c.answers != nil {
		asked.Messages, asked.Answers = nil, c.answers
	}
	if thread := c.sub.params["thread"]; thread != "" {
		asked.Thread, asked.Partial = jsonBody(thread), true
	}
	if translates && err == nil {
		if f := c.recall(asked, len(plain)); f != nil {
			return f
		}
	}
	switch {
	case translates && asked.Prepare && err == nil:
	case translates:
		if f := c.translateTurn(asked, plain, err); f != nil {
			return f
		}
		c.turn = turnOf(asked)
	case err != nil:
		return nil // a body that is no request of the dialect is the upstream's to judge
	}
	c.says = len(asked.Messages) > 0 || len(asked.Answers) > 0
	if asked.Repeats && asked.Said == nil {
		asked.Said = asked.Messages
	}
	c.asked = asked
	return nil
}

// queryOf is a parameter of a request's URL.
func queryOf(header *fasthttp.RequestHeader, name string) string {
	_, query, _ := bytes.Cut(header.RequestURI(), []byte{'?'})
	if len(query) == 0 {
		return ""
	}
	var args fasthttp.Args
	args.ParseBytes(query)
	return string(args.Peek(name))
}

// translateTurn translates the request of a turn. The conversation is free for another turn where that fails, or panics.
func (c *call) translateTurn(asked *hub.Request, plain []byte, err error) *hub.Failure {
	translated := false
	defer func() {
		if !translated {
			c.endThread()
		}
	}()
	f := c.translate(asked, plain, err)
	translated = f == nil
	return f
}

// jsonBody is a text as the body of a JSON string.
func jsonBody(text string) []byte {
	if text == "" {
		return nil
	}
	quoted, _ := json.Marshal(text) // a string always can be
	return quoted[1 : len(quoted)-1]
}

// identify gives the run the ids by which the client knows it.
func identify(ev *hub.Event, asked *hub.Request) {
	if ev.Kind != hub.RunStart || asked == nil {
		return
	}
	if len(asked.Run) > 0 {
		ev.ID = asked.Run
	}
	if len(asked.Answer) > 0 {
		ev.ID = asked.Answer
	}
	if len(asked.Thread) > 0 {
		ev.Ref = asked.Thread
	}
}

// framing is how the answer is framed, before the upstream's first byte is known.
func (c *call) framing() wire.Framing {
	if c.lines != nil || c.multiplexed {
		return wire.NDJSON // whatever the lines are sent in
	}
	return c.target.clientFraming(c.session != nil)
}

// keepalive is how often the client gets a sign of life; 0 is never. Nothing stands between the two ends of a pipe, and a WebSocket that
// several requests share has pings of its own.
func (c *call) keepalive() time.Duration {
	if c.lines != nil || c.multiplexed {
		return 0
	}
	return c.route.cfg.Timeouts.Keepalive
}

// release lets go of the request, which may be large, once it was sent.
func (c *call) release() {
	if c.request != nil {
		fasthttp.ReleaseRequest(c.request)
		c.request = nil
	}
	if c.agentSession != nil {
		c.agentSession.asked = hub.Request{}
	}
	c.lease.End()
}
