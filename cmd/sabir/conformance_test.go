package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A server of AG-UI that forgets to begin its message, and says nothing of one member.
const careless = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}

data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi"}

data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}

data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}

`

// carelessServer is a server that answers each POST with a stream, and the bodies that it got.
func carelessServer(t *testing.T, stream string) (url string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*asked = append(*asked, r.Header.Get("X-Key")+string(body))
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/run", asked
}

// The report says what was asked, what came, and each violation: the rule, the record, the byte, the member.
func TestCheckUpstream(t *testing.T) {
	url, asked := carelessServer(t, careless)
	got := sabir(t, "", "check", "--upstream", url+"?key=secret", "--from", "agui", "-H", "X-Key: k")
	got.want(t, exitFailed, "# A run of "+url+", and the rules of agui", "3 rules of agui broken")
	for _, want := range []string{
		"4 records", "## part_not_started\n\nA delta of an answer belongs to a part", "- record 2, byte 57", `"delta":"Hi"`,
		"## member_missing", "- record 3, byte 125, `delta`: want a string", "## part_left_open", "POST " + url, `"content":"Hello"`, "## What came",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	if strings.Contains(got.stdout, "secret") {
		t.Error("the report has the key of the URL")
	}
	if len(*asked) != 1 || !strings.HasPrefix((*asked)[0], "k{") {
		t.Errorf("the server was asked %q", *asked)
	}

	url, _ = carelessServer(t, strings.NewReplacer(
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi"}`, `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`, `{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	).Replace(careless))
	sabir(t, "", "check", "--upstream", url, "--from", "agui").want(t, exitOK, "4 records, no rule is broken.", "")
}

// A server of one's own is asked without a body, as nothing says which it takes; where it refuses that, the error says what helps.
func TestCheckUpstreamWithoutForm(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		_, _ = io.WriteString(w, "{\"t\":\"x\"}\n")
	}))
	t.Cleanup(s.Close)
	mine := write(t, "mine.yaml", "framing: ndjson\ntype: t\ndecode: [{type: x, emit: run.end}]\n")
	args := []string{"check", "--upstream", s.URL, "--declare", mine, "--from", "mine"}
	sabir(t, "", args...).want(t, exitFailed, "", "requests of mine have no form that is known, so it was asked without a body: give one with --data")
	sabir(t, "", append(args, "--data", "{}")...).want(t, exitOK, "no rule is broken", "")
}

// An upstream can be one of the configuration. It is found out what a server speaks that is given by its URL alone.
func TestCheckUpstreamFound(t *testing.T) {
	url, asked := carelessServer(t, careless)
	path := write(t, "sabir.yaml", strings.NewReplacer("http://127.0.0.1:9000/stream", url, "dialect: native}", "dialect: agui, headers: {set: {X-Key: sesame}}}").Replace(goodConfig))
	got := sabir(t, "", "check", "--config", path, "--upstream", "agent")
	got.want(t, exitFailed, "## member_missing", "3 rules")
	if (*asked)[0][:7] != "sesame{" || strings.Contains(got.stdout, "sesame") {
		t.Errorf("asked %q; the report is\n%s", *asked, got.stdout)
	}
	own := write(t, "own.yaml", strings.NewReplacer("http://127.0.0.1:9000/stream", url, "dialect: native}", `dialect: agui, request: '{"prompt":"$input","chat":"$thread"}'}`).Replace(goodConfig))
	sabir(t, "", "check", "--config", own, "--upstream", "agent").want(t, exitFailed, "## member_missing", "3 rules")
	if got := (*asked)[1]; got != `{"prompt":"Hello","chat":"thread-1"}` {
		t.Errorf("asked %q, want the body that the file describes", got)
	}
	form := write(t, "form.yaml", strings.NewReplacer("http://127.0.0.1:9000/stream", url, "dialect: native}", "dialect: mastra, request_dialect: anthropic}").Replace(goodConfig))
	sabir(t, "", "check", "--config", form, "--upstream", "agent", "--model", "m1").want(t, exitFailed, "the rules of mastra", "broken")
	if got := (*asked)[2]; !strings.Contains(got, `"model":"m1"`) || !strings.Contains(got, `"max_tokens"`) {
		t.Errorf("asked %q, want a body in the form that the file names", got)
	}
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "chat is missing", http.StatusBadRequest) }))
	t.Cleanup(refuses.Close)
	sabir(t, "", "check", "--upstream", refuses.URL, "--from", "agui").want(t, exitFailed, "", "answered with status 400 Bad Request; it says: chat is missing")
	sabir(t, "", "check", "--upstream", url).want(t, exitFailed, "the rules of agui", "3 rules")
	sabir(t, "", "check", "--config", path, "--upstream", "other").want(t, exitUsage, "", `has no upstream "other"`)
	sabir(t, "", "check", "--upstream", url, "--from", "klingon").want(t, exitUsage, "", "klingon")
	sabir(t, "", "check", "--upstream", url, "--schema").want(t, exitUsage, "", "schema")
}

// The base of a server that keeps sessions is the URL that upstreams have: a run is asked for below it. What takes more than one request is refused.
func TestCheckUpstreamBase(t *testing.T) {
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.RequestURI) }))
	t.Cleanup(s.Close)
	for _, c := range [][]string{{"mastra", "/api/agents/a/?k=1"}, {"mastra", "/api/agents/a/stream"}, {"langgraph", ""}, {"langgraph", "/runs/stream"}, {"bedrock", "/model"}} {
		sabir(t, "", "check", "--upstream", s.URL+c[1], "--from", c[0]).want(t, exitFailed, "0 records", "1 rule")
	}
	sabir(t, "", "check", "--upstream", s.URL+"/run", "--from", "langgraph", "--data", "{}").want(t, exitFailed, "0 records", "1 rule")
	if got := strings.Join(asked, " "); got != "/api/agents/a/stream?k=1 /api/agents/a/stream /runs/stream /runs/stream /model /run" {
		t.Errorf("asked at %s", got)
	}
	sabir(t, "", "check", "--upstream", s.URL, "--from", "opencode").want(t, exitUsage, "", "conformance: observe")
}

// A server that does not end is left, and its end not judged.
func TestCheckUpstreamEndless(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client leaves
		_, _ = io.WriteString(w, careless[:57])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer s.Close()
	sabir(t, "", "check", "--upstream", s.URL, "--from", "agui", "--timeout", (300*time.Millisecond).String()).
		want(t, exitOK, "The answer was not read to its end: it had not ended after 300ms.", "")
}
