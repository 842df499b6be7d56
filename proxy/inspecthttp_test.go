package proxy

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestInspectTypes: what the page and its reader get says what it is.
func TestInspectTypes(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	r.InspectAlways()
	admin, end := r.serveAdmin()
	defer end()
	r.post("/run", "{}")
	r.awaitEnds(1)
	for path, want := range map[string]string{"runs": "text/event-stream", "runs/1": "application/x-ndjson", "runs/1/live": "text/event-stream"} {
		for _, method := range []string{http.MethodHead, http.MethodGet} {
			req, err := http.NewRequestWithContext(t.Context(), method, admin+"/inspect/"+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			got, goesOn := resp.Header.Get("Content-Type"), method == http.MethodGet && want == "text/event-stream"
			if resp.StatusCode != 200 || got != want || resp.Close != goesOn {
				t.Errorf("%s %s: status %d, %q, closes %t", method, path, resp.StatusCode, got, resp.Close)
			}
		}
	}
}

// TestFollow: a page to which there is nothing to say gets a sign of life after each silence of pageBeat.
func TestFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		ended, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			follow(ended, ours, []byte("head"), func(dst []byte) ([]byte, bool) { return dst, false })
		}()
		p := make([]byte, 100)
		begun := time.Now()
		for i, want := range []string{"head", ":\n\n", ":\n\n"} {
			if err := theirs.SetReadDeadline(time.Now().Add(2 * pageBeat)); err != nil {
				t.Fatal(err)
			}
			n, err := theirs.Read(p)
			if at := time.Since(begun); string(p[:n]) != want || at != time.Duration(i)*pageBeat {
				t.Errorf("after %s comes %q, %v", at, p[:n], err)
			}
		}
		close(ended)
		<-over
	})
}

// TestTooManyPages: one that finds no place takes none, and those that leave give theirs back.
func TestTooManyPages(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart, lineHello))
		<-hold
		p.finish(lines(lineWorld, lineEnd))
	})
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	r.InspectAlways()
	admin, end := r.serveAdmin()
	defer end()
	c := r.dial()
	c.ask("POST", "/run", "{}")
	c.response()
	var pages []*http.Response
	ask := func(status int) *http.Response {
		t.Helper()
		resp, err := http.Get(admin + "/inspect/runs/1/live")
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode != status {
			t.Errorf("page %d: status %d", len(pages), resp.StatusCode)
		}
		return resp
	}
	for range 2 * maxPages {
		pages = append(pages, ask(200))
	}
	if h := pages[0].Header; len(h["Content-Type"]) != 1 || h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") == "" {
		t.Errorf("the header of a stream is %v", h)
	}
	for range 2 {
		resp := ask(503)
		if said, err := io.ReadAll(resp.Body); err != nil || string(said) != "Too many pages are open.\n" {
			t.Errorf("%q, %v", said, err)
		}
		resp.Body.Close()
	}
	close(hold)
	for _, resp := range pages {
		_, _ = io.Copy(io.Discard, resp.Body) // its run has ended
		resp.Body.Close()
	}
	await(t, "the places to be free", func() bool { return r.kept.inspect.watching.Load() == 0 })
}

// TestRunsAreShownOnce: a run that has not changed is not sent again.
func TestRunsAreShownOnce(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	r.InspectAlways()
	news := r.kept.inspect.follower()
	for n := range 3 {
		if n > 0 {
			r.post("/run", "{}")
			r.awaitEnds(n)
		}
		changed, over := news(nil)
		if again, _ := news(nil); over || strings.Count(string(changed), `"key":`) != min(n, 1) || len(changed) == 0 || len(again) > 0 {
			t.Errorf("after %d runs there comes %q, and then %q", n, changed, again)
		}
	}
	forget := func() {
		r.kept.inspect.mu.Lock()
		defer r.kept.inspect.mu.Unlock()
		defer func(limit int64) { r.kept.inspect.memory.limit = limit }(r.kept.inspect.memory.limit)
		r.kept.inspect.memory.limit = 0
		r.kept.inspect.forget()
	}
	forget()
	gone, _ := news(nil)
	if again, _ := news(nil); !bytes.Contains(gone, []byte(`"changed":[]`)) || !bytes.Contains(gone, []byte("[1,2]")) && !bytes.Contains(gone, []byte("[2,1]")) || len(again) > 0 {
		t.Errorf("when both are forgotten there comes %q, and then %q", gone, again)
	}
	post := func(n int) {
		r.post("/run", "{}")
		r.awaitEnds(n)
	}
	post(3)
	if _, over := news(nil); over {
		t.Error("it is over")
	}
	forget()
	post(4)
	if other, _ := news(nil); strings.Count(string(other), `"key":4`) != 1 || !bytes.Contains(other, []byte(`"gone":[3]`)) {
		t.Errorf("when one has come and another is forgotten there comes %q", other)
	}
}

// TestLinesComeInParts: a page gets so many lines of a run at once, and the end when it has them all.
func TestLinesComeInParts(t *testing.T) {
	t.Parallel()
	for lines, parts := range map[int][]int{0: {0}, pageLines: {pageLines}, pageLines + 1: {pageLines, 1}} {
		tape := new(runTape)
		for range lines {
			tape.add([]byte("{0}\n"))
		}
		news := tape.follower()
		for i, want := range parts {
			got, over := news(nil)
			last := i == len(parts)-1
			if n := strings.Count(string(got), "data: {0}\n"); over != last || strings.Contains(string(got), "event: end") != last || n != want {
				t.Errorf("%d lines: part %d has %d, and is the end: %t", lines, i, n, over)
			}
		}
	}
}

// TestInspectOfOtherSites: a page of another site makes no run be watched, and takes no place of a page of operators.
func TestInspectOfOtherSites(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "inspect: content", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	for _, c := range []struct {
		site, origin string
		status       int
	}{
		{"", "", 200}, {"none", "", 200}, {"same-origin", "", 200}, {"same-origin", admin, 200}, {"", admin, 200},
		{"cross-site", "", 403}, {"cross-site", "https://evil.example", 403}, {"same-site", "", 403}, {"same-site", "http://127.0.0.1:1", 403},
		{"", "https://evil.example", 403}, {"", "http://127.0.0.1:1", 403}, {"", "null", 403}, {"cross-site", admin, 403},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, admin+"/inspect/runs", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.status {
			t.Errorf("from %q, %q: status %d, want %d", c.site, c.origin, resp.StatusCode, c.status)
		}
	}
}
