package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/config"
)

// Each dialect of clients has a configuration that check accepts, in front of agents that take requests in different ways.
func TestProxyPrint(t *testing.T) {
	for _, d := range adapters.All() {
		if !adapters.Serves(d, adapters.Client) {
			continue
		}
		for _, from := range []string{"agui", "openai-chat", "evolve", d.Name} {
			got := sabir(t, "", "proxy", "--to", "http://127.0.0.1:9000/run", "--from", from, "--client", d.Name, "--print")
			got.want(t, exitOK, "client: "+d.Name+" ", "")
			warning := ""
			if new(catalog).LacksModel(d.Name, from) {
				warning = "clients of " + d.Name + " name no model, and agents of " + from + " mostly refuse requests without one"
			}
			sabir(t, "", "check", "--config", write(t, "sabir.yaml", got.stdout)).want(t, exitOK, "is fine: 1 upstream, 1 route", warning)
			for line := range strings.Lines(got.stdout) {
				if len(line) > 101 {
					t.Errorf("%s: longer than 100 columns: %s", d.Name, line)
				}
			}
		}
	}
}

// What flags hold comes into the configuration as it is.
func TestProxyFlags(t *testing.T) {
	got := sabir(t, "", "proxy", "--print", "--to", "http://127.0.0.1:9000/${HOME}?a=b", "--from", "evolve", "--client", "agui",
		"--listen", "[::1]:0", "--admin", "", "--cors", "http://localhost:3000", "--cors", "vscode-webview://*", "--path", "/my",
		"--request", `{"ask": "$input", "all": [1]}`, "--model", "1.5")
	got.want(t, exitOK, anything, "")
	cfg, err := config.Parse("sabir.yaml", []byte(got.stdout), new(catalog), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, got.stdout)
	}
	up, r := cfg.Upstreams["agent"], cfg.Routes[0]
	if up.URL.Path != "/${HOME}" || up.URL.RawQuery != "a=b" || up.Request != `{"ask": "$input", "all": [1]}` ||
		r.Path != "/my" || r.Requests.Model != "1.5" || len(cfg.CORS.Origins) != 2 || cfg.Listen != "[::1]:0" || cfg.Admin.Listen != "" {
		t.Errorf("got %+v %+v\n%s", up, r, got.stdout)
	}
}

// The configuration says where a model goes, if the agent can want one that no request names.
func TestProxyModel(t *testing.T) {
	f := func(want bool, args ...string) {
		t.Helper()
		got := sabir(t, "", append([]string{"proxy", "--print", "--to", "http://127.0.0.1:1/", "--client", "aisdk"}, args...)...)
		if strings.Contains(got.stdout, "    # requests: {model: NAME} ") != want {
			t.Errorf("%v: want the line %t in\n%s", args, want, got.stdout)
		}
	}
	f(true, "--from", "openai-chat")
	f(false, "--from", "openai-chat", "--model", "gpt-5")
	f(false, "--from", "agui")
	f(false, "--from", "aisdk")
	f(false, "--from", "openai-chat", "--request", `{"prompt":"$input"}`)
}

