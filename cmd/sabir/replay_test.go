package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/sabir-proxy/sabir/proxy/recording"
)

// record records questions to an agent that repeats them, and returns the files.
func record(t *testing.T, client string, questions ...string) []string {
	t.Helper()
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		said := regexp.MustCompile(`Ask-(\w+)`).FindString(body.String())
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Answer to %s\"},\"finish_reason\":null}]}\n\n", said)
		if said != "Ask-cut" {
			fmt.Fprint(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		}
	}))
	defer agent.Close()
	dir := filepath.Join(t.TempDir(), "recordings")
	p := start(t, "record", "--to", agent.URL, "--from", "openai-chat", "--client", client, "--listen", "127.0.0.1:0", "--dir", dir)
	p.stdout.await(t, 0, "for operators: ")
	for _, q := range questions {
		line := strings.ReplaceAll(p.stdout.String(), "Hello", "Ask-"+q)
		if status, body := pasted(t, line); status != http.StatusOK || !strings.Contains(body, "Answer to Ask-"+q) {
			t.Fatalf("status %d: %s", status, body)
		}
	}
	p.stop()
	p.ends(t, exitOK)
	p.stderr.await(t, 0, "stopped")
	files, err := filepath.Glob(filepath.Join(dir, "*.sabir.jsonl"))
	if err != nil || len(files) != len(questions) {
		t.Fatalf("%d files for %d questions: %v", len(files), len(questions), err)
	}
	return files
}

// What was recorded for one dialect is served in every other, by the question that is asked.
func TestReplay(t *testing.T) {
	files := record(t, "agui", "one", "two")
	for _, as := range []string{"agui", "aisdk", "openai-chat", "openai-responses", "anthropic", "gemini", "langgraph", "a2a", "native", "evolve"} {
		p := start(t, append([]string{"replay", "--as", as, "--listen", "127.0.0.1:0", "--speed", "100x"}, files...)...)
		p.stdout.await(t, 0, "for operators: ")
		said := p.stdout.String()
		for _, q := range []string{"two", "one", "two"} {
			if as == "evolve" && q != "one" {
				continue // its requests are a server's own, so that they cannot be distinguished: they are answered in turn
			}
			status, body := pasted(t, strings.ReplaceAll(said, "Hello", "Ask-"+q))
			if text := strings.ReplaceAll(body, `"}}]}`+"\n", ""); status != http.StatusOK || !strings.Contains(text, "Answer to Ask-"+q) {
				t.Errorf("%s, %s: status %d\n%s", as, q, status, body)
			}
		}
		if as != "evolve" && !strings.Contains(p.stdout.String(), "recorded for this conversation") {
			t.Errorf("%s: %s", as, p.stdout)
		}
		p.stop()
		p.ends(t, exitOK)
		p.stderr.await(t, 0, "stopped")
	}
}

// A run that was cut is cut again.
func TestReplayCut(t *testing.T) {
	files := record(t, "agui", "cut")
	p := start(t, "replay", "--as", "agui", "--listen", "127.0.0.1:0", files[0])
	p.stdout.await(t, 0, "for operators: ")
	if _, body := pasted(t, p.stdout.String()); !strings.Contains(body, "Answer to Ask-cut") || !strings.Contains(body, "RUN_ERROR") {
		t.Errorf("got %s", body)
	}
	p.stop()
	p.ends(t, exitOK)
}

