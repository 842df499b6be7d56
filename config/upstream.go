package config

import (
	"crypto/tls"
	"time"
)

// Upstream is an agent server.
type Upstream struct {
	// Name is the key under which the upstream stands.
	Name string `yaml:"-"`

	// Where the stream is: http, https, ws or wss. The client's query is appended, but for parameters that stand here:
	// those of the client are dropped. Credentials do not belong here but into headers.
	// Of a server with an API for sessions (langgraph, adk) it can be the base, without the path of a run: then each conversation
	// has a session there. Required, unless command stands in its place.
	URL URL `yaml:"url,omitempty"`
	// The path of the unix socket on which the server listens. Its url says all else. Empty: the host of url is called.
	Socket string `yaml:"socket"`
	// Where the server runs, as host:port, if that is more than one place, or another than url says: as in [10.0.0.1:9000, 10.0.0.2:9000].
	// All else, also the name in Host and in certificates, is that of url. An address that a reload takes away gets no further runs;
	// those that it has go on.
	Addresses []string `yaml:"addresses"`
	// Which of the addresses a run goes to: the one with the fewest, or thread_hash, always the same for a conversation, as long as it
	// can serve.
	Balance string `yaml:"balance" jsonschema:"enum=least_loaded,enum=thread_hash"`
	// When an address is not used for a while, because it fails.
	Eject Eject `yaml:"eject"`
	// A request that finds out whether an address can serve. Left out, only runs show that.
	Check *Check `yaml:"check,omitempty"`
	// When a run goes to another address.
	Failover Failover `yaml:"failover"`
	// When runs are refused, because all fail.
	Breaker Breaker `yaml:"breaker"`
	// For an agent that is a program and no server: the program and its arguments, which speaks the dialect by lines on its
	// standard input and output. Each conversation has a process of its own. Requests are always translated.
	Command []string `yaml:"command,omitempty"`
	// With command, how processes are run.
	Process Process `yaml:"process"`
	// For servers that are asked by two requests: url is opened by GET first, and once it has answered, the client's
	// request goes to this URL. It must answer at once; what it answers, other than an error, does not matter. It has
	// the scheme, host and port of url. In the paths and queries of url, start and cancel, {thread} stands for the conversation:
	// what the client's request calls it, else what the path has beyond that of a route with /*, else the request id.
	// Where it stands, the rest of the client's path is not appended. Not set: one request is all.
	Start *URL `yaml:"start,omitempty"`
	// With start, what is called by POST, once, when a run that was started is given up before its end: because the
	// client left, or because Sabir ended it. The call takes connect and first_byte together at most, and never more
	// than 5s; its failure is logged and counted. The body is {"conversationId":"…","reason":"…"}. Not set: the connection is closed, as ever.
	Cancel *URL `yaml:"cancel,omitempty"`
	// The dialect the server speaks; "sabir dialects" lists them.
	Dialect string `yaml:"dialect" jsonschema:"required"`
	// Options of that dialect.
	Options map[string]any `yaml:"options"`
	// The body of the request that the server takes, as a template: docs/declared-dialects.md has its language. It takes the place of
	// the form that the dialect has. Empty: that form, or else the client's body.
	Request string `yaml:"request"`
	// The dialect whose form requests have for this server, where that is another than the one it answers in: as openai-responses for
	// one that passes its body to an SDK of OpenAI's. Empty: that of dialect.
	RequestDialect string `yaml:"request_dialect"`
	// Whether the server is asked for its answer in one piece, because it cannot stream. It counts where requests are translated.
	Whole bool `yaml:"whole"`
	// How its records follow each other. auto recognises it from the first bytes.
	Framing string `yaml:"framing" jsonschema:"enum=auto,enum=sse,enum=ndjson,enum=concat,enum=websocket,enum=length-prefix,enum=content-length,enum=amazon-eventstream"`
	// Method of the call. Empty takes the client's, and POST for a client that came by WebSocket.
	Method string `yaml:"method" jsonschema:"enum=,enum=GET,enum=POST,enum=PUT,enum=PATCH,enum=DELETE"`
	// Header fields of the call.
	Headers UpstreamHeaders `yaml:"headers"`
	// How the server of an https or wss URL is recognised.
	TLS TLS `yaml:"tls"`
	// Asks by HTTP/2: by TLS (ALPN), or without where the URL is http (prior knowledge). Runs share connections then.
	HTTP2 bool `yaml:"http2"`
	// Timeouts that differ from the top level.
	Timeouts UpstreamTimeouts `yaml:"timeouts"`
	// How long the end of a run waits for events that come after it. Not set: what the dialect is known to need.
	Settle *time.Duration `yaml:"settle,omitempty" jsonschema:"minimum=0"`
}