func TestScalar(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := scalar(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	f("http://127.0.0.1:9000/", "http://127.0.0.1:9000/")
	f("127.0.0.1:8080", "127.0.0.1:8080")
	f("/v1/*", "/v1/*")
	f("*", "'*'")
	f("", "''")
	f("1.5", "'1.5'")
	f("true", "'true'")
	f("a #b", "'a #b'")
	f("a: b", "'a: b'")
	f("a, b's", "'a, b''s'")
	f("[::1]:0", "'[::1]:0'")
	f("$x", "$x")
	f("${x}", "'$${x}'")
	f("$$x", "$$$$x")
	f("a\nb", `"a\nb"`)
	f("it's", "it's")
}

func TestProxyBadFlags(t *testing.T) {
	f := func(stderr string, args ...string) {
		t.Helper()
		sabir(t, "", append([]string{"proxy"}, args...)...).want(t, exitUsage, "", stderr)
	}
	to, from, client := "--to=http://127.0.0.1:1/", "--from=native", "--client=agui"
	f("--to is missing: say where your agent is")
	f("--client is missing: say what your front end speaks, one of a2a, ")
	f("--client is missing", to)
	f(`--client: there is no dialect "ag-ui"; did you mean agui?`, to, "--client", "ag-ui")
	f(`--client: there is no dialect "auto"`, to, "--client", "auto")
	f("--client: codex-cli cannot be used for the client", to, "--client", "codex-cli")
	f(`--from: there is no dialect "opnai-chat"; did you mean openai-chat?`, to, client, "--from", "opnai-chat")
	f("--to: needs a scheme", client, from, "--to", "localhost")
	f("--to: must not hold a user or password", client, from, "--to", "http://me:secret@localhost/")
	f(`--listen: "here" is not an address`, to, client, from, "--listen", "here")
	f(`--listen: is taken by admin`, to, client, from, "--listen", "127.0.0.1:9", "--admin", "127.0.0.1:9")
	f(`--admin: "here" is not an address`, to, client, from, "--admin", "here")
	f(`--cors: "x" is not an origin`, to, client, from, "--cors", "x")
	f("--path: must begin with /", to, client, from, "--path", "x")
	f(`--request: a request has no field "nope"`, to, client, from, "--request", `{"a":"$nope"}`)
	f("--from is missing: what an agent speaks can be found out by HTTP only", "--to=ws://127.0.0.1:1/", client)
	f("more is no argument of its own", to, client, from, "more")
}

var curlLine = regexp.MustCompile(`(?m)^  curl -N (\S+)(?: -H 'Content-Type: application/json' -d '(.*)')?$`)

// pasted does what the line of curl in a text says, and returns status and body.
func pasted(t *testing.T, text string) (int, string) {
	t.Helper()
	m := curlLine.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("there is no line of curl in\n%s", text)
	}
	resp, err := client.Post(m[1], "application/json", strings.NewReader(m[2]))
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

// strictAgent answers requests of one dialect with a stream of it, and refuses all others.
func strictAgent(t *testing.T, dialect string) *httptest.Server {
	streams := map[string]struct{ member, stream string }{
		"agui": {`"threadId":"`, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":\"assistant\"}\n\n" +
			"data: {\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\",\"delta\":\"Ahoy\"}\n\ndata: {\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"},
		"openai-chat": {`"stream_options":`, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Ahoy\"},\"finish_reason\":null}]}\n\n" +
			"data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"},
		"aisdk": {`"trigger":`, "data: {\"type\":\"start\",\"messageId\":\"m\"}\n\ndata: {\"type\":\"text-start\",\"id\":\"1\"}\n\ndata: {\"type\":\"text-delta\",\"id\":\"1\",\"delta\":\"Ahoy\"}\n\n" +
			"data: {\"type\":\"text-end\",\"id\":\"1\"}\n\ndata: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n"},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || !strings.Contains(string(body), streams[dialect].member) || !strings.Contains(string(body), "Hello") {
			http.Error(w, "no", http.StatusUnprocessableEntity)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, streams[dialect].stream)
	}))
	t.Cleanup(s.Close)
	return s
}

// proxying starts the command and returns what it says before it serves.
func proxying(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(t, append([]string{"proxy", "--listen", "127.0.0.1:0"}, args...)...)
	p.stdout.await(t, 0, "for operators: ")
	return p, p.stdout.String()
}

// Of each agent its dialect is found out, and the line that is printed works in each dialect of clients.
func TestProxy(t *testing.T) {
	for _, agent := range []string{"agui", "openai-chat", "aisdk"} {
		s := strictAgent(t, agent)
		for _, client := range []string{"agui", "aisdk", "openai-chat", "openai-responses", "anthropic", "gemini", "langgraph", "a2a", "native", "evolve"} {
			p, said := proxying(t, "--to", s.URL, "--client", client)
			if status, body := pasted(t, said); status != http.StatusOK || !strings.Contains(body, "Ahoy") {
				t.Errorf("%s to %s: status %d\n%s\n%s", agent, client, status, said, body)
			}
			if !strings.Contains(p.stderr.String(), "It speaks "+agent+" (") {
				t.Errorf("%s: %s", agent, p.stderr)
			}
			p.stop()
			p.ends(t, exitOK)
			p.stderr.await(t, 0, "stopped")
		}
	}
}

// The configuration that is printed does the same when serve serves it.
func TestProxyIsServe(t *testing.T) {
	s := strictAgent(t, "agui")
	p, said := proxying(t, "--to", s.URL, "--client", "openai-chat", "--cors", "http://localhost:3000")
	_, want := pasted(t, said)
	_, text, _ := strings.Cut(said, "this file:\n\n")
	text, _, _ = strings.Cut(text, "\nThe base URL for the front end: http://")
	again := start(t, "serve", "--config", write(t, "sabir.yaml", text))
	again.stderr.await(t, 0, "serving")
	status, got := pasted(t, again.stderr.String())
	varying := regexp.MustCompile(`"(id|created)":("[^"]*"|[0-9]+)`)
	if status != http.StatusOK || varying.ReplaceAllString(got, "") != varying.ReplaceAllString(want, "") {
		t.Errorf("status %d\n%s\nwant\n%s", status, got, want)
	}
	for _, p := range []*process{p, again} {
		p.stop()
		p.ends(t, exitOK)
	}
}

