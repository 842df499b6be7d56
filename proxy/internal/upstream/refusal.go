package upstream

import (
	"errors"
	"fmt"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// Refusal is an answer of an upstream whose status is no success.
//
// What the client gets for it, in the error form of its dialect and with a text of Sabir's own:
//
//	status of the upstream            status for the client   code
//	400 402 405 406 409 410 411 412   the same, since it is   upstream_bad_request
//	  413 414 415 416 417 422 423       about the request;
//	  424 428 431 451                   405 with Allow
//	another 4xx                       400                     upstream_bad_request
//	401 403                           the same, with          upstream_unauthorized
//	                                    WWW-Authenticate
//	401 403, and the configuration    502: the client cannot  upstream_credentials
//	  has credentials for the server    do anything about it
//	404                               404                     upstream_not_found
//	408                               504                     upstream_timeout
//	407 421 426                       502: they are about     upstream_status
//	                                    Sabir's connection
//	429 503                           the same, with          upstream_busy
//	                                    Retry-After
//	3xx, another 5xx                  502                     upstream_status
type Refusal struct {
	Status int
	Header *fasthttp.ResponseHeader
	Length int    // of the body, as far as it was read
	Body   string // its beginning
	Target string // of a redirect, for the log
}

// ownStatus are the statuses about the request itself, which stay what they are.
var ownStatus = []int{400, 402, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 422, 423, 424, 428, 431, 451}

// Refused is how an answer that is no success looks to the client.
func (u *Upstream) Refused(r *Refusal) *hub.Failure {
	f := hub.Fail(hub.CodeStatus, u.refusalCause(r))
	switch s := r.Status; {
	case (s == 401 || s == 403) && u.HasCredentials:
		f.Code = hub.CodeCredentials
	case s == 401 || s == 403:
		f.Code, f.Status, f.Challenge = hub.CodeUnauthorized, s, r.challenges()
	case s == 404:
		f.Code = hub.CodeNotFound
	case s == 408:
		f.Code = hub.CodeTimeout
	case s == 429 || s == 503:
		f.Code, f.Status = hub.CodeBusy, s
		f.RetryAfter, _ = r.retryAfter(time.Now())
	case s == 407 || s == 421 || s == 426:
	case slices.Contains(ownStatus, s):
		f.Code, f.Status = hub.CodeBadRequest, s
	case 400 <= s && s <= 499:
		f.Code = hub.CodeBadRequest
	}
	return f
}

// refusalCause is what the log says of it. Servers repeat in their errors what they were sent, which does not belong there
// here: the body stands in the log only if the configuration says so.
func (u *Upstream) refusalCause(r *Refusal) error {
	text := fmt.Sprintf("status %d (%s, %d bytes)", r.Status, MediaType(r.Header), r.Length)
	if r.Target != "" {
		text += ": redirects to " + r.Target
	}
	if (r.Status == 401 || r.Status == 403) && u.HasCredentials {
		text += ": the credentials that the configuration sets for this upstream were refused"
	}
	if u.bodies && r.Body != "" {
		text += ": " + r.Body
	}
	return errors.New(text)
}

// TellClient passes on the fields of the answer without which its status means little.
func (r *Refusal) TellClient(to *fasthttp.ResponseHeader, f *hub.Failure) {
	switch {
	case f.Code == hub.CodeBusy:
		if _, said := r.retryAfter(time.Now()); said { // 0 as well
			to.Set(fasthttp.HeaderRetryAfter, strconv.Itoa(f.RetryAfter))
		}
	case f.Status == fasthttp.StatusMethodNotAllowed:
		for _, value := range r.Header.PeekAll(fasthttp.HeaderAllow) {
			to.AddBytesV(fasthttp.HeaderAllow, value)
		}
	}
}

// longestRetry is the most that a server can want to be left alone, in seconds: eleven days.
const longestRetry = 999_999

// retryAfter is in how many seconds the server wants to be asked again, if it says so: by their number, or by a date, which counts from the date
// of the answer, as the clocks may differ.
func (r *Refusal) retryAfter(now time.Time) (seconds int, said bool) {
	after := string(r.Header.Peek(fasthttp.HeaderRetryAfter))
	if after == "" {
		return 0, false
	}
	if strings.Trim(after, "0123456789") == "" {
		n, err := strconv.Atoi(after)
		if err != nil { // more than there can be
			n = longestRetry
		}
		return min(n, longestRetry), true
	}
	then, err := http.ParseTime(after)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(string(r.Header.Peek(fasthttp.HeaderDate))); err == nil {
		now = date
	}
	wait := math.Ceil(then.Sub(now).Seconds())
	return int(min(max(wait, 0), longestRetry)), true
}

// NoMediaType stands for the media type of an answer that has none.
const NoMediaType = "no content type"

// MediaType is the media type of an answer, without parameters and in lower case, for the log and for decisions. What is
// no media type could be anything.
func MediaType(h *fasthttp.ResponseHeader) string {
	switch string(h.ContentType()) { // most answers need no more
	case "":
		return NoMediaType
	case "text/event-stream":
		return "text/event-stream"
	case "application/json":
		return "application/json"
	}
	field := string(h.ContentType())
	media, _, err := mime.ParseMediaType(field)
	const longest = 100
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || len(media) > longest {
		return "a bad content type"
	}
	return media
}

// Shown is a word of a header field as the log may have it.
func Shown(word string) string {
	const longest = 20
	if len(word) > longest || strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "[unknown]"
	}
	return word
}

