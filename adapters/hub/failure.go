package hub

import (
	"strconv"
	"strings"
)

// Code is why a stream ended other than in good order: a closed set, used as the code that clients see, as the label
// of metrics and in logs.
type Code string

// Codes. The upstream's side first, then the client's, then Sabir's own.
const (
	CodeUnreachable  Code = "upstream_unreachable"  // no connection
	CodeRefused      Code = "upstream_refused"      // connection refused
	CodeBroken       Code = "upstream_failing"      // it has failed so often that it is not asked for a while
	CodeDenied       Code = "upstream_denied"       // its address may not be called
	CodeTimeout      Code = "upstream_timeout"      // no answer in time
	CodeStatus       Code = "upstream_status"       // an HTTP status that is no success
	CodeUnauthorized Code = "upstream_unauthorized" // 401 or 403
	CodeCredentials  Code = "upstream_credentials"  // 401 or 403, and the credentials were those of the configuration
	CodeNotFound     Code = "upstream_not_found"    // 404
	CodeBusy         Code = "upstream_busy"         // 429 or 503
	CodeBadRequest   Code = "upstream_bad_request"  // another 4xx
	CodeReset        Code = "upstream_reset"        // cut inside the body
	CodeTruncated    Code = "upstream_truncated"    // body complete, but no final event
	CodeIdle         Code = "upstream_idle"         // silent for too long
	CodeMalformed    Code = "upstream_malformed"    // not the dialect that the route says
	CodeViolation    Code = "upstream_violation"    // it broke a rule of its dialect, and the route is strict
	CodeAgent        Code = "agent_error"           // the agent itself reported failure

	CodeClientGone   Code = "client_gone" // the client left
	CodeClientSlow   Code = "client_slow" // the client did not read in time
	CodeCancelled    Code = "cancelled"   // the client asked for the run to end, and listens for that
	CodeBodyTooLarge Code = "body_too_large"
	CodeBadMethod    Code = "bad_method"
	CodeBadDialect   Code = "bad_dialect" // asked for a dialect that does not exist
	CodeNoRoute      Code = "no_route"
	CodeBadOrigin    Code = "origin_not_allowed" // a web page that may not call the route
	CodeBadHost      Code = "host_not_allowed"   // called by a name that is not one of the server's
	CodeUnreadable   Code = "request_unreadable" // not a request of the client's dialect
	CodeLossy        Code = "request_lossy"      // the agent has no place for parts of it, and the route is strict
	CodePartial      Code = "history_missing"    // it holds only what is new, and the agent keeps no conversation
	CodeNoEndpoint   Code = "no_endpoint"        // the client's dialect has no such endpoint here

	CodeSessionBusy   Code = "session_busy"      // the conversation has a turn that runs
	CodeAskUnknown    Code = "ask_unknown"       // an answer to a question that is not open, or not any more
	CodeThreadExists  Code = "thread_exists"     // a conversation is to begin that is there already
	CodeAnswerUnknown Code = "answer_unknown"    // it goes on from an answer that is not known, or not any more
	CodeAnswerRuns    Code = "answer_unfinished" // it goes on from an answer that has not ended, or that another request goes on from
	CodeAnswerTaken   Code = "answer_continued"  // it goes on from an answer that another request has gone on from, where there can be one
	CodeHistory       Code = "history_changed"   // the agent keeps another version of the conversation, or none
	CodeRunUnknown    Code = "run_unknown"       // no run of that name is known, or not any more
	CodeRunEnded      Code = "run_ended"         // it is over: it can neither be ended nor go on
	CodeRunCut        Code = "run_cut"           // its beginning is not kept any more, so that no client can join it
	CodeRunUnread     Code = "run_unread"        // it had no reader for longer than its route allows, so that it was ended
	CodeUnsupported   Code = "unsupported"       // the client's dialect has it, and Sabir does not

	CodeConnUnknown Code = "connection_unknown" // the client names a connection of its protocol that is not there, or not any more
	CodeReaderTwice Code = "already_read"       // its events go to another request already

	CodeStore           Code = "store_unavailable"   // what replicas share cannot be reached
	CodeReplica         Code = "replica_silent"      // a replica that may have the run does not answer
	CodeUnauthenticated Code = "unauthenticated"     // the route wants credentials, or others
	CodeExpired         Code = "credentials_expired" // they were valid when the connection or the run began
	CodeForbidden       Code = "forbidden"           // they are valid, but not for this
	CodeAuthUnavailable Code = "auth_unavailable"    // they cannot be judged now

	CodeRate   Code = "too_many_requests" // of one client, on one route or in all
	CodeTokens Code = "too_many_tokens"   // runs have used more than they may

	CodeLimit    Code = "too_many_streams"
	CodeOverload Code = "overloaded"      // the process has more to do than it can
	CodeBodies   Code = "too_many_bodies" // no memory is left for another request body
	CodeDuration Code = "stream_too_long"
	CodeTooLong  Code = "answer_too_long" // more text than may be kept for a dialect that repeats it
	CodeBlocked  Code = "content_blocked" // the answer holds what may not leave
	CodeShutdown Code = "shutting_down"
	CodeInternal Code = "internal_error"
)

