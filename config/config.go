// Package config reads Sabir's configuration: strict YAML over defaults, with every problem reported at once.
//
// The comments of the types below are the manual: schema.json, which editors read, is generated from them, and
// examples/sabir.yaml shows every key. A loaded Config is complete and never changes: all defaults are filled in, and
// what an upstream or a route does not say is taken from the top level. Reloading means loading another one.
//
// Dialects are not known here. Whoever loads a configuration passes a [Dialects], usually the registry.
package config

import (
	"slices"
	"time"
)

// Auto leaves a choice to the stream: as a framing, what the bytes show or the dialect uses; as the client of a route,
// what the request asks for.
const Auto = "auto"

// Translate is the mode of requests that are written anew in the dialect of the upstream.
const Translate = "translate"

// Config is the whole configuration of one proxy.
type Config struct {
	// Address for clients, as host:port, or as unix:/path of a socket, whose file says who may connect. Port 0 takes any free port.
	Listen string `yaml:"listen" jsonschema:"required,example=127.0.0.1:8080"`
	// Address for operators: /metrics, /healthz and /readyz. Empty turns it off. Keep it off public networks. A map says with which
	// certificates it speaks TLS.
	Admin Admin `yaml:"admin"`
	// Whether the admin address shows runs on a page, /inspect/: content with all that was said, shapes with types, lengths and times in
	// place of it. Runs are kept from when a page is opened, in memory, up to 64 MiB.
	Inspect string `yaml:"inspect" jsonschema:"enum=off,enum=shapes,enum=content"`
	// Serves clients by TLS; without it, by plain HTTP.
	TLS *ServerTLS `yaml:"tls,omitempty"`
	// Whether clients may speak HTTP/2, on which a page has more than six streams at a time.
	HTTP2 HTTP2 `yaml:"http2"`
	// Which credentials there are.
	Auth Auth `yaml:"auth"`
	// Proxies in front of Sabir whose X-Forwarded-For, X-Forwarded-Host and X-Forwarded-Proto are believed: networks such
	// as 10.0.0.0/8, or single addresses. What anybody else says of that kind is replaced, and reaches no upstream.
	TrustedProxies []Network `yaml:"trusted_proxies"`
	// What Sabir writes about itself, to standard error.
	Log Log `yaml:"log"`
	// Which addresses Sabir may connect to.
	Dial Dial `yaml:"dial"`
	// Sends traces of runs to a collector of OpenTelemetry; left out, there are none.
	Tracing *Tracing `yaml:"tracing,omitempty"`
	// Writes a line about each run, for those who have to say later who did what; left out, there is none.
	Audit *Audit `yaml:"audit,omitempty"`
	// How much of anything is accepted.
	Limits Limits `yaml:"limits"`
	// How long anything may take.
	Timeouts Timeouts `yaml:"timeouts"`
	// How much of a stream may be held back while it waits for an event that belongs before it.
	Hold Hold `yaml:"hold"`
	// Which web pages of other origins may call the routes and read the streams; routes can say otherwise.
	CORS CORS `yaml:"cors"`
	// Names by which clients may call this server, without scheme and port, such as agents.example.com or
	// *.example.com; "*" alone allows every name. A request whose Host is another name is refused with status 421, which
	// is what stops a web page that lets its own name point to this machine. The address that was called, the host of
	// listen, localhost and loopback addresses are always allowed. Empty: only these where listen, or admin, is a
	// loopback address, and every name elsewhere.
	Hosts []string `yaml:"hosts"`
	// Dialects of your own: the name of each, and the file that describes it, relative to the folder of the configuration.
	Dialects map[string]string `yaml:"dialects"`
	// Conversations that Sabir remembers.
	Threads Threads `yaml:"threads"`
	// Where runs are kept that clients can come back to; routes say which, with resume.
	Store Store `yaml:"store"`
	// The agent servers, by a name of your choice. One that no route uses is checked all the same.
	Upstreams map[string]*Upstream `yaml:"upstreams" jsonschema:"required"`
	// What clients can call.
	Routes []*Route `yaml:"routes" jsonschema:"required,minItems=1"`

	// Declared are the contents of the files in Dialects, by name. [Parse], which reads no files, leaves it empty.
	Declared map[string]map[string]any `yaml:"-"`

	// Doubts are warnings of what the file says that came up when it was read, see [Config.Warnings].
	Doubts []string `yaml:"-"`
}

