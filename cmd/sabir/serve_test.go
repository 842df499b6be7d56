package main

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sabir-proxy/sabir/config"
)

// agentServer answers every call with a run in the native dialect. It holds the end back until the test lets it go.
type agentServer struct {
	*httptest.Server
	end   chan struct{}
	asked atomic.Int64
}

func newAgent(t *testing.T) *agentServer {
	a := &agentServer{end: make(chan struct{})}
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		_, _ = io.WriteString(w, runStart+text)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-a.end:
			_, _ = io.WriteString(w, textEnd+runEnd)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(a.Close)
	return a
}

// let makes all runs, now and later, go on to their end.
func (a *agentServer) let() { close(a.end) }

// configFor is a configuration with one path for each name.
func configFor(a *agentServer, more string, paths ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "listen: 127.0.0.1:0\nadmin: 127.0.0.1:0\n%s\nupstreams:\n  agent: {url: '%s', dialect: native}\nroutes:\n", more, a.URL)
	for _, p := range paths {
		fmt.Fprintf(&b, "  - {path: %s, upstream: agent, client: agui}\n", p)
	}
	return b.String()
}

var addresses = regexp.MustCompile(`^sabir listens on (127\.0\.0\.1:[0-9]+); for operators: (127\.0\.0\.1:[0-9]+)\n`)

// serving starts the proxy and returns where it listens.
func serving(t *testing.T, path string) (p *process, clients, admin string) {
	t.Helper()
	p = start(t, "serve", "--config", path)
	p.stdout.await(t, 0, "\n")
	p.stderr.await(t, 0, `"msg":"serving"`)
	m := addresses.FindStringSubmatch(p.stdout.String())
	if m == nil {
		t.Fatalf("got %q", p.stdout)
	}
	if !strings.Contains(p.stderr.String(), m[1]) || !strings.Contains(p.stderr.String(), m[2]) {
		t.Errorf("the addresses are not in the log:\n%s", p.stderr)
	}
	return p, "http://" + m[1], "http://" + m[2]
}

// client keeps no connections: each test begins with a clean slate.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// get returns status and body.
func get(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := client.Get(url)
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

// open begins a stream and returns when the first text is there.
func open(t *testing.T, url string) *http.Response {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	var seen strings.Builder
	buf := make([]byte, 512)
	for !strings.Contains(seen.String(), "Hello") {
		n, err := resp.Body.Read(buf)
		if seen.Write(buf[:n]); err != nil {
			t.Fatalf("%v after %s", err, &seen)
		}
	}
	return resp
}

func rest(t *testing.T, resp *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestServe(t *testing.T) {
	agent := newAgent(t)
	p, clients, admin := serving(t, write(t, "sabir.yaml", configFor(agent, "", "/agui")))
	agent.let()
	if status, body := get(t, clients+"/agui"); status != http.StatusOK || !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("status %d, body\n%s", status, body)
	}
	if status, body := get(t, admin+"/metrics"); status != http.StatusOK || !strings.Contains(body, "sabir_build_info") {
		t.Errorf("status %d, body\n%s", status, body)
	}
	p.stop()
	p.ends(t, exitOK)
	p.stderr.await(t, 0, `"msg":"stopped"`)
}

// A signal drains: new streams are refused, the running one comes to its own end.
func TestServeDrains(t *testing.T) {
	agent := newAgent(t)
	p, clients, admin := serving(t, write(t, "sabir.yaml", configFor(agent, "", "/agui")))
	running := open(t, clients+"/agui")
	p.stop()
	p.stderr.await(t, 0, `"msg":"draining"`)
	if status, _ := get(t, admin+"/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("readyz says %d while draining", status)
	}
	if status, _ := get(t, clients+"/agui"); status != http.StatusServiceUnavailable {
		t.Errorf("a new stream gets %d while draining", status)
	}
	agent.let()
	if body := rest(t, running); !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("the running stream ends with\n%s", body)
	}
	p.ends(t, exitOK)
}

// Without time to drain, running streams end with an error that says so.
func TestServeEndsStreams(t *testing.T) {
	agent := newAgent(t)
	p, clients, _ := serving(t, write(t, "sabir.yaml", configFor(agent, "timeouts: {drain: 0s}", "/agui")))
	running := open(t, clients+"/agui")
	p.stop()
	if body := rest(t, running); !strings.Contains(body, `"RUN_ERROR"`) || !strings.Contains(body, "shutting_down") {
		t.Errorf("the running stream ends with\n%s", body)
	}
	p.ends(t, exitOK)
}

func TestServePortTaken(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taken := ln.Addr().String()
	agent := newAgent(t)
	text := configFor(agent, "", "/agui")
	for _, key := range []string{"listen", "admin"} {
		path := write(t, key+".yaml", strings.Replace(text, key+": 127.0.0.1:0", key+": "+taken, 1))
		want := fmt.Sprintf("sabir: %s: %s is in use by another program", key, taken)
		sabir(t, "", "serve", "--config", path).want(t, exitFailed, "", want)
	}
}

// replace puts another file in the place of path, as editors do.
func replace(t *testing.T, path, text string) {
	t.Helper()
	next := path + ".next"
	if err := os.WriteFile(next, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, path); err != nil {
		t.Fatal(err)
	}
}

