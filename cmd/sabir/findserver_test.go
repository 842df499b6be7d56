package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestFindServer: of a URL at which no run is asked for, servers that keep sessions are found below it. Where all runs share one
// stream, no run begins. Others are what they were.
func TestFindServer(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		mu.Unlock()
		say := func(records ...string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, record := range records {
				fmt.Fprint(w, "data: "+record+"\n\n")
			}
			_ = http.NewResponseController(w).Flush()
		}
		switch r.Method + " " + r.URL.Path {
		case "POST /api/agents/weather/stream":
			say(`{"type":"start","runId":"r","from":"AGENT","payload":{}}`, `{"type":"step-start","runId":"r","from":"AGENT","payload":{}}`,
				`{"type":"text-start","runId":"r","from":"AGENT","payload":{"id":"t"}}`, `{"type":"text-delta","runId":"r","from":"AGENT","payload":{"id":"t","text":"Hi"}}`)
		case "GET /code/event":
			say(`{"id":"e","type":"server.connected","properties":{}}`)
			<-r.Context().Done()
		case "GET /other/event":
			say(`{"type":"hello"}`)
		case "POST /graph/runs/stream":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: metadata\ndata: {\"run_id\":\"r\",\"attempt\":1}\n\nevent: messages\ndata: [{\"type\":\"AIMessageChunk\",\"content\":\"Hi\",\"id\":\"m\"},{\"langgraph_node\":\"agent\"}]\n\n")
		default:
			if strings.HasPrefix(r.URL.Path, "/code") {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprint(w, "<html>")
				return
			}
			http.NotFound(w, r)
		}
	}))
	defer s.Close()
	f := func(path, dialect, at string) {
		t.Helper()
		mu.Lock()
		asked = nil
		mu.Unlock()
		got := sabir(t, "", "proxy", "--print", "--client", "agui", "--to", s.URL+path)
		if dialect == "" {
			got.want(t, exitFailed, "", "answered with status 404")
			return
		}
		got.want(t, exitOK, "url: "+s.URL+path+" ", "It speaks "+dialect)
		if !strings.Contains(got.stdout, "dialect: "+dialect+" ") || strings.Contains(got.stdout, "request_dialect") {
			t.Error(got.stdout)
		}
		if took := strings.Contains(got.stderr, "took a request"); took == (dialect == "opencode") {
			t.Error(got.stderr)
		}
		mu.Lock()
		all := strings.Join(asked, "\n")
		mu.Unlock()
		if !strings.HasSuffix(all, at) {
			t.Errorf("asked\n%s", all)
		}
		sabir(t, "", "detect", "--ask", s.URL+path).want(t, exitOK, "dialect  "+dialect, "")
	}
	f("/api/agents/weather", "mastra", "POST /api/agents/weather/stream")
	f("/code", "opencode", "GET /code/event")
	f("/graph", "langgraph", "POST /graph/runs/stream")
	f("/other", "", "")
	f("/nothing", "", "")
}

// TestFindAgents: a LangGraph server whose graph is not called agent says what it has. The only one is taken, of several one has to be named.
func TestFindAgents(t *testing.T) {
	names := "first"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Graph string `json:"assistant_id"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		switch {
		case r.URL.Path != "/runs/stream":
			http.NotFound(w, r)
		case !slices.Contains(strings.Split(names, ", "), asked.Graph):
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, `{"detail":"Invalid assistant: '%s'. Must be either:\n- A valid assistant UUID, or\n- One of the registered graphs: %s"}`, asked.Graph, names)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "event: metadata\ndata: {\"run_id\":\"r\",\"attempt\":1}\n\nevent: messages\n"+
				"data: [{\"type\":\"AIMessageChunk\",\"content\":\"Hi\",\"id\":\"m\"},{\"langgraph_node\":\"agent\"}]\n\n")
		}
	}))
	defer s.Close()
	proxy := func(args ...string) outcome {
		return sabir(t, "", append([]string{"proxy", "--print", "--client", "agui", "--to", s.URL}, args...)...)
	}
	check := func(args ...string) outcome {
		return sabir(t, "", append([]string{"check", "--upstream", s.URL}, args...)...)
	}
	proxy().want(t, exitOK, "requests: {model: first}", "It speaks langgraph")
	check().want(t, exitOK, "no rule is broken", "It speaks langgraph")
	names = "first, second"
	const advice = "it has first, second\nName the one that is meant: --model first\n"
	proxy().want(t, exitFailed, "", advice)
	proxy("--model", "second").want(t, exitOK, "requests: {model: second}", "It speaks langgraph")
	check("--from", "langgraph").want(t, exitFailed, "", advice)
	check("--from", "langgraph", "--model", "second").want(t, exitOK, "no rule is broken", "")
	sabir(t, "", "detect", "--ask", s.URL).want(t, exitFailed, "", "it has first, second")
}
