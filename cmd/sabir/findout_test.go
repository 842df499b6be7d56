package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
)

func TestByURL(t *testing.T) {
	f := func(url, want string) {
		t.Helper()
		got := ""
		if d := byURL(url, new(catalog)); d != nil {
			got = d.Name
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", url, got, want)
		}
	}
	f("http://h/v1/chat/completions", "openai-chat")
	f("https://h:1/deep/v1/chat/completions?a=b", "openai-chat")
	f("http://h/v1/responses", "openai-responses")
	f("http://h/v1/messages", "anthropic")
	f("http://h/v1beta/models/gemini-3:streamGenerateContent?alt=sse", "gemini")
	f("http://h/v1beta/interactions", "gemini-interactions")
	f("http://h/runs/stream", "langgraph")
	f("http://h/", "")
	f("http://h", "")
	f("http://h/messages", "")
	f("http://h/agent/run", "")
	f("http://h/agent/x/run", "")
	f("%", "")
}

// A server whose URL tells is not asked.
func TestProxyByURL(t *testing.T) {
	got := sabir(t, "", "proxy", "--print", "--to", "http://127.0.0.1:1/v1/chat/completions", "--client", "agui")
	got.want(t, exitOK, "dialect: openai-chat ", "taken for openai-chat, by its URL")
}

// hostile are servers that do not answer as agents do.
func hostile(t *testing.T, asked *atomic.Int32) *httptest.Server {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the other server is asked") }))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that its client has gone
		endless := func(text string, pause time.Duration) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, text); err != nil {
					return
				}
				_ = http.NewResponseController(w).Flush()
				time.Sleep(pause)
			}
		}
		switch r.URL.Path {
		case "/bytes":
			endless(strings.Repeat("x", 32<<10), 0)
		case "/lines":
			endless(strings.Repeat("data: {\"what\":1}\n\n", 1000), 0)
		case "/slow":
			endless(":\n\n", 5*time.Millisecond)
		case "/silent":
			<-r.Context().Done()
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>")
		case "/text":
			fmt.Fprint(w, "hello\n")
		case "/empty":
		case "/hangup":
			panic(http.ErrAbortHandler)
		case "/away":
			http.Redirect(w, r, other.URL+"/run?key=SECRET", http.StatusTemporaryRedirect)
		case "/get":
			http.Redirect(w, r, "/bytes", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusTemporaryRedirect)
		case "/closed":
			http.Error(w, "private", http.StatusUnauthorized)
		case "/refuses":
			w.WriteHeader(http.StatusUnprocessableEntity)
			fmt.Fprintf(w, "{\"detail\":[{\"loc\":[\"body\",\n\t\"prompt\"],\x1b[31m\"msg\":\"Field required\",\"for\":%q}]}", r.Header.Get("Authorization"))
		case "/error":
			fmt.Fprint(w, "data: {\"type\":\"error\"}\n\n")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close(); other.Close() })
	return s
}

// Whatever a server does, it is known soon that nothing can be found out, and why.
func TestAskHostile(t *testing.T) {
	var asked atomic.Int32
	s := hostile(t, &asked)
	f := func(path string, times int32, want string) {
		t.Helper()
		asked.Store(0)
		begun := time.Now()
		got := sabir(t, "", "detect", "--timeout", "700ms", "--ask", s.URL+path)
		got.want(t, exitFailed, "", want)
		if n := asked.Load(); n != times {
			t.Errorf("%s: asked %d times, want %d", path, n, times)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s: took %v", path, took)
		}
		if strings.Contains(got.stderr, "SECRET") || strings.Contains(got.stderr, "private") {
			t.Errorf("%s: the error shows a secret: %s", path, got.stderr)
		}
	}
	every, servers := int32(len(likely)), int32(1)
	for _, d := range adapters.All() {
		if d.Sessions != nil && d.Sessions.Run != nil {
			servers++
		}
	}
	f("/bytes", 1, "no whole record in the ")
	f("/lines", 1, "no dialect recognises any of the ")
	f("/slow", 1, "no whole record in the ")
	f("/silent", 1, "did not answer in time")
	f("/page", servers, "answered with a web page, not with a stream")
	f("/text", 1, "no dialect recognises any of the 1 record")
	f("/empty", every, "takes none of the forms of request that were tried: an empty answer to agui, openai-chat, ")
	f("/hangup", every, "none of the forms of request that were tried: no answer to agui, openai-chat, ")
	f("/away", 1, "/run; if that is right, give that URL")
	f("/get", 1, "/bytes; if that is right, give that URL")
	f("/loop", 4, "/loop; if that is right, give that URL")
	f("/closed", 1, "answered with status 401 Unauthorized")
	f("/nowhere", servers, "answered with status 404 Not Found")
	f("/refuses", every, "takes none of the forms of request that were tried: 422 to agui, openai-chat, ")
	f("/refuses", every, `; to agui it says: {"detail":[{"loc":["body", "prompt"],[31m"msg":"Field required","for":""}]}`)
	f("/error", every, "several dialects fit as well: ")
}

