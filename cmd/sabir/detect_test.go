package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const aguiText = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}
{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}
{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hi"}
`

// TestDetect looks at standard input and at a file.
func TestDetect(t *testing.T) {
	want := "dialect  agui, AG-UI\nframing  ndjson\nsure     certain: 3 of 3 records recognised\n\nFor the upstream in sabir.yaml:\n\n    dialect: agui\n"
	sabir(t, aguiText, "detect").want(t, exitOK, want, "")
	sabir(t, aguiText, "detect", "-").want(t, exitOK, want, "")
	path := filepath.Join(t.TempDir(), "run.ndjson")
	if err := os.WriteFile(path, []byte(aguiText), 0o600); err != nil {
		t.Fatal(err)
	}
	sabir(t, "", "detect", path).want(t, exitOK, want, "")
	sabir(t, "data: "+`{"type":"start","messageId":"m"}`+"\n\ndata: "+`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`+"\n\n", "detect").
		want(t, exitOK, "version  6 or later\nframing  sse\n", "")
}

func TestDetectJSON(t *testing.T) {
	got := sabir(t, aguiText, "detect", "--json")
	got.want(t, exitOK, anything, "")
	var found detected
	if err := json.Unmarshal([]byte(got.stdout), &found); err != nil {
		t.Fatalf("%v\n%s", err, got.stdout)
	}
	if found.Dialect != "agui" || found.Framing != "ndjson" || found.Sure != "certain" || found.Records != 3 || found.YAML != "dialect: agui" ||
		len(found.Matches) != 1 || found.Matches[0].Recognised != 3 || found.Matches[0].Share != 1 {
		t.Errorf("%+v", found)
	}
	sabir(t, `{"type":"error"}`, "detect", "--json").want(t, exitFailed, `"sure": "ambiguous"`, "several dialects fit")
}

// TestDetectNot says what is wrong where there is no answer.
func TestDetectNot(t *testing.T) {
	f := func(stdin string, status int, stderr string, args ...string) {
		t.Helper()
		sabir(t, stdin, append([]string{"detect"}, args...)...).want(t, status, "", stderr)
	}
	f("", exitFailed, "not one byte came")
	f("hello\n", exitFailed, "no dialect recognises any of the 1 record")
	own := `{"kind":"token","content":"Hi"}` + "\n"
	f(own+own+own+`{"kind":"usage","prompt":12}`, exitFailed, "no dialect recognises half of the 4 records (native 1 of them), the first of which is")
	f(own+own+own+`{"kind":"usage","prompt":12}`, exitFailed, "with --draft writes a file")
	f(`{"type":"st`, exitFailed, "no whole record in the 11 bytes")
	f(`{"mine":"Hello"}`, exitFailed, "with --draft writes a file")
	f("hello\n", exitFailed, `no record is a JSON object, such as {"text":"Hello"}; other records cannot be described`, "--draft")
	f("", exitUsage, "leave it out to give them", "--ask", "--data", "{}", "http://127.0.0.1:1/")
	f(`{"type":"error"}`, exitFailed, "several dialects fit as well: ")
	f("", exitFailed, "no such file", filepath.Join(t.TempDir(), "none"))
	f("", exitUsage, "--data, --header and --method are for a URL", "--data", "{}")
	f("", exitUsage, "one a line", "ws://127.0.0.1:1/")
	f("", exitUsage, "--declare", "--declare", "none.yaml")
	f("", exitUsage, "--data: open ", "--data", "@"+filepath.Join(t.TempDir(), "none"), "http://127.0.0.1:1/")
	f("", exitFailed, "connection refused", "http://127.0.0.1:1/")
	f("", exitUsage, "accepts at most 1 arg", "a", "b")
}

// TestDetectDeclared recognises a dialect that a file describes.
func TestDetectDeclared(t *testing.T) {
	stream := "event: token\ndata: {\"text\":\"High water\"}\n\nevent: end\ndata: {\"ok\":true}\n\n"
	sabir(t, stream, "detect", "--declare", "../../examples/dialects/homemade.yaml").want(t, exitOK, "dialect: homemade", "")
}

// TestDetectURL asks a server whose stream does not end.
func TestDetectURL(t *testing.T) {
	gone := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/refused":
			http.Error(w, "private", http.StatusForbidden)
		case "/silent":
			<-r.Context().Done()
		case "/run":
			fmt.Fprintf(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"%s %s %s\",\"runId\":\"r\"}\n\n", r.Method, r.Header.Get("X-Key"), body)
			fmt.Fprint(w, "data: {\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\"}\n\n")
			w.(http.Flusher).Flush()
			if r.Method != http.MethodPost || r.Header.Get("X-Key") != "k" || string(body) != "{}" {
				t.Errorf("%s %v %s", r.Method, r.Header, body)
			}
			select {
			case <-r.Context().Done():
				close(gone)
			case <-time.After(testTimeout):
				t.Error("the stream is not left")
			}
		}
	}))
	defer s.Close()
	defer http.DefaultClient.CloseIdleConnections()
	sabir(t, "", "detect", "--timeout", "300ms", "--data", "{}", "--header", "X-Key: k", s.URL+"/run").want(t, exitOK, "dialect: agui", "")
	<-gone
	sabir(t, "", "detect", s.URL+"/refused").want(t, exitFailed, "", "answered with status 403 Forbidden")
	sabir(t, "", "detect", "--timeout", "100ms", s.URL+"/silent").want(t, exitFailed, "", "did not answer in time")
	for _, url := range []string{s.URL + "/refused?key=SECRET", "http://me:SECRET@127.0.0.1:1/run?key=SECRET"} {
		got := sabir(t, "", "detect", url)
		got.want(t, exitFailed, "", anything)
		if strings.Contains(got.stderr, "SECRET") {
			t.Errorf("the error shows a secret: %s", got.stderr)
		}
	}
	got := sabir(t, "", "detect", "--header", "no colon", s.URL+"/run")
	got.want(t, exitFailed, "", "want NAME: VALUE")
}

// TestDetectBounded leaves a stream that never ends, and never tells.
func TestDetectBounded(t *testing.T) {
	line := strings.Repeat("x", 1<<10) + "\n"
	endless := &repeater{text: line}
	var out, errs strings.Builder
	status := run(t.Context(), []string{"detect", "--timeout", "20s"}, endless, &out, &errs)
	if read := endless.read.Load(); status != exitFailed || read > 4<<20 {
		t.Errorf("status %d after %d bytes: %s", status, read, errs.String())
	}
}

type repeater struct {
	text string
	read atomic.Int64
}

func (r *repeater) Read(p []byte) (int, error) {
	n := copy(p, r.text)
	r.read.Add(int64(n))
	return n, nil
}