// Failure is how and why a stream failed. Text is safe for clients: it comes from the closed list and names no
// address; Cause holds the detail for the log.
type Failure struct {
	Code   Code
	Cause  error
	Note   string // an additional sentence for clients, made of closed vocabularies such as names of dialects
	Said   string // what the agent said of it, in place of the code's text: the body of a JSON string, as the stream would have it
	Status int    // of the HTTP response, where it says more than the code's own; 0 = the code's own

	RetryAfter int      // seconds after which asking again may help; 0 = not known
	Allow      []string // the methods that are allowed, where that of the request is not
	Challenge  []string // what credentials the agent server wants from the client, as WWW-Authenticate says it
}

type failureInfo struct {
	status int
	reason Status // of the RunEnd
	text   string
}

var failures = map[Code]failureInfo{
	CodeStore:           {503, StatusFailed, "The store of conversations and runs cannot be reached. Try again later."},
	CodeReplica:         {503, StatusFailed, "A replica of the proxy that may have the run does not answer. Try again later."},
	CodeRunUnread:       {410, StatusTruncated, "The answer had no reader for so long that its run was ended."},
	CodeUnreachable:     {502, StatusFailed, "The agent server cannot be reached."},
	CodeRefused:         {502, StatusFailed, "The agent server refused the connection."},
	CodeBroken:          {503, StatusFailed, "The agent server has failed too often."},
	CodeDenied:          {502, StatusFailed, "The address of the agent server may not be called. The log of the proxy says why."},
	CodeTimeout:         {504, StatusFailed, "The agent server did not answer in time."},
	CodeStatus:          {502, StatusFailed, "The agent server answered with an error."},
	CodeUnauthorized:    {401, StatusFailed, "The agent server did not accept the credentials."},
	CodeCredentials:     {502, StatusFailed, "The agent server refused the credentials that the proxy has for it."},
	CodeNotFound:        {404, StatusFailed, "The agent server does not know what was asked for."},
	CodeBusy:            {503, StatusFailed, "The agent server is busy. Try again later."},
	CodeBadRequest:      {400, StatusFailed, "The agent server did not accept the request."},
	CodeReset:           {502, StatusTruncated, "The connection to the agent server was lost before the answer was complete."},
	CodeTruncated:       {502, StatusTruncated, "The agent server stopped before the answer was complete."},
	CodeIdle:            {504, StatusTruncated, "The agent server went silent before the answer was complete."},
	CodeMalformed:       {502, StatusFailed, "The agent server sent something that could not be understood."},
	CodeViolation:       {502, StatusFailed, "The agent server broke a rule of the protocol that it speaks."},
	CodeAgent:           {502, StatusFailed, "The agent reported an error."},
	CodeClientGone:      {499, StatusCancelled, "The client left."},
	CodeClientSlow:      {408, StatusCancelled, "The client did not read the answer in time."},
	CodeCancelled:       {499, StatusCancelled, "The run was cancelled."},
	CodeBodyTooLarge:    {413, StatusFailed, "The request body is too large."},
	CodeBadMethod:       {405, StatusFailed, "This method is not allowed here."},
	CodeBadDialect:      {406, StatusFailed, "The requested dialect is not available here."},
	CodeNoRoute:         {404, StatusFailed, "There is no route for this path."},
	CodeBadOrigin:       {403, StatusFailed, "Web pages of this origin may not call this route. The log of the proxy says which setting allows it."},
	CodeBadHost:         {421, StatusFailed, "This proxy is not called by this host name. The log of the proxy says which setting allows it."},
	CodeUnreadable:      {400, StatusFailed, "The request cannot be read."},
	CodeLossy:           {400, StatusFailed, "The agent has no place for parts of the request."},
	CodePartial:         {400, StatusFailed, "The request holds only what is new, and the agent keeps no conversation. Send the whole conversation."},
	CodeNoEndpoint:      {404, StatusFailed, "There is no such endpoint here."},
	CodeBodies:          {503, StatusFailed, "Too many request bodies are being received. Try again later."},
	CodeSessionBusy:     {409, StatusFailed, "A turn of this conversation runs already."},
	CodeAskUnknown:      {409, StatusFailed, "The question that this answers is not open, or not any more."},
	CodeThreadExists:    {409, StatusFailed, "There is a conversation of this name already."},
	CodeAnswerUnknown:   {400, StatusFailed, "The answer that the request goes on from is not known, or not any more. Send the whole conversation."},
	CodeAnswerRuns:      {400, StatusFailed, "The answer that the request goes on from has not ended, or another request goes on from it."},
	CodeAnswerTaken:     {400, StatusFailed, "Another request has gone on from the same answer. Send the whole conversation."},
	CodeHistory:         {409, StatusFailed, "The agent does not know this conversation as the request shows it. Begin a new one."},
	CodeConnUnknown:     {404, StatusFailed, "The connection is not known, or not any more."},
	CodeReaderTwice:     {409, StatusFailed, "Another request reads these events already."},
	CodeRunUnknown:      {404, StatusFailed, "No run of this name is known, or not any more."},
	CodeRunCut:          {410, StatusFailed, "The beginning of this run is not kept any more."},
	CodeRunEnded:        {409, StatusFailed, "The run has ended."},
	CodeUnsupported:     {400, StatusFailed, "This is not offered here."},
	CodeUnauthenticated: {401, StatusFailed, "Credentials are needed here, and valid ones. Send a key or a token, or ask who runs this server."},
	CodeExpired:         {401, StatusTruncated, "The credentials have expired. Come back with new ones."},
	CodeForbidden:       {403, StatusFailed, "The credentials are valid, but do not allow this."},
	CodeAuthUnavailable: {503, StatusFailed, "Credentials cannot be checked at the moment. Try again later."},
	CodeRate:            {429, StatusFailed, "Too many requests were sent."},
	CodeTokens:          {429, StatusFailed, "Too many tokens were used."},
	CodeLimit:           {503, StatusFailed, "Too many streams are open. Try again later."},
	CodeOverload:        {503, StatusFailed, "The proxy has too much to do at the moment. Try again later."},
	CodeDuration:        {504, StatusTruncated, "The answer took longer than is allowed."},
	CodeTooLong:         {502, StatusFailed, "The answer is longer than can be passed on in this form."},
	CodeBlocked:         {502, StatusFailed, "The answer was ended because it holds something that may not leave."},
	CodeShutdown:        {503, StatusTruncated, "The proxy is shutting down. Try again."},
	CodeInternal:        {500, StatusFailed, "An internal error occurred."},
}

