package proxy

import (
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestPagesThatWereAdded: a page that was added is answered below its path alone, with the header fields of pages and the servers that it may
// ask, and the page of runs links to it.
func TestPagesThatWereAdded(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "inspect: content", "", "client: twin\n"))
	r.InspectAlways()
	say := func(text string) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString(text + string(ctx.Path())) }
	}
	r.ShowPage(Page{Path: "/one/", Title: "One & more", Connect: "http://127.0.0.1:9", Handler: say("first ")})
	r.ShowPage(Page{Path: "/two/", Title: "Two", Handler: say("second ")})
	admin, end := r.serveAdmin()
	defer end()
	for path, want := range map[string]string{"/one/": "first /one/", "/one/file": "first /one/file", "/two/": "second /two/"} {
		resp, err := http.Get(admin + path)
		if err != nil {
			t.Fatal(err)
		}
		body := rest(t, resp)
		resp.Body.Close()
		asks := strings.Contains(resp.Header.Get("Content-Security-Policy"), "http://127.0.0.1:9")
		if resp.StatusCode != 200 || body != want || asks != strings.HasPrefix(path, "/one") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %q, %v", path, resp.Status, body, resp.Header)
		}
	}
	if got := get(t, admin+"/three/"); !strings.HasPrefix(got, "404 ") {
		t.Errorf("a page that there is not gets %s", got)
	}
	if got := get(t, admin+"/inspect/"); !strings.Contains(got, `<a href="/one/">One &amp; more</a><a href="/two/">Two</a>`) {
		t.Errorf("the page of runs has no links: %s", got)
	}
}

// TestPageIsOff: who looks for the page where it is off finds how to turn it on.
func TestPageIsOff(t *testing.T) {
	for inspect, want := range map[string]string{"": "inspect: content", "inspect: shapes\n": "/readyz /inspect/ here."} {
		r := start(t, inspect+simple("http://127.0.0.1:1/", "", "", "client: agui\n"))
		admin, end := r.serveAdmin()
		if got := get(t, admin+"/runs"); !strings.HasPrefix(got, "404 ") || !strings.Contains(got, want) {
			t.Errorf("%q: %s", inspect, got)
		}
		end()
	}
}

// TestNoPageOfRun: what is below a run is its recording, its lines, and nothing else.
func TestNoPageOfRun(t *testing.T) {
	t.Parallel()
	r := start(t, simple(newAgent(t, streaming(smallRun)).url(), "inspect: content", "", "client: twin\n"))
	r.InspectAlways()
	admin, end := r.serveAdmin()
	defer end()
	r.post("/run", "{}")
	r.awaitEnds(1)
	for path, want := range map[string]string{"1": "200 ", "1/": "200 ", "1/other": "404 ", "2": "404 "} {
		if got := get(t, admin+"/inspect/runs/"+path); !strings.HasPrefix(got, want) || strings.Contains(got, "Hello") != (want == "200 ") {
			t.Errorf("%s: %.200s", path, got)
		}
	}
}