// Log says what Sabir writes about itself.
type Log struct {
	// The least severe lines that are written.
	Level string `yaml:"level" jsonschema:"enum=debug,enum=info,enum=warn,enum=error"`
	// json for machines, console for people.
	Format string `yaml:"format" jsonschema:"enum=json,enum=console"`
	// Whether what upstreams say of errors is logged, up to 2 KiB of each: the bodies of answers that are no success, and what
	// an agent says of a run that failed. Servers repeat in them what users have written. Off, the log has their status, type
	// and length, and the code in them if that is a word such as rate_limit_exceeded.
	UpstreamErrors bool `yaml:"upstream_errors"`
}

// Limits bound what is accepted. Sizes are bytes, or have a unit: B, KB, MB, GB (powers of 1000), KiB, MiB, GiB (of 1024).
type Limits struct {
	// Streams open at the same time, over all routes; more are refused with status 503. 0 is no limit.
	Streams int `yaml:"streams" jsonschema:"minimum=0"`
	// Requests over all routes, as in 100/s, 600/m or 1000/h; more are refused with status 429. Those that end runs do not count.
	// Empty: any number.
	Rate Rate `yaml:"rate"`
	// How many requests may come at once. 0: as many as rate counts.
	Burst int `yaml:"burst" jsonschema:"minimum=0"`
	// Tokens that agents report, over all routes; while more were used, further runs are refused with status 429. 0: any number.
	TokensPerMinute int `yaml:"tokens_per_minute" jsonschema:"minimum=0"`
	// What each client may use, over all routes.
	Principal Quota `yaml:"principal"`
	// What single clients may use in place of that, by their names.
	Principals map[string]Quota `yaml:"principals"`
	// When new runs are refused with status 503, so that those that run keep their pace: the clients that have the most first.
	Shed Shed `yaml:"shed"`
	// Connections of clients open at the same time; more are refused with status 503. 0 derives it from the limit of
	// open files, with a reserve for upstreams, and from streams: two for each.
	Connections int `yaml:"connections" jsonschema:"minimum=0"`
	// The largest request body from a client; larger ones are refused with status 413.
	RequestBody Size `yaml:"request_body" jsonschema:"minimum=1"`
	// The memory of all request bodies that are being received, or wait to be sent to an upstream; a request that does
	// not fit in is refused with status 503. It must hold the largest body that a route accepts.
	Bodies Size `yaml:"bodies" jsonschema:"minimum=1"`
	// The largest single record of a stream; a larger one ends the stream with an error.
	Record Size `yaml:"record" jsonschema:"minimum=1"`
	// The most text of a stream that is kept because the client's dialect says it again when it is complete (adk,
	// claude-cli, codex-app-server, copilot, openai-responses); a stream that needs more ends with an error.
	KeptText Size `yaml:"kept_text" jsonschema:"minimum=1"`
	// The deepest nesting of JSON in a record; a deeper record is dropped with an error. Bodies of requests that are read may always
	// have 512 levels.
	Nesting int `yaml:"nesting" jsonschema:"minimum=1,maximum=10000"`
	// The largest header of a request, all fields and the request line together; and of an upstream's answer.
	Header Size `yaml:"header" jsonschema:"minimum=1024"`
}

// Threads are conversations that are remembered for clients that send only what is new, in front of agents that need the whole history.
type Threads struct {
	// Header fields of requests whose values separate clients: one cannot go on with the conversation of another, also not with
	// one that an agent keeps. Sabir does not check them; a route with auth takes the client that it knows in place of the fields
	// with the credentials. Empty: nothing else separates them.
	Principal []string `yaml:"principal"`
	// How many are remembered at most, with store.redis by all replicas together; what was used longest ago is forgotten first.
	Max int `yaml:"max" jsonschema:"minimum=0"`
	// How many of these one client has at most on a route, and likewise of runs that it can come back to by their names; what it used longest
	// ago is forgotten first, so that a client that begins very many does not make Sabir forget those of others. Each answer that a client can
	// go on from counts. Clients that nothing separates, see principal, are one. 0: as many as there are of all.
	PerClient int `yaml:"per_client" jsonschema:"minimum=0"`
	// The memory of all of them; with store.redis, what one of them may hold.
	Memory Size `yaml:"memory" jsonschema:"minimum=0"`
	// How long one is remembered without a turn; with store.redis also what it says, though the client deletes it.
	Keep time.Duration `yaml:"keep" jsonschema:"minimum=1"`
}