// A recording becomes a stream of any dialect, what either side had, and a fixture that says the same.
func TestConvert(t *testing.T) {
	file := record(t, "agui", "one")[0]
	sabir(t, "", "convert", file, "--to", "agui").want(t, exitOK, "Answer to Ask-one", "")
	sabir(t, "", "convert", file, "--to", "anthropic").want(t, exitOK, "message_stop", "")
	sabir(t, "", "convert", file, "--to", "client").want(t, exitOK, `"TEXT_MESSAGE_CONTENT"`, "")
	agent := sabir(t, "", "convert", file, "--to", "agent")
	agent.want(t, exitOK, "data: [DONE]\n\n", "")
	sabir(t, agent.stdout, "translate", "--from", "openai-chat", "--to", "agui").want(t, exitOK, "Answer to Ask-one", "")
	fixture := sabir(t, "", "convert", file, "--to", "fixture")
	fixture.want(t, exitOK, "Origin: recorded from agent", "")
	a := txtar.Parse([]byte(fixture.stdout))
	if len(a.Files) != 2 || string(a.Files[0].Data) != agent.stdout || !strings.Contains(string(a.Files[1].Data), `{"kind":"run.end"`) {
		t.Errorf("the fixture is\n%s", fixture.stdout)
	}
	sabir(t, "", "detect", file).want(t, exitFailed, "", "a recording of sabir, of an agent that speaks openai-chat; sabir convert FILE --to agent")
	sabir(t, "", "convert", file, "--to", "nothing").want(t, exitUsage, "", `--to: there is no dialect "nothing"`)
}

// A recording that is damaged says where.
func TestDamagedRecordings(t *testing.T) {
	whole, err := os.ReadFile(record(t, "agui", "one")[0])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	if _, err := recording.Read("whole", bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	f := func(text, want string) {
		t.Helper()
		path := write(t, "damaged.jsonl", text)
		for _, args := range [][]string{{"replay", path, "--as", "agui"}, {"convert", path, "--to", "agui"}} {
			sabir(t, "", args...).want(t, exitFailed, "", want)
		}
	}
	f("", ":0: the file is empty, and no recording")
	f(`{"kind":"run.start"}`+"\n", ":1: not a recording: the first line must be the header")
	f(strings.Replace(string(whole), `"recording":1`, `"recording":2`, 1), ":1: version 2 of the format; this program reads version 1")
	f(strings.Join(lines[:4], ""), ":4: the file was cut: it has no line of type end")
	f(lines[0]+lines[1]+lines[2][:20]+"\n", ":3: not a line of a recording: unexpected end of JSON input")
	f(lines[0]+`{"type":"what","t":1}`+"\n", `:2: the type "what" is not known`)
	f(lines[0]+`{"type":"in","t":-1}`+"\n", ":2: t is -1; times begin at 0")
	f(lines[0]+`{"type":"in","t":5}`+"\n"+`{"type":"in","t":4}`+"\n", ":3: t is 4, earlier than in the line before, 5")
	f(lines[0]+`{"type":"in","t":5,"base64":"%"}`+"\n", ":2: base64: illegal base64 data")
	f(lines[0]+`{"type":"event","t":5}`+"\n", ":2: an event line without the member event")
	f(string(whole)+lines[1], ": a line after the end of the run")
	f(lines[0]+`{"type":"end","t":5}`+"\n", "the agent has sent no record")
	f(lines[0]+`{"type":"in","t":5,"data":"{}"}`+"\n"+`{"type":"end","t":5,"dropped":3}`+"\n", "3 lines of the run had no room; record it again with a larger max_bytes")
	f(strings.Replace(string(whole), `"form":"content"`, `"form":"shapes"`, 1), "has shapes in place of content, so that there is nothing to replay")
	f(strings.Replace(string(whole), `"from":"openai-chat"`, `"from":"nope"`, 1), `there is no dialect "nope" to read; --declare FILE adds one of your own`)
	sabir(t, "", "replay", "no-such-file", "--as", "agui").want(t, exitFailed, "", "no such file")
	sabir(t, "", "replay", "x", "--as", "agui", "--speed", "0x").want(t, exitUsage, "", "--speed 0x: want a factor such as 4x")
	sabir(t, "", "replay", "x", "--as", "opencode").want(t, exitUsage, "", "--as: opencode cannot be used for the client, as its streams are not written")
	sabir(t, "", "replay", "--as", "agui").want(t, exitUsage, "", "requires at least 1 arg")
}