// resolveRedirect resolves where a redirect leads, and reports whether that is the same server. base is the URL that was
// asked for.
func resolveRedirect(base *url.URL, location string) (to *url.URL, same bool) {
	to, err := base.Parse(location)
	if err != nil || location == "" {
		return nil, false
	}
	return to, to.User == nil && to.Scheme == base.Scheme && strings.EqualFold(to.Hostname(), base.Hostname()) && portOf(to) == portOf(base)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// asked is the URL that a request of an upstream asks for.
func (u *Upstream) asked(req *fasthttp.Request) *url.URL {
	asked := &url.URL{Scheme: u.Cfg.URL.Scheme, Host: u.Cfg.URL.Host}
	if path, err := url.ParseRequestURI(string(req.Header.RequestURI())); err == nil {
		asked.Path, asked.RawPath, asked.RawQuery = path.Path, path.RawPath, path.RawQuery
	}
	return asked
}

// Redirect says where a redirect leads, for the log, and changes the request so that it goes there, if it may: status
// 307 and 308 keep method and body, and on the same server no other server sees the request.
func (u *Upstream) Redirect(req *fasthttp.Request, status int, location string) (target string, follow bool) {
	if status < 300 || status > 399 || status == fasthttp.StatusNotModified {
		return "", false
	}
	to, same := resolveRedirect(u.asked(req), location)
	if to == nil {
		return "nowhere", false
	}
	if same && (status == fasthttp.StatusTemporaryRedirect || status == fasthttp.StatusPermanentRedirect) {
		req.Header.SetRequestURI(to.RequestURI())
		follow = true
	}
	return loggable(to), follow
}

// loggable is a URL without what may be a secret or content: user, query and fragment.
func loggable(u *url.URL) string {
	const longest = 200
	text := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	if u.RawQuery != "" {
		text += "?[" + strconv.Itoa(len(u.RawQuery)) + " bytes of query]"
	}
	return text
}

// hasCredentials reports whether the configuration says who Sabir is to an upstream.
func hasCredentials(cfg *config.Upstream) bool {
	for name := range cfg.Headers.Set {
		if NamesCredential(name) {
			return true
		}
	}
	for name := range cfg.URL.Query() {
		if NamesCredential(name) {
			return true
		}
	}
	return cfg.URL.User != nil
}

// NamesCredential reports whether a header field or a parameter of that name usually holds a credential, such as
// Authorization, Cookie, X-Api-Key, Private-Token or access_token.
func NamesCredential(name string) bool {
	const words = " apikey auth authorization bearer cookie credential credentials jwt key password passwd secret sig signature token "
	name = strings.ToLower(name)
	if name == "idempotency-key" {
		return false
	}
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if strings.Contains(words, " "+word+" ") {
			return true
		}
	}
	return false
}

// challenges are what credentials the server wants.
func (r *Refusal) challenges() (all []string) {
	for _, value := range r.Header.PeekAll(fasthttp.HeaderWWWAuthenticate) {
		all = append(all, string(value))
	}
	return all
}
