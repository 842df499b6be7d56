package proxy

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/internal/http1"
)

// Codes of requests that are rejected before they are understood. Together with those of package hub they are the label of
// a metric.
const (
	codeRequestTimeout  = "request_timeout"
	codeBadHandshake    = "bad_handshake"
	codeTooManyMessages = "too_many_messages"
)

// Codes of requests that start or cancel a run and find nothing to do so.
const (
	codeNoStream    = "no_open_stream"
	codeRunsAlready = "runs_already"
	codeNothingRuns = "nothing_runs"
)

// rejections are all codes with which a request is refused before an upstream is asked. Their counters exist from the
// start, so that an alert on one of them works before it first happens.
var rejections = []string{
	string(hub.CodeBodyTooLarge), string(hub.CodeBadMethod), string(hub.CodeBadDialect), string(hub.CodeNoRoute),
	string(hub.CodeUnauthenticated), string(hub.CodeExpired), string(hub.CodeForbidden), string(hub.CodeAuthUnavailable),
	string(hub.CodeBadOrigin), string(hub.CodeBadHost), string(hub.CodeBodies),
	string(hub.CodeUnreadable), string(hub.CodeLossy), string(hub.CodePartial), string(hub.CodeNoEndpoint),
	string(hub.CodeSessionBusy), string(hub.CodeThreadExists), string(hub.CodeConnUnknown), string(hub.CodeReaderTwice), string(hub.CodeNotFound),
	string(hub.CodeAnswerUnknown), string(hub.CodeAnswerRuns), string(hub.CodeAnswerTaken),
	string(hub.CodeRate), string(hub.CodeTokens), string(hub.CodeLimit), string(hub.CodeOverload), string(hub.CodeShutdown), string(hub.CodeInternal),
	http1.CodeHeaderTooLarge, codeRequestTimeout, http1.CodeBadRequest, http1.CodeBadVersion, codeBadHandshake, codeTooManyMessages,
	codeNoStream, codeRunsAlready, codeNothingRuns,
}