// Codes lists the closed set, in no particular order.
func Codes() []Code {
	all := make([]Code, 0, len(failures))
	for c := range failures {
		all = append(all, c)
	}
	return all
}

// Fail makes a failure.
func Fail(code Code, cause error) *Failure { return &Failure{Code: code, Cause: cause} }

// Error is for logs: the code and the cause.
func (f *Failure) Error() string {
	if f.Cause == nil {
		return string(f.Code)
	}
	return string(f.Code) + ": " + f.Cause.Error()
}

func (f *Failure) Unwrap() error { return f.Cause }

// Text is the message for clients.
func (f *Failure) Text() string {
	if f.Said != "" {
		return f.Said
	}
	if f.Note != "" {
		return failures[f.Code].text + " " + f.Note
	}
	return failures[f.Code].text
}

// HTTPStatus is the status of a response that fails before its first byte.
func (f *Failure) HTTPStatus() int {
	if f.Status != 0 {
		return f.Status
	}
	if s := failures[f.Code].status; s != 0 {
		return s
	}
	return 502
}

// Reason is the status of the RunEnd that reports the failure inside a stream.
func (f *Failure) Reason() Status { return failures[f.Code].reason }

// AppendFailure appends the default body of an HTTP error response: {"error":{"code":…,"message":…,"status":…}}.
func AppendFailure(dst []byte, f *Failure) []byte {
	dst = append(dst, `{"error":{"code":"`...)
	dst = append(dst, f.Code...)
	dst = append(dst, `","message":"`...)
	dst = append(dst, f.Text()...)
	dst = append(dst, `","status":`...)
	dst = strconv.AppendInt(dst, int64(f.HTTPStatus()), 10)
	return append(dst, "}}"...)
}

// FailureBody appends the body of an HTTP error response that has this form, in which TEXT stands for the text and CODE for the code.
func FailureBody(form string) func(dst []byte, f *Failure) []byte {
	return func(dst []byte, f *Failure) []byte {
		return append(dst, strings.NewReplacer("TEXT", f.Text(), "CODE", string(f.Code)).Replace(form)...)
	}
}

// FailureEnd makes the RunEnd that reports f to a client. m is filled and must live as long as the event.
func FailureEnd(f *Failure, m *More) Event {
	m.Err = []byte(f.Text())
	m.ErrCode = []byte(f.Code)
	return Event{Kind: RunEnd, Status: f.Reason(), Flags: Synthetic, More: m}
}