// Process says how the processes of an agent are run.
type Process struct {
	// The directory that they work in. Empty: each has one of its own, which is empty at first and removed with its conversation.
	Dir string `yaml:"dir"`
	// Names of environment variables of Sabir's own that they see. No other is passed on.
	Env []string `yaml:"env"`
	// Environment variables that are set. Their values are never logged.
	SetEnv map[string]Secret `yaml:"set_env"`
	// How much memory a process may hold, with everything that it has started; what they share counts more than once. One that holds more
	// is killed, and its turn fails. 0: any.
	Memory Size `yaml:"memory" jsonschema:"minimum=0"`
	// Processes at the same time; a further conversation ends the process that was idle longest, or is refused with status 503 if
	// none is.
	Max int `yaml:"max" jsonschema:"minimum=1,maximum=10000"`
	// How long a process is kept without a turn. The conversation can go on after that, in a new process.
	Idle time.Duration `yaml:"idle" jsonschema:"minimum=1"`
	// How long a conversation is kept without a turn. What the client sends after that begins another.
	Keep time.Duration `yaml:"keep" jsonschema:"minimum=1"`
	// Conversations that are kept at most; the one that was idle longest is forgotten first.
	Sessions int `yaml:"sessions" jsonschema:"minimum=1,maximum=1000000"`
	// What becomes of a conversation that began elsewhere, or whose earlier part the client has changed: preamble tells it to a new
	// process as text, refuse answers with status 409.
	History string `yaml:"history" jsonschema:"enum=preamble,enum=refuse"`
}

// UpstreamHeaders change the call to an upstream.
type UpstreamHeaders struct {
	// Fields that are set on every call, over those the client sent. Their values are never logged. {principal} in a value is who the
	// client is, as the route's auth has found; without one, the field is left out.
	Set map[string]Secret `yaml:"set"`
}

// UpstreamTimeouts are the timeouts that an upstream can have of its own.
type UpstreamTimeouts struct {
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
}

// TLS says how an upstream proves who it is, and Sabir to it. See [TLS.Client].
type TLS struct {
	// File with the PEM certificates to trust, seen from the folder of the configuration file. Empty trusts what the
	// system trusts.
	CA string `yaml:"ca"`
	// File with Sabir's own certificate, PEM, for servers that ask for one. Empty has none.
	Cert string `yaml:"cert"`
	// File with the private key of that certificate, PEM.
	Key string `yaml:"key"`
	// Name expected in the certificate. Empty is the host of the URL.
	ServerName string `yaml:"server_name"`
	// Accepts any certificate. For experiments only: everybody on the way can read and change the stream.
	InsecureSkipVerify bool `yaml:"insecure_skip_verify"`
}

// inherit fills in what an upstream is while it says nothing itself.
func (u *Upstream) inherit(c *Config) {
	t := c.Timeouts
	u.Framing = Auto
	u.Process = usualProcess()
	u.Balance, u.Eject, u.Failover, u.Breaker = LeastLoaded, usualEject, usualFailover, usualBreaker
	u.Timeouts = UpstreamTimeouts{Connect: t.Connect, FirstByte: t.FirstByte, Idle: t.Idle, IdleConnection: t.IdleConnection}
}

// Client returns the TLS configuration for connections to the upstream. It reads the certificates anew, so that a
// reload sees those that were renewed.
func (t *TLS) Client() (*tls.Config, error) {
	c := &tls.Config{ServerName: t.ServerName, InsecureSkipVerify: t.InsecureSkipVerify, MinVersion: tls.VersionTLS12}
	var err error
	if t.CA != "" {
		if c.RootCAs, err = readPool(t.CA); err != nil {
			return nil, err
		}
	}
	if t.Cert != "" && t.Key != "" {
		pair, err := readPair(t.Cert, t.Key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