// Timeouts bound how long things take. Durations are written as 250ms, 30s, 5m or 1h30m.
type Timeouts struct {
	// Until the connection to the upstream stands, TLS included.
	Connect time.Duration `yaml:"connect" jsonschema:"minimum=1"`
	// From the request until the first byte of the upstream's answer.
	FirstByte time.Duration `yaml:"first_byte" jsonschema:"minimum=1"`
	// Silence of the upstream in the middle of a stream; then it counts as dead. Pings and pongs of a WebSocket upstream
	// break the silence.
	Idle time.Duration `yaml:"idle" jsonschema:"minimum=1"`
	// How long a connection to the upstream is kept without a request, and less where the upstream says so by
	// Keep-Alive: timeout. It should be shorter than what the server has: many close after 5s. 0 keeps none.
	IdleConnection time.Duration `yaml:"idle_connection" jsonschema:"minimum=0"`
	// Until a client has sent its whole request, or one message of a WebSocket, from its first byte.
	Read time.Duration `yaml:"read" jsonschema:"minimum=1"`
	// How long a slow client may block one write before it is cut off.
	Write time.Duration `yaml:"write" jsonschema:"minimum=1"`
	// The longest a whole stream may last. 0 is no limit.
	Stream time.Duration `yaml:"stream" jsonschema:"minimum=0"`
	// Silence after which the client gets a sign of life. 0 sends none.
	Keepalive time.Duration `yaml:"keepalive" jsonschema:"minimum=0"`
	// On shutdown, how long running streams may go on before they are ended. 0 ends them at once.
	Drain time.Duration `yaml:"drain" jsonschema:"minimum=0"`
	// How long streams go on in a process that a hot restart (SIGUSR2) has replaced, before they are ended. 0: to their end.
	Restart time.Duration `yaml:"restart" jsonschema:"minimum=0"`
}

// Hold bounds what one stream may keep back to repair its order; whatever bound is met first releases everything.
type Hold struct {
	// Events held back.
	Events int `yaml:"events" jsonschema:"minimum=1"`
	// Their size in memory.
	Bytes Size `yaml:"bytes" jsonschema:"minimum=1"`
	// How long the oldest of them may wait.
	Age time.Duration `yaml:"age" jsonschema:"minimum=1"`
}

// CORS lets web pages of other origins call the routes and read the streams. While no origin is listed, what they send is
// refused with status 403: any page that is open in a browser could start runs otherwise.
type CORS struct {
	// Origins as browsers send them, such as https://app.example.com; "*" alone allows every origin. Where a program
	// makes its host up, as editors do, * stands for it: vscode-webview://*.
	Origins []string `yaml:"origins"`
	// Whether cookies and Authorization may come along. Not together with "*".
	Credentials bool `yaml:"credentials"`
}