// A changed file is taken over while a stream runs; a bad one changes nothing and is counted.
func TestServeReload(t *testing.T) {
	agent := newAgent(t)
	path := write(t, "sabir.yaml", configFor(agent, "", "/one"))
	p, clients, admin := serving(t, path)
	running := open(t, clients+"/one")

	replace(t, path, configFor(agent, "", "/two"))
	at := p.stderr.await(t, 0, `"configuration reloaded"`)
	if status, _ := get(t, clients+"/one"); status != http.StatusNotFound {
		t.Errorf("the old route gets %d", status)
	}
	open(t, clients+"/two")

	replace(t, path, strings.NewReplacer("dialect: native", "dialect: openai-chat", "client: native", "client: agui").Replace(configFor(agent, "", "/two")))
	at = p.stderr.await(t, at, "/two: clients of agui name no model") // also once the file has changed
	replace(t, path, configFor(agent, "", "/two"))
	at = p.stderr.await(t, at, `"configuration reloaded"`)

	replace(t, path, "listen: nowhere\nroutes: 1\n")
	at = p.stderr.await(t, at, "configuration refused; the old one stays")
	at = p.stderr.await(t, at, path+":1:9: listen: ")
	at = p.stderr.await(t, at, path+":2:9: routes: ")
	open(t, clients+"/two")
	wantMetrics(t, admin, "sabir_config_last_reload_successful 0", `sabir_config_reloads_total{result="failed"} 1`)

	if err := os.WriteFile(path, []byte(configFor(agent, "log: {level: warn, format: console}", "/two")), 0o600); err != nil {
		t.Fatal(err)
	}
	p.stderr.await(t, at, `"settings":["log.format"]`)
	wantMetrics(t, admin, "sabir_config_last_reload_successful 1")

	agent.let()
	if body := rest(t, running); !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("the stream that ran through all this ends with\n%s", body)
	}
	p.stop()
	p.ends(t, exitOK)
	if strings.Contains(p.stderr.String(), `"msg":"stopped"`) {
		t.Error("the new level, warn, is not in use")
	}
}

func wantMetrics(t *testing.T, admin string, wants ...string) {
	t.Helper()
	_, body := get(t, admin+"/metrics")
	for _, want := range wants {
		if !strings.Contains(body, "\n"+want+"\n") {
			t.Errorf("the metrics lack %s", want)
		}
	}
}

// A ConfigMap is mounted as links: the file links into ..data, which links to a folder, and is swapped as a whole.
func TestServeReloadConfigMap(t *testing.T) {
	agent := newAgent(t)
	dir := t.TempDir()
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	fill := func(folder, text string) {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, "sabir.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fill("..one", configFor(agent, "", "/one"))
	link("..one", "..data")
	link("..data/sabir.yaml", "sabir.yaml")
	p, clients, _ := serving(t, filepath.Join(dir, "sabir.yaml"))

	fill("..two", configFor(agent, "", "/two"))
	link("..two", "..data_tmp")
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	p.stderr.await(t, 0, `"configuration reloaded"`)
	open(t, clients+"/two")
}

// What only a restart can change is named, and documents and help name it, too.
func TestNeedRestart(t *testing.T) {
	operations, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, documented, _ := strings.Cut(string(operations), "These settings take effect with a restart only: ")
	documented, _, _ = strings.Cut(documented, ". A line of log")
	documented = strings.NewReplacer("`path`", "", "\n", " ").Replace(documented)
	keys := regexp.MustCompile("`[a-z._0-9]+`").FindAllString(documented, -1)
	named := map[string]bool{}
	parse := func(text string) *config.Config {
		cfg, err := config.Parse("sabir.yaml", []byte(text), new(catalog), nil)
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	started := parse(goodConfig)
	f := func(old, text string, want ...string) {
		t.Helper()
		got := needRestart(started, parse(strings.Replace(goodConfig, old, text, 1)))
		for _, key := range got {
			named["`"+key+"`"] = true
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
	f("", "")
	f("", "timeouts: {drain: 1s, write: 2s}\nlog: {level: debug}\n")
	f("127.0.0.1:0", "127.0.0.1:1", "listen")
	f(`admin: ""`, "admin: 127.0.0.1:2", "admin")
	f(`admin: ""`, "admin: {listen: '127.0.0.1:2', tls: {cert: a.pem, key: a.key}}", "admin", "admin.tls")
	f("", "log: {format: console}\n", "log.format")
	f("", "tls: {cert: a.pem, key: a.key}\n", "tls")
	f("", "http2: {streams: 7}\n", "http2")
	f("", "limits: {header: 4KiB}\ntimeouts: {read: 1s}\n", "limits.header", "timeouts.read")
	const audit, tracing, redis = "audit: {path: a.jsonl}\n", "tracing: {endpoint: 'http://127.0.0.1:1'}\n", "store: {redis: {url: 'redis://127.0.0.1:1', cluster: []}}\n"
	f("", audit, "audit")
	f("", tracing, "tracing")
	f("", redis, "store.redis")
	f("", "store: {bytes: 1MiB}\n")
	f("", "limits: {request_body: 9MiB}\n")
	f("", "limits: {request_body: 1MiB}\n")
	f("client: native", "client: native, limits: {request_body: 9MiB}")
	started = parse(goodConfig + audit + tracing + redis)
	f("", audit+tracing+redis)
	f("", "audit: {path: b.jsonl}\n"+tracing+redis)
	f("", "audit: {path: a.jsonl, chain: true}\n"+tracing+redis, "audit")
	f("", "audit: {path: a.jsonl, queue: 7}\n"+tracing+redis, "audit")
	f("", "", "audit", "tracing", "store.redis")
	if got := slices.Sorted(maps.Keys(named)); !slices.Equal(got, slices.Sorted(slices.Values(keys))) {
		t.Errorf("a restart is needed for %q, and the document says it of %q", got, keys)
	}
}
