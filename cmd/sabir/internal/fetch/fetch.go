// Package fetch asks a server once, for commands that look at its answer.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
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

// Open asks, and returns the body of the answer with a function that closes it. An answer that is no success is an error.
func (r *Request) Open(ctx context.Context, address string) (io.Reader, func(), error) {
	req, err := r.make(ctx, address)
	if err != nil {
		return nil, nil, err
	}
	shown := withoutSecrets(req.URL)
	resp, err := http.DefaultClient.Do(req) //nolint:bodyclose // whoever reads it closes it
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("%s did not answer in time", shown)
		}
		return nil, nil, fmt.Errorf("%s: %w", shown, errors.Unwrap(err)) // the error around it repeats the whole URL
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		_ = resp.Body.Close()
		return nil, nil, fmt.Errorf("%s answered with status %s", shown, resp.Status)
	}
	return resp.Body, func() { _ = resp.Body.Close() }, nil
}

// withoutSecrets is a URL for messages: keys stand in queries and before hosts.
func withoutSecrets(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return shown.String()
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