// A signal while the agent is asked ends the command.
func TestProxyInterrupted(t *testing.T) {
	var asked atomic.Int32
	s := hostile(t, &asked)
	p := start(t, "proxy", "--to", s.URL+"/silent", "--client", "agui")
	p.stderr.await(t, 0, "Asking the agent")
	p.stop()
	p.ends(t, exitFailed)
	p.stderr.await(t, 0, "interrupted while the agent was asked")
}

// Errors of proxy name the way out.
func TestProxyFindsNothing(t *testing.T) {
	var asked atomic.Int32
	s := hostile(t, &asked)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	got := sabir(t, "", "proxy", "--to", s.URL+"/nowhere", "--client", "agui")
	got.want(t, exitFailed, "", "cannot find out what the agent speaks: "+s.URL+"/nowhere answered with status 404 Not Found\nGive the URL where runs are asked for, path included")
	f := func(url, want string) {
		t.Helper()
		sabir(t, "", "proxy", "--to", url, "--client", "agui").want(t, exitFailed, "", want)
	}
	f(strings.Replace(s.URL, "http:", "https:", 1)+"/run", "It speaks plain HTTP: write http:// in place of https://")
	f(secure.URL+"/run", "--print writes the\nconfiguration, in which the upstream gets tls: {ca: FILE}")
	f("http://127.0.0.1:1/", "connection refused\nStart the agent first, or correct the URL")
	f(s.URL+"/closed", "401 Unauthorized\nIt wants a key: name what it speaks with --from")
	f(s.URL+"/refuses", "\nIf it takes a body of its own, say which: --request '{\"prompt\":\"$input\"}'")
	f(s.URL+"/page", "not with a stream; give the URL where a run is asked for\nIt must run")
}

// ownAgent is home-made: its body and its records are its own.
func ownAgent(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Question string }
		if json.NewDecoder(r.Body).Decode(&asked); asked.Question == "" {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, "data: {\"kind\":\"word\",\"word\":\"You said \"}\n\ndata: {\"kind\":\"word\",\"word\":%q}\n\ndata: {\"kind\":\"finished\"}\n\n", asked.Question)
	}))
	t.Cleanup(s.Close)
	return s
}

// In front of a home-made agent, each message says the next command, and the last one serves.
func TestProxyOwnAgent(t *testing.T) {
	s := ownAgent(t)
	sabir(t, "", "proxy", "--to", s.URL, "--client", "agui").want(t, exitFailed, "", "no answer to agui, openai-chat")
	request := `{"question":"$input"}`
	got := sabir(t, "", "proxy", "--to", s.URL, "--client", "agui", "--request", request)
	got.want(t, exitFailed, "", `the first of which is "{\"kind\":\"word\",\"word\":\"You said \"}"`)
	got.want(t, exitFailed, "", ` detect --draft --data '{"question":"Hello"}' `+s.URL+" > mine.yaml\n")
	got.want(t, exitFailed, "", " --declare mine.yaml --from mine --request '"+request+"' --client agui\n")
	sabir(t, "", "init", "--to", s.URL, "--client", "agui", "--request", request).want(t, exitFailed, "", " init --to "+s.URL+" --declare mine.yaml --from mine")
	drafted := sabir(t, "", "detect", "--draft", "--data", `{"question":"Hello"}`, s.URL)
	drafted.want(t, exitOK, "{type: word, emit: text.delta, set: {text: word}}", "")
	mine := write(t, "mine.yaml", drafted.stdout)
	_, said := proxying(t, "--to", s.URL, "--client", "agui", "--request", request, "--declare", mine, "--from", "mine")
	status, body := pasted(t, said)
	if status != http.StatusOK || !strings.Contains(body, `"delta":"Hello"`) || !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("status %d\n%s", status, body)
	}
	sabir(t, "no stream", "detect", "--draft").want(t, exitFailed, "", "there is nothing to draft: of 9 bytes no record is a JSON object")
}

