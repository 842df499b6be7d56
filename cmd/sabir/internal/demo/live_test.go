package demo

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
)

// page is the terminal: it is written to while the demo runs.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
	seen chan struct{} // closed when the welcome is complete
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.text.Write(b)
	if strings.Contains(string(b), "Ctrl-C") {
		close(p.seen)
	}
	return n, err
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// running is a demo at great speed; the function ends it and returns what was on the terminal.
func running(t *testing.T, listen string) (p *page, end func() string) {
	t.Helper()
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	p = &page{seen: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	live := &Live{Clients: ln, Speed: maxSpeed, Scenario: Tour, Version: "test", Style: term.Style{Width: 80}}
	go func() { ended <- live.Serve(ctx, p) }()
	select {
	case <-p.seen:
	case err := <-ended:
		t.Fatal(err)
	}
	end = sync.OnceValue(func() string {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		return p.String()
	})
	t.Cleanup(func() { end() })
	return p, end
}

var (
	curlLine = regexp.MustCompile(`curl -[Ns]+ .*`)
	curlURL  = regexp.MustCompile(`'?(http://[^' ]+)'?`)
	curlHead = regexp.MustCompile(`-H '([^:']+): ([^']+)'`)
)

// call does what a line with curl would.
func call(t *testing.T, line string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, curlURL.FindStringSubmatch(line)[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if h := curlHead.FindStringSubmatch(line); h != nil {
		req.Header.Set(h[1], h[2])
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// Every line on the terminal that can be tried works, there is one for each dialect, and each stream is reported.
func TestLive(t *testing.T) {
	p, end := running(t, "127.0.0.1:0")
	lines := curlLine.FindAllString(p.String(), -1)
	for _, d := range clients() {
		if !regexp.MustCompile(`curl -N http://\S+/` + d.Name + `\n`).MatchString(p.String()) {
			t.Errorf("there is no line for %s", d.Name)
		}
	}
	streams := 0
	for _, line := range lines {
		status, body := call(t, line)
		if status != http.StatusOK || body == "" {
			t.Errorf("%s: status %d, %d bytes", line, status, len(body))
		}
		if !strings.Contains(line, "/metrics") {
			streams++
		}
	}
	if streams != len(clients())+3 {
		t.Errorf("%d lines for streams, want one for each of %d dialects, two scenarios, and a choice", streams, len(clients()))
	}
	reports := regexp.MustCompile(`(?m)^  \d\d:\d\d:\d\d  /.*record`).FindAllString(end(), -1)
	if len(reports) != streams {
		t.Errorf("%d of %d streams reported:\n%s", len(reports), streams, p)
	}
	for line := range strings.Lines(p.String()) {
		if term.Len(strings.TrimRight(line, "\n")) > 80 {
			t.Errorf("wider than 80 columns: %s", line)
		}
	}
}

// The endings of the scenarios reach the client as they are.
func TestLiveEndings(t *testing.T) {
	p, _ := running(t, "127.0.0.1:0")
	base := regexp.MustCompile(`for clients\s+(\S+)`).FindStringSubmatch(p.String())[1]
	f := func(query, want string) {
		t.Helper()
		if _, body := call(t, base+"/native"+query); !strings.Contains(body, want) {
			t.Errorf("%s: want %s in\n%s", query, want, body)
		}
	}
	f("", `"status":"done"`)
	f("?scenario=tour", "with Go 1.26.")
	f("?scenario=error", `"status":"failed"`)
	f("?scenario=cut", `"status":"truncated"`)
	if status, _ := call(t, base+"/native?scenario=no-such"); status != http.StatusNotFound {
		t.Errorf("an unknown scenario gets status %d", status)
	}
	if status, _ := call(t, base+"/no-such"); status != http.StatusNotFound {
		t.Errorf("an unknown path gets status %d", status)
	}
}

// Any address that can be listened on will do, and what is shown can be called.
func TestLiveAddresses(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", "[::]:0", "[::1]:0"} {
		p, _ := running(t, listen)
		line := regexp.MustCompile(`curl -N http://\S+/native\n`).FindString(p.String())
		if status, body := call(t, strings.TrimSpace(line)); status != http.StatusOK || !strings.Contains(body, `"status":"done"`) {
			t.Errorf("%s: %q: status %d, %d bytes", listen, line, status, len(body))
		}
	}
}

// The page of front ends calls the clients' address of the demo and no other, has all its files, and is linked where runs are looked at.
func TestFrontEnds(t *testing.T) {
	p, _ := running(t, "127.0.0.1:0")
	clients := regexp.MustCompile(`for clients\s+(\S+)`).FindStringSubmatch(p.String())[1]
	page := regexp.MustCompile(`two front ends, live\s+(\S+)`).FindStringSubmatch(p.String())[1]
	get := func(url string) (*http.Response, string) {
		t.Helper()
		resp, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(body)
	}
	resp, body := get(page)
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "connect-src 'self' "+clients+";") || !strings.Contains(body, `content="`+clients+`"`) {
		t.Errorf("policy %q of\n%s", policy, body)
	}
	for _, name := range []string{"app.js", "agui.js", "aisdk.js", "clients.js", "style.css", "LICENSES.txt", "scenarios.json"} {
		if resp, body := get(page + name); resp.StatusCode != http.StatusOK || body == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: status %d, %d bytes", name, resp.StatusCode, len(body))
		}
	}
	if resp, _ := get(page + "no-such"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a file that is not there has status %d", resp.StatusCode)
	}
	if _, body := get(strings.Replace(page, frontEndsPath, "/inspect/", 1)); !strings.Contains(body, `<a href="/demo/">Front ends</a>`) {
		t.Errorf("the page of runs has no link:\n%s", body)
	}
	http.DefaultClient.CloseIdleConnections()
}
