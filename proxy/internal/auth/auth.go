// Package auth finds out who sends a request. A [Scheme] judges one kind of credentials: keys.go has keys, jwt.go tokens whose public
// keys jwks.go fetches, mtls.go certificates, and forward.go asks another server. A [Guard] is what a route asks for: any of some
// schemes, or all.
package auth

import (
	"crypto/x509"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/valyala/fasthttp"
)

// Result is what became of a check. It is the label of a metric.
type Result string

// The results.
const (
	OK          Result = "ok"
	Missing     Result = "missing"     // nothing was sent that the scheme could judge
	Refused     Result = "refused"     // it is not valid
	Forbidden   Result = "forbidden"   // it is valid, but not for this
	Unavailable Result = "unavailable" // it cannot be judged now
)

// Results lists the closed set, the one that says most about a refused request last.
func Results() []Result { return []Result{OK, Missing, Refused, Forbidden, Unavailable} }

// Request is what schemes see of a request. All of it is valid during the call only.
type Request struct {
	Header *fasthttp.RequestHeader
	Cert   *x509.Certificate  // verified, of the connection; nil for none
	Ask    func() http.Header // of the question to another server
}

// Answer is what a scheme says. Why is for the log: it never holds what was sent.
type Answer struct {
	Result    Result
	Who       string   // name of the client
	Used      []string // header fields with the credentials, in small letters
	Set       []Field  // of the request to the upstream
	Why       string
	Challenge []string  // values of WWW-Authenticate; none: the usual one
	Until     time.Time // when what was sent expires; zero: not known, or never
}

// Field is a header field.
type Field struct{ Name, Value string }

// Scheme judges one kind of credentials.
type Scheme interface {
	Check(*Request) Answer
}

// Identity is who sent a request.
type Identity struct {
	Name  string   // of the client, "" if nothing has named it
	Scope string   // separates it from all others, also from those of the same name by another scheme; "" if it has no name
	Used  []string // as in [Answer]
	Set   []Field
	Until time.Time // when the first of what was sent expires; zero: not known, or never
}

// Expired reports whether it counts no more.
func (id *Identity) Expired(now time.Time) bool {
	return id != nil && !id.Until.IsZero() && now.After(id.Until)
}

// Guard is what a route asks for.
type Guard struct {
	names   []string
	schemes []Scheme
	all     bool
}

// Check judges a request. Without an identity, the answer says why. count receives the schemes that decided.
func (g *Guard) Check(req *Request, count func(scheme string, r Result)) (*Identity, Answer) {
	for _, field := range []string{fasthttp.HeaderAuthorization, apiKeyHeader, googleKeyHeader} {
		if len(req.Header.PeekAll(field)) > 1 {
			count(g.names[0], Refused)
			return nil, Answer{Result: Refused, Why: "the request has two fields " + field}
		}
	}
	if g.all {
		return g.checkAll(req, count)
	}
	answers := make([]Answer, len(g.schemes))
	for i, s := range g.schemes {
		if answers[i] = s.Check(req); answers[i].Result == OK {
			count(g.names[i], OK)
			id := new(Identity)
			id.add(g.names[i], &answers[i])
			g.noteKeys(id, req)
			return id, answers[i]
		}
	}
	return nil, g.refuse(answers, count)
}

// noteKeys notes keys that came along where another scheme has decided: they are no less secret for that.
func (g *Guard) noteKeys(id *Identity, req *Request) {
	for _, s := range g.schemes {
		if keys, ok := s.(Keys); ok {
			id.Used = append(id.Used, keys.Check(req).Used...)
		}
	}
}

func (g *Guard) checkAll(req *Request, count func(string, Result)) (*Identity, Answer) {
	id := new(Identity)
	for i, s := range g.schemes {
		a := s.Check(req)
		count(g.names[i], a.Result)
		if a.Result != OK {
			a.Why = g.names[i] + ": " + a.Why
			return nil, a
		}
		id.add(g.names[i], &a)
	}
	return id, Answer{Result: OK}
}

// refuse makes one answer of those of all schemes: that which says most.
func (g *Guard) refuse(answers []Answer, count func(string, Result)) (worst Answer) {
	worst.Result = Missing
	var why []string
	for i, a := range answers {
		count(g.names[i], a.Result)
		why = append(why, g.names[i]+": "+a.Why)
		if rank(a.Result) > rank(worst.Result) {
			worst.Result = a.Result
		}
		worst.Challenge = append(worst.Challenge, a.Challenge...)
	}
	worst.Why = strings.Join(why, "; ")
	return worst
}

func rank(r Result) int {
	for i, other := range Results() {
		if r == other {
			return i
		}
	}
	return -1
}

// add takes in what a scheme has found. The first that names the client counts.
func (id *Identity) add(scheme string, a *Answer) {
	if id.Name == "" {
		id.Name = a.Who
	}
	if a.Who != "" {
		id.Scope += scheme + ":" + a.Who + "\x00" // no name has a NUL
	}
	if !a.Until.IsZero() && (id.Until.IsZero() || a.Until.Before(id.Until)) {
		id.Until = a.Until
	}
	id.Used = append(id.Used, a.Used...)
	id.Set = append(id.Set, a.Set...)
}

// longestName is the longest name of a client, in bytes.
const longestName = 256

// isName reports whether a text can name a client: in a header field, and in a line of log.
func isName(s string) bool {
	return s != "" && len(s) <= longestName && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) && strings.TrimSpace(s) == s
}

// bearer is the token of an Authorization field, "" if it has none.
func bearer(h *fasthttp.RequestHeader) string {
	scheme, token, _ := strings.Cut(string(h.Peek(fasthttp.HeaderAuthorization)), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