// Route is a path that clients can call, and what answers there.
type Route struct {
	// The path of requests, exactly as written; with /* at its end, every path below. The longest match wins.
	Path string `yaml:"path" jsonschema:"required"`
	// For clients that ask by two requests: a path with /* at its end, as path must have then; what stands in place of
	// the * is the conversation. GET on path opens the stream at once, and it waits, with signs of life, as long as
	// timeouts.idle of the upstream; then it ends without a record. POST here runs the agent with its body as the
	// request, into the stream that was opened last for the same conversation, and is answered {"success":true} at
	// once; with status 404 if none is open, and 409 if one runs already. Without auth a conversation is not protected: whoever
	// knows its name can start and cancel its runs. Other methods on path, and WebSockets, are answered as without start.
	Start string `yaml:"start"`
	// With start, the path, with /* at its end, where POST ends the run of a conversation: the upstream is given up, the
	// stream says that it was cancelled, and the answer is {"success":true}; with status 404 if none runs. Empty: clients
	// can only leave.
	Cancel string `yaml:"cancel"`
	// Which credentials every request needs: a list of schemes (keys, jwt, mtls, forward) of which one is enough, or {all: [...]}.
	// Who the client is separates its conversations and runs from those of others. Left out, the route is open to everybody.
	Auth RouteAuth `yaml:"auth,omitempty"`
	// Whether the fields with the credentials that were accepted reach the upstream. headers.allow counts all the same.
	AuthPass bool `yaml:"auth_pass"`
	// Name of the upstream that answers.
	Upstream string `yaml:"upstream" jsonschema:"required,entry=upstreams"`
	// The dialect of the client. auto: the header X-Sabir-Dialect says it, then Accept, then default.
	Client string `yaml:"client" jsonschema:"required"`
	// With client auto, the dialect of requests that name none.
	Default string `yaml:"default"`
	// Options of the client's dialect. With client auto, they stand under the name of each dialect.
	Options map[string]any `yaml:"options"`
	// How the records of the answer follow each other. auto is the dialect's own, and WebSocket for clients that
	// come by WebSocket.
	Framing string `yaml:"framing" jsonschema:"enum=auto,enum=sse,enum=ndjson,enum=concat,enum=websocket,enum=length-prefix,enum=content-length,enum=amazon-eventstream"`
	// Methods that are answered; others get status 405. WebSocket handshakes count as GET, and so does HEAD where both
	// sides speak the same dialect.
	Methods []string `yaml:"methods" jsonschema:"minItems=1,enum=GET,enum=POST,enum=PUT,enum=PATCH,enum=DELETE"`
	// What is done to a stream before it is written in the client's dialect. It has no effect on streams that are
	// copied, because both sides speak the same dialect.
	Shape Shape `yaml:"shape"`
	// What must not leave to clients: keys, numbers of cards, addresses and patterns of your own. Left out: anything may.
	Redact Redact `yaml:"redact"`
	// Header fields of requests.
	Headers RouteHeaders `yaml:"headers"`
	// Limits of this route.
	Limits RouteLimits `yaml:"limits"`
	// Timeouts that differ from the top level.
	Timeouts RouteTimeouts `yaml:"timeouts"`
	// Signs of life are filled up to this size, for balancers that hold small frames back. At most 64KiB.
	KeepalivePadding Size `yaml:"keepalive_padding" jsonschema:"minimum=0,maximum=65536"`
	// The description of the agent that clients receive, where their protocol asks for it; the path must end with /* for that.
	Agent Agent `yaml:"agent"`
	// What becomes of the bodies of requests.
	Requests Requests `yaml:"requests"`
	// What becomes of questions of agents that wait for the answer, as processes do.
	Asks Asks `yaml:"asks"`
	// Whether runs outlive the connections of their clients, which can come back to them then.
	Resume Resume `yaml:"resume"`
	// Which runs are written to files.
	Record Record `yaml:"record"`
	// Whether streams are checked against the rules of their dialects, those of the upstream and those that clients get: observe counts and
	// logs what breaks them, strict also ends a stream where its upstream breaks the first.
	Conformance string `yaml:"conformance" jsonschema:"enum=off,enum=observe,enum=strict"`
	// What clients learn of errors.
	Errors Errors `yaml:"errors"`
	// Which web pages of other origins may read this route, if that differs from the top level.
	CORS CORS `yaml:"cors"`
}

// Agent is the description of the agent behind a route that clients receive.
type Agent struct {
	// The name of the agent. Empty: default.
	Name string `yaml:"name"`
	// What the agent does, in a sentence.
	Description string `yaml:"description"`
	// The models in a list of models. Empty: that of requests, or the name of the agent.
	Models []string `yaml:"models"`
}

// Requests say what becomes of the bodies of requests.
type Requests struct {
	// translate writes them anew in the dialect of the upstream, where Sabir can do so for both dialects; "sabir dialects" says
	// which. Else, and where both sides speak the same dialect, they pass as they came. pass passes them always.
	Mode string `yaml:"mode" jsonschema:"enum=translate,enum=pass"`
	// Whether a request is refused, with status 400, if the dialect of the upstream has no place for something in it that the client's API
	// does not demand. Otherwise that is left out, and counted.
	Strict bool `yaml:"strict"`
	// The model that the upstream is asked for where the client's request names none.
	Model string `yaml:"model"`
}

// Asks say what becomes of questions of agents that wait for the answer.
type Asks struct {
	// How long the client may take for the answer; then the question is refused, and the turn ended.
	Wait time.Duration `yaml:"wait" jsonschema:"minimum=1"`
	// The answer for clients whose dialect has no form for questions.
	Without string `yaml:"without" jsonschema:"enum=deny,enum=allow"`
}

// RouteHeaders choose among the header fields of a request.
type RouteHeaders struct {
	// Fields that are passed on to the upstream, in place of the usual ones. Those that belong to one connection never
	// are; X-Forwarded-* and the like only if they come from a trusted proxy; Content-Encoding always goes with its body.
	Allow []string `yaml:"allow"`
}

