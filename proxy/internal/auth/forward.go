package auth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/sabir-proxy/sabir/config"
)

// Bounds of asking another server.
const (
	maxAnswer = 64 << 10 // bytes of its header; and of its body, which is thrown away
	maxAsking = 256      // connections to it
)

// Forward asks another server.
type Forward struct {
	url     string
	timeout time.Duration
	headers []string
	client  *http.Client
}

// NewForward makes ready what asking needs.
func NewForward(cfg *config.Forward, dial Dial) *Forward {
	return &Forward{
		url: cfg.URL.String(), timeout: cfg.Timeout, headers: cfg.Headers,
		client: &http.Client{
			Transport: &http.Transport{
				DialContext:     dial,
				MaxConnsPerHost: maxAsking, MaxIdleConnsPerHost: maxAsking / 8, IdleConnTimeout: cfg.Timeout,
				MaxResponseHeaderBytes: maxAnswer, DisableCompression: true,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// credentials are the fields that the other server may have judged by.
var credentials = []string{"authorization", "cookie", "x-api-key", "x-goog-api-key"}

// Check implements [Scheme].
func (f *Forward) Check(req *Request) Answer {
	ctx, cancel := context.WithTimeout(context.Background(), f.timeout)
	defer cancel()
	question, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, http.NoBody)
	if err != nil {
		return Answer{Result: Unavailable, Why: "the server cannot be asked"}
	}
	question.Header = req.Ask()
	resp, err := f.client.Do(question)
	if err != nil {
		return Answer{Result: Unavailable, Why: "the server does not answer"}
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxAnswer) // so that its connection is used again
	return f.judge(resp)
}

// judge reads the answer.
func (f *Forward) judge(resp *http.Response) Answer {
	switch s := resp.StatusCode; {
	case s >= 200 && s <= 299:
		return f.accept(resp.Header)
	case s == http.StatusUnauthorized:
		return Answer{Result: Refused, Why: "the server answers with status 401", Challenge: resp.Header.Values("WWW-Authenticate")}
	case s == http.StatusForbidden:
		return Answer{Result: Forbidden, Why: "the server answers with status 403"}
	default:
		return Answer{Result: Unavailable, Why: fmt.Sprintf("the server answers with status %d", s)}
	}
}

// accept takes over what the answer says of the client.
func (f *Forward) accept(h http.Header) Answer {
	a := Answer{Result: OK, Used: credentials}
	for i, name := range f.headers {
		value := strings.TrimSpace(h.Get(name))
		if value == "" || strings.ContainsFunc(value, unicode.IsControl) && i > 0 {
			continue
		}
		if i == 0 && (!isName(value) || len(slices.Compact(h.Values(name))) > 1) { // one of two may be what the client sent, given back
			return Answer{Result: Unavailable, Why: "the server names the client by something that is no name, or by two names"}
		}
		if i == 0 {
			a.Who = value
		}
		a.Set = append(a.Set, Field{name, value})
	}
	return a
}

// Close lets go of idle connections.
func (f *Forward) Close() { f.client.CloseIdleConnections() }