// A route that is refused, or needs more than one request, says so in place of the line.
func TestProxyWithoutCurl(t *testing.T) {
	_, said := proxying(t, "--to", "http://127.0.0.1:1/", "--from", "agui", "--client", "adk")
	if !strings.Contains(said, "\n  # /adk: requests will be refused: ") {
		t.Errorf("got\n%s", said)
	}
}

// A signal drains, as with serve.
func TestProxyDrains(t *testing.T) {
	agent := newAgent(t)
	p, said := proxying(t, "--to", agent.URL, "--from", "native", "--client", "agui")
	m := curlLine.FindStringSubmatch(said)
	running, err := client.Post(m[1], "application/json", strings.NewReader(m[2]))
	if err != nil {
		t.Fatal(err)
	}
	defer running.Body.Close()
	p.stop()
	p.stderr.await(t, 0, "draining")
	agent.let()
	if body := rest(t, running); !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("the running stream ends with\n%s", body)
	}
	p.ends(t, exitOK)
}

func TestProxyPortTaken(t *testing.T) {
	s := strictAgent(t, "agui")
	taken := strings.TrimPrefix(s.URL, "http://")
	sabir(t, "", "proxy", "--to", s.URL, "--from", "agui", "--client", "agui", "--listen", taken).
		want(t, exitFailed, "", taken+" is in use by another program")
}

// serve says what to try where people read its log, and only there.
func TestServeHints(t *testing.T) {
	agent := newAgent(t)
	agent.let()
	p, _, _ := serving(t, write(t, "sabir.yaml", configFor(agent, "", "/agui")))
	for line := range strings.Lines(p.stderr.String()) {
		if !strings.HasPrefix(line, "{") {
			t.Errorf("a line of the log is not JSON: %s", line)
		}
	}
	people := start(t, "serve", "--config", write(t, "sabir.yaml", configFor(agent, "log: {format: console}", "/agui", "/more")))
	people.stderr.await(t, 0, "serving")
	if n := len(curlLine.FindAllString(people.stderr.String(), -1)); n != 2 {
		t.Errorf("%d lines of curl in\n%s", n, people.stderr)
	}
	if status, body := pasted(t, people.stderr.String()); status != http.StatusOK || !strings.Contains(body, "RUN_FINISHED") {
		t.Errorf("status %d\n%s", status, body)
	}
}

// A shell takes the line as it is printed.
func TestCurlIsPasted(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl")
	}
	s := strictAgent(t, "openai-chat")
	_, said := proxying(t, "--to", s.URL, "--from", "openai-chat", "--client", "aisdk")
	out, err := exec.Command("sh", "-c", curlLine.FindString(said)).Output()
	if err != nil || !strings.Contains(string(out), `"delta":"Ahoy"`) {
		t.Errorf("%v\n%s\n%s", err, said, out)
	}
}

// SIGHUP has no file to read again.
func TestStay(t *testing.T) {
	log := newConsole()
	logger, level := newLogger(config.Log{Level: "info", Format: "json"}, log)
	hangup := make(chan os.Signal, 1)
	r := &reloader{log: logger, level: level}
	ended := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { r.stay(ctx, hangup); close(ended) }()
	hangup <- os.Interrupt // whichever it is
	log.await(t, 0, "SIGHUP changes nothing")
	cancel()
	<-ended
}

// With --inspect the page of runs is on, and its address is printed.
func TestProxyInspect(t *testing.T) {
	_, said := proxying(t, "--from", "agui", "--to", "http://127.0.0.1:1/", "--client", "aisdk", "--inspect")
	_, page, found := strings.Cut(said, "Look at the runs: ")
	page, _, _ = strings.Cut(page, "\n")
	if !found || !strings.Contains(said, "\ninspect: content ") {
		t.Fatal(said)
	}
	resp, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || !strings.HasPrefix(kind, "text/html") {
		t.Errorf("%s: status %d, %s", page, resp.StatusCode, kind)
	}
}
