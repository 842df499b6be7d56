// Package fetch asks a server once, for commands that look at its answer.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Request is what is asked.
type Request struct {
	Method string   // "" is POST with a body, else GET
	Header []string // "Name: value"
	Body   string
}

// Body is the text of a body, or what stands in the file of @FILE.
func Body(text string) (string, error) {
	path, ok := strings.CutPrefix(text, "@")
	if !ok {
		return text, nil
	}
	data, err := os.ReadFile(path)
	return string(data), err
}

// StatusError is an answer that is no success.
type StatusError struct {
	Status int
	Said   []byte // how its body begins
	text   string

	secrets []string // of the request, which servers may repeat
}

// maxSaid is how much is read of an answer that is no success, in bytes.
const maxSaid = 4 << 10

func (e *StatusError) Error() string { return e.text }

// mostWords is how much of what a server says is shown, in characters.
const mostWords = 300

// Words are what the body says, on one line, "" if it is no text.
func (e *StatusError) Words() string {
	if !utf8.Valid(e.Said) && len(e.Said) < maxSaid {
		return ""
	}
	line := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, string(e.Said))
	for _, secret := range e.secrets {
		line = strings.ReplaceAll(line, secret, "…")
	}
	words := []rune(strings.Join(strings.Fields(line), " "))
	if len(words) > mostWords {
		return string(words[:mostWords]) + "…"
	}
	return string(words)
}

// PageError is an answer for people.
type PageError struct{ shown string }

func (e *PageError) Error() string {
	return e.shown + " answered with a web page, not with a stream; give the URL where a run is asked for"
}

// Open asks, and returns the body of the answer with a function that closes it. An answer that is no success is an error, and so is a
// web page.
func (r *Request) Open(ctx context.Context, address string) (io.Reader, func(), error) {
	req, err := r.make(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	shown := withoutSecrets(req.URL)
	client := http.Client{CheckRedirect: stayThere}
	resp, err := client.Do(req) //nolint:bodyclose // whoever reads it closes it
	if err != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			return nil, nil, errors.New("interrupted")
		}
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("%s did not answer in time", shown)
		}
		return nil, nil, fmt.Errorf("%s: %w", shown, errors.Unwrap(err)) // the error around it repeats the whole URL
	}
	if err := judge(resp, shown); err != nil {
		var refused *StatusError
		if errors.As(err, &refused) {
			refused.Said, _ = io.ReadAll(io.LimitReader(resp.Body, maxSaid))
			refused.secrets = r.secrets(req.URL)
		}
		_ = resp.Body.Close()
		return nil, nil, err
	}
	return resp.Body, func() { _ = resp.Body.Close() }, nil
}

// maxRedirects is how many redirects are followed.
const maxRedirects = 3

// stayThere follows redirects to the same server that keep the method. Others would take the header fields of the request to where
// they are not meant for, and the proxy does not follow them either.
func stayThere(next *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > maxRedirects || next.Method != first.Method || next.URL.Scheme != first.URL.Scheme || next.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// judge returns why an answer is not one to read.
func judge(resp *http.Response, shown string) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	where, _ := resp.Location()
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && where != nil:
		return &StatusError{Status: resp.StatusCode, text: fmt.Sprintf("%s redirects to %s; if that is right, give that URL", shown, withoutSecrets(where))}
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return &StatusError{Status: resp.StatusCode, text: fmt.Sprintf("%s answered with status %s", shown, resp.Status)}
	case kind == "text/html":
		return &PageError{shown}
	}
	return nil
}

// withoutSecrets is a URL for messages: keys stand in queries and before hosts.
func withoutSecrets(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
}

// leastSecret is how long a secret is at least. Shorter words stand in other words.
const leastSecret = 4

// secrets are what is not shown of a request: values of header fields and of the query, and what stands before the host.
func (r *Request) secrets(u *url.URL) (all []string) {
	add := func(words ...string) {
		for _, w := range words {
			if len(w) >= leastSecret {
				all = append(all, w)
			}
		}
	}
	for _, field := range r.Header {
		_, value, _ := strings.Cut(field, ":")
		add(strings.TrimSpace(value))
		add(strings.Fields(value)...) // a token behind its scheme
	}
	for _, values := range u.Query() {
		add(values...)
	}
	password, _ := u.User.Password()
	add(u.RawQuery, password)
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // what holds another first
	return all
}

func (r *Request) make(ctx context.Context, address string) (*http.Request, error) {
	method := r.Method
	if method == "" {
		method = http.MethodGet
		if r.Body != "" {
			method = http.MethodPost
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.Close = true // whoever asks goes on to serve, and has no use for the connection
	req.Header.Set("Accept", "text/event-stream, application/json, */*")
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, field := range r.Header {
		name, value, ok := strings.Cut(field, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, errors.New("--header " + strings.TrimSpace(name) + ": want NAME: VALUE") // the value may be a secret
		}
		req.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return req, nil
}