// sdkAgent answers with the events of an SDK that have no form of requests, and passes its body to the SDK.
func sdkAgent(t *testing.T) (s *httptest.Server, asked func() string) {
	var last atomic.Value
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Input json.RawMessage }
		if json.NewDecoder(r.Body).Decode(&body); body.Input == nil {
			http.Error(w, "input is missing", http.StatusUnprocessableEntity)
			return
		}
		last.Store(string(body.Input))
		fmt.Fprint(w, `data: {"type":"agent_updated_stream_event","new_agent":{"name":"Weather"}}`+"\n\n")
		fmt.Fprint(w, `data: {"type":"raw_response_event","data":{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"Cold."}}`+"\n\n")
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(s.Close)
	return s, func() string { return fmt.Sprint(last.Load()) }
}

// An agent whose dialect has no form of requests is asked in the one that it took.
func TestProxyRequestDialect(t *testing.T) {
	s, asked := sdkAgent(t)
	_, said := proxying(t, "--to", s.URL, "--client", "agui")
	status, body := pasted(t, said)
	if status != http.StatusOK || !strings.Contains(body, `"delta":"Cold."`) || !strings.Contains(body, `"RUN_FINISHED"`) {
		t.Errorf("status %d\n%s", status, body)
	}
	if got := asked(); got != `[{"type":"message","role":"user","content":"Hello"}]` {
		t.Errorf("asked with %s", got)
	}
	got := sabir(t, "", "detect", "--ask", s.URL)
	got.want(t, exitOK, "    dialect: openai-agents\n    request_dialect: openai-responses\n\nIt took a request of openai-responses.\n", "")
	got.want(t, exitOK, " proxy --to "+s.URL+" --from openai-agents --request-as openai-responses --client aisdk\n", "")
	printed := func(args ...string) outcome {
		return sabir(t, "", append([]string{"proxy", "--print", "--to", s.URL, "--client", "agui"}, args...)...)
	}
	printed("--request-as", "openai-responses").want(t, exitOK, "    request_dialect: openai-responses ", "took a request of openai-responses")
	printed("--request-as", "openai-chat").want(t, exitFailed, "", "takes none of the forms of request that were tried: 422 to openai-chat")
	printed("--request", `{"input":"$input"}`).want(t, exitOK, "    dialect: openai-agents", "It speaks openai-agents")
	if got := printed("--request", `{"input":"$input"}`); strings.Contains(got.stdout, "request_dialect") {
		t.Errorf("a template is given, and a form beside it:\n%s", got.stdout)
	}
	printed("--from", "openai-agents", "--request-as", "evolve").want(t, exitUsage, "", "--request-as: requests of evolve are not written; there is: ")
	printed("--from", "openai-agents", "--request-as", "langgraph").want(t, exitUsage, "", "keeps sessions, which has to speak it as well")
	printed("--from", "openai-agents", "--request-as", "openai-caht").want(t, exitUsage, "", "--request-as: there is no dialect \"openai-caht\"; there is: ")
}

// detect asks only with its flag, and then says how to go on.
func TestDetectAsk(t *testing.T) {
	s := strictAgent(t, "openai-chat")
	sabir(t, "", "detect", s.URL).want(t, exitFailed, "", "422 Unprocessable Entity; it says: no; most agents want a POST with a body: --data TEXT sends one, --ask tries")
	got := sabir(t, "", "detect", "--ask", s.URL)
	got.want(t, exitOK, "    dialect: openai-chat\n\nIt took a request of openai-chat.\n", "")
	got.want(t, exitOK, " proxy --to "+s.URL+" --from openai-chat --client aisdk\n", "")
	sabir(t, "", "detect", "--ask", strictAgent(t, "aisdk").URL).want(t, exitOK, " --from aisdk --client agui\n", "")
	sabir(t, aguiText, "detect", "--ask").want(t, exitUsage, "", "--ask is for a URL")
	sabir(t, "", "detect", "--ask", "--data", "{}", s.URL).want(t, exitUsage, "", "--ask is for a URL")
	if got := sabir(t, "", "detect", "--ask", s.URL+"?key=SECRET"); got.status != exitOK || strings.Contains(got.stdout, "SECRET") {
		t.Errorf("status %d\n%s", got.status, got.stdout)
	}
}

// The fields that a dialect wants beside its body go along, and those of the user.
func TestAskHeader(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Anthropic-Version") == "" || r.Header.Get("X-Key") != "k" {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"model\":\"x\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n")
	}))
	t.Cleanup(s.Close)
	sabir(t, "", "detect", "--ask", "-H", "X-Key: k", s.URL).want(t, exitOK, "It took a request of anthropic.", "")
}
