package proxy

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/upstream"
)

// hint is what may help with a stream that ended with one of these codes.
type hint struct {
	codes []hub.Code
	fits  func(x *stream, f *hub.Failure) bool // nil: always
	says  string                               // with {unlike}, what the answer is labelled as, and {dialect}, that of the upstream
}

// hints are all that there are; the first that fits is in the line of log. docs/troubleshooting.md says more of each.
var hints = []hint{
	{[]hub.Code{hub.CodeMalformed}, isCoded, "the agent, or a proxy before it, compresses the answer in a way that cannot be undone here, though it is asked not to (Accept-Encoding: identity): turn that off there"},
	{[]hub.Code{hub.CodeReset}, lacksCloseNotify, "an answer without a length lasts until its connection ends, and without the close_notify of TLS it may have been cut: the agent's server has to send that, or chunks, or a length"},
	{[]hub.Code{hub.CodeMalformed, hub.CodeTruncated}, isUnlike, "the answer does not look like a stream: {unlike}"},
	{[]hub.Code{hub.CodeTruncated, hub.CodeReset}, saidNothing, "the agent took the request and said nothing: the url has to be where a run is asked for; sabir detect --ask URL shows what it answers"},
	{[]hub.Code{hub.CodeMalformed, hub.CodeTruncated, hub.CodeReset}, speaksOther, "the records are not those of {dialect}: sabir detect --ask URL says what the agent speaks, and --draft describes records of its own, see docs/declared-dialects.md"},
	{[]hub.Code{hub.CodeTruncated}, saidOther, "the answer ended before its run did, and some of its records are not of {dialect}: one of them may be the end, or say why the agent failed; inspect: content shows them, and a dialect of your own needs a rule about them"},
	{[]hub.Code{hub.CodeTruncated}, nil, "the answer ended before its run did: the agent failed, or a proxy before it cut the stream; for a dialect of your own, end_of_body: done takes that for the end"},
	{[]hub.Code{hub.CodeReset}, wasOpen, "the connection was lost in the middle of the answer: the agent ended or was started anew, or a proxy before it cut the stream"},
	{[]hub.Code{hub.CodeReset}, nil, "the agent hung up without an answer: it failed, or its url needs https in place of http"},
	{[]hub.Code{hub.CodeUnreachable}, isPlain, "the agent speaks plain HTTP: its url begins with http, not https"},
	{[]hub.Code{hub.CodeUnreachable}, isOutOfDate, "the certificate of the agent has expired, or is not valid yet: it has to be renewed there, or the clock of this machine is wrong"},
	{[]hub.Code{hub.CodeUnreachable}, isUntrusted, "the certificate of the agent is of an authority that is not trusted here, or of another name: tls: {ca: FILE} or tls: {server_name: NAME} of the upstream"},
	{[]hub.Code{hub.CodeUnreachable, hub.CodeTimeout}, failsTLS, "something listens at the url, but no TLS connection comes of it, and cause says why: it may speak plain HTTP (http in place of https), TLS older than 1.2, or no HTTP/2 (leave out http2)"},
	{[]hub.Code{hub.CodeUnreachable, hub.CodeTimeout}, isUnnamed, "DNS has no address for the host of the url, or does not answer: look at the name, and at whether it is known where Sabir runs"},
	{[]hub.Code{hub.CodeRefused, hub.CodeUnreachable}, nil, "nothing answers at the url: the agent does not run, or its host or port is another; in a container, 127.0.0.1 is the container itself"},
	{[]hub.Code{hub.CodeNotFound}, nil, "the agent has no such path: the url has to be where a run is asked for, or for servers with sessions the base"},
	{[]hub.Code{hub.CodeUnauthorized}, nil, "the agent wants credentials, or others: those of the client, or headers: {set: {Authorization: ...}} of the upstream"},
	{[]hub.Code{hub.CodeAgent, hub.CodeBadRequest, hub.CodeStatus}, hidesErrors, "log: {upstream_errors: true} shows what the agent says of it"},
}

// described is what an answer is labelled as.
func described(body *upstream.Body) string {
	return fmt.Sprintf("status %d, %s", body.Status, upstream.MediaType(body.Header))
}

// isUnlike reports that an answer is labelled as something else than a stream, and the client has got nothing of it.
func isUnlike(x *stream, _ *hub.Failure) bool { return x.unlike != "" && x.pump.wrote == 0 }

// saidNothing reports that an answer has begun, and has no record.
func saidNothing(x *stream, _ *hub.Failure) bool {
	return x.opened && x.stats.Records == 0 && x.stats.BytesIn == 0
}

// speaksOther reports that most records are of another dialect.
func speaksOther(x *stream, _ *hub.Failure) bool {
	return x.stats.UnrecognisedShare() > engine.MostlyUnrecognised
}

// saidOther reports that some records are of another dialect.
func saidOther(x *stream, _ *hub.Failure) bool { return x.stats.Unrecognised > 0 }

func wasOpen(x *stream, _ *hub.Failure) bool { return x.opened }

func hidesErrors(x *stream, _ *hub.Failure) bool { return !x.call.route.global.Log.UpstreamErrors }

// isPlain reports that a server has answered a TLS handshake with something else.
func isPlain(_ *stream, f *hub.Failure) bool {
	var plain tls.RecordHeaderError
	return f != nil && errors.As(f.Cause, &plain)
}

// isUntrusted reports that the certificate of a server was refused.
func isUntrusted(_ *stream, f *hub.Failure) bool {
	var bad *tls.CertificateVerificationError
	return f != nil && errors.As(f.Cause, &bad)
}

// isOutOfDate reports that the certificate of a server is not valid at the time.
func isOutOfDate(_ *stream, f *hub.Failure) bool {
	var bad x509.CertificateInvalidError
	return f != nil && errors.As(f.Cause, &bad) && bad.Reason == x509.Expired
}

// failsTLS reports that a server has taken the connection, but not TLS.
func failsTLS(_ *stream, f *hub.Failure) bool {
	var fault *upstream.HandshakeError
	return f != nil && errors.As(f.Cause, &fault)
}

// isUnnamed reports that the name of a server has led to no address.
func isUnnamed(_ *stream, f *hub.Failure) bool {
	var fault *net.DNSError
	return f != nil && errors.As(f.Cause, &fault)
}

// isCoded reports that an answer is compressed, and cannot be read.
func isCoded(_ *stream, f *hub.Failure) bool {
	var fault *upstream.CodingError
	return f != nil && errors.As(f.Cause, &fault)
}

// lacksCloseNotify reports that a connection has ended under TLS.
func lacksCloseNotify(_ *stream, f *hub.Failure) bool {
	return f != nil && errors.Is(f.Cause, upstream.ErrNoCloseNotify)
}

// hintFor is what may help, "" if nothing is known. Agents that are processes have no URL to correct.
func (x *stream) hintFor(f *hub.Failure) string {
	if x.agent != nil {
		return ""
	}
	code := hub.CodeMalformed
	if f != nil {
		code = f.Code
	} else if !speaksOther(x, f) {
		return ""
	}
	for _, h := range hints {
		if slices.Contains(h.codes, code) && (h.fits == nil || h.fits(x, f)) {
			return strings.NewReplacer("{unlike}", x.unlike, "{dialect}", x.call.route.source.Name).Replace(h.says)
		}
	}
	return ""
}
