package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prompts is what an editor says that begins a conversation and asks once. The name of the conversation is not known before.
const prompts = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}
`

// TestACP: the flags, or a configuration, say which agent stands behind the editor.
func TestACP(t *testing.T) {
	var asked string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = string(body)
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, `{"kind":"run.start","id":"r"}`+"\n"+`{"kind":"text.delta","id":"p","text":"Hi"}`+"\n"+`{"kind":"run.end","status":"done"}`+"\n")
	}))
	defer srv.Close()
	for _, args := range [][]string{{"--from", "native", "--to", srv.URL + "/$x", "--model", "m$1"}, {"--config", acpConfig(t, srv.URL, "acp"), "--route", "/editor"},
		{"--config", acpConfig(t, srv.URL, "acp")}} {
		in, out := io.Pipe()
		lines := make(chan string)
		ended := make(chan int, 1)
		var stderr strings.Builder
		reader, stdout := io.Pipe()
		go func() {
			ended <- run(t.Context(), append([]string{"acp"}, args...), in, stdout, &stderr)
			stdout.Close()
		}()
		go func() {
			all, _ := io.ReadAll(reader)
			lines <- string(all)
		}()
		_, _ = io.WriteString(out, prompts)
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"unknown","prompt":[{"type":"text","text":"hello"}]}}`+"\n")
		out.Close()
		got := <-lines
		if status := <-ended; status != exitOK || stderr.Len() > 0 && !strings.Contains(stderr.String(), "rejected") {
			t.Errorf("%v: exit status %d: %s", args, status, stderr.String())
		}
		for _, want := range []string{`"protocolVersion":1`, `"sessionId":"`, "history_missing"} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: no %s in %s", args, want, got)
			}
		}
	}
	if asked != "" {
		t.Errorf("the agent was asked %s", asked)
	}
}

// acpConfig is a configuration with a route for editors, and another.
func acpConfig(t *testing.T, url, client string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sabir.yaml")
	text := "listen: 127.0.0.1:0\nadmin: \"\"\nupstreams: {a: {url: \"" + url + "\", dialect: native}}\nroutes:\n" +
		"  - {path: /editor, upstream: a, client: " + client + "}\n  - {path: /page, upstream: a, client: agui}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestACPUsage: what is wrong with the flags is said, and nothing is begun.
func TestACPUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		sabir(t, prompts, append([]string{"acp"}, args...)...).want(t, exitUsage, "", want)
	}
	f("want --from")
	f("want --from", "--from", "agui")
	f("want --from", "--from", "agui", "--to", "http://h", "--", "program")
	f("behind --", "--from", "agui", "program")
	f("no dialect", "--from", "ag-ui", "--to", "http://h")
	f("url: needs a scheme", "--from", "agui", "--to", "h:1")
	f("cannot be run as processes", "--from", "agui", "--", "program")
	config := acpConfig(t, "http://h", "agui")
	f("--config says everything", "--config", config, "--from", "agui")
	f("0 routes have client: acp", "--config", config)
	f("there is no route /x", "--config", config, "--route", "/x")
	sabir(t, prompts, "acp", "--config", config, "--route", "/page").want(t, exitFailed, "", "do not speak by lines")
}