// RouteLimits are the limits that a route can have of its own.
type RouteLimits struct {
	// Streams open at the same time on this route. 0 leaves it to the limit over all routes.
	Streams int `yaml:"streams" jsonschema:"minimum=0"`
	// Requests on this route, as in 10/s, 600/m or 1000/h; more are refused with status 429. Those that end runs do not count. Empty:
	// any number.
	Rate Rate `yaml:"rate"`
	// How many requests may come at once. 0: as many as rate counts.
	Burst int `yaml:"burst" jsonschema:"minimum=0"`
	// Tokens that the agent reports; while more were used, further runs are refused with status 429. 0: any number.
	TokensPerMinute int `yaml:"tokens_per_minute" jsonschema:"minimum=0"`
	// What each client may use on this route, beside what it may use over all.
	Principal Quota `yaml:"principal"`
	// The largest request body from a client; larger ones are refused with status 413.
	RequestBody Size `yaml:"request_body" jsonschema:"minimum=1"`
}

// RouteTimeouts are the timeouts that a route can have of its own.
type RouteTimeouts struct {
	// How long a slow client may block one write before it is cut off.
	Write time.Duration `yaml:"write" jsonschema:"minimum=1"`
	// The longest a whole stream may last. 0 is no limit.
	Stream time.Duration `yaml:"stream" jsonschema:"minimum=0"`
	// Silence after which the client gets a sign of life. 0 sends none.
	Keepalive time.Duration `yaml:"keepalive" jsonschema:"minimum=0"`
}

// Errors say what clients learn of errors.
type Errors struct {
	// Whether the agent's own texts of errors and warnings may reach the client. They can name internals. If not, a text
	// of Sabir's own, a well-known code and the request id stand in their place.
	Expose bool `yaml:"expose"`
}

// LargestBody is the largest request body that any route accepts.
func (c *Config) LargestBody() Size {
	n := c.Limits.RequestBody
	for _, r := range c.Routes {
		if r != nil {
			n = max(n, r.Limits.RequestBody)
		}
	}
	return n
}

// allowed are the request fields that are passed on where a route says nothing: who asks, in which language and which version of an API,
// and the identity of the request and its trace.
var allowed = []string{
	"a2a-extensions", "a2a-version", "accept-language", "anthropic-version", "authorization", "baggage", "content-type", "cookie",
	"idempotency-key", "openai-organization", "openai-project", "traceparent", "tracestate", "user-agent", "x-a2a-extensions", "x-api-key",
	"x-goog-api-key", "x-request-id",
}

// defaults returns the configuration of an empty file.
func defaults() *Config {
	return &Config{
		Admin: Admin{Listen: "127.0.0.1:9090"}, Inspect: Off,
		Log: Log{Level: "info", Format: "json"},
		Limits: Limits{
			Streams:     10_000,
			Shed:        Shed{Delay: 250 * time.Millisecond, Memory: 85},
			RequestBody: 8 * MiB,
			Bodies:      256 * MiB,
			Record:      16 * MiB,
			KeptText:    16 * MiB,
			Nesting:     512,
			Header:      16 * KiB,
		},
		Timeouts: Timeouts{
			Connect:   5 * time.Second,
			FirstByte: 60 * time.Second,
			Idle:      120 * time.Second,
			Read:      30 * time.Second,
			Write:     30 * time.Second,
			Keepalive: 15 * time.Second,
			Drain:     30 * time.Second,
			Restart:   10 * time.Minute,

			IdleConnection: 4 * time.Second,
		},
		HTTP2:     HTTP2{TLS: true, Streams: 100},
		Auth:      Auth{MTLS: MTLS{Principal: "auto"}},
		Threads:   Threads{Principal: []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"}, Max: 10_000, Memory: 256 * MiB, Keep: 24 * time.Hour},
		Store:     Store{Bytes: 256 * MiB, Redis: usualRedis},
		Hold:      Hold{Events: 1024, Bytes: MiB, Age: 2 * time.Second},
		Upstreams: map[string]*Upstream{},
	}
}

// inherit fills in what a route is while it says nothing itself.
func (r *Route) inherit(c *Config) {
	t := c.Timeouts
	r.Framing = Auto
	r.Methods = []string{"GET", "POST"}
	r.Requests.Mode = "translate"
	r.Asks, r.Resume, r.Record = usualAsks, usualResume, usualRecord
	r.Headers.Allow = slices.Clone(allowed)
	r.Limits.RequestBody = c.Limits.RequestBody
	r.Timeouts = RouteTimeouts{Write: t.Write, Stream: t.Stream, Keepalive: t.Keepalive}
	r.Shape = unsetShape()
	r.Conformance = Off
	r.Redact.Action = "mask"
	r.CORS = CORS{Origins: slices.Clone(c.CORS.Origins), Credentials: c.CORS.Credentials}
}
