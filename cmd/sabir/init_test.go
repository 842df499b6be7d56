package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// golden compares what a command has written with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v; got\n%s\nwrite it anew with -update", file, err, got)
	}
}

func TestInit(t *testing.T) {
	t.Chdir(t.TempDir())
	flags := []string{"init", "--to", "http://127.0.0.1:9000/", "--from", "agui", "--client", "openai-chat"}
	sabir(t, "", flags...).want(t, exitOK, " serve --config sabir.yaml\n", "")
	sabir(t, "", "check").want(t, exitOK, "is fine", "")
	first, err := os.ReadFile("sabir.yaml")
	if err != nil {
		t.Fatal(err)
	}
	again := append(flags, "--cors", "http://localhost:3000")
	sabir(t, "", again...).want(t, exitFailed, "", "sabir.yaml is there already; --force writes over it, -o FILE writes another")
	if now, _ := os.ReadFile("sabir.yaml"); string(now) != string(first) {
		t.Error("the file has changed")
	}
	sabir(t, "", append(again, "--force")...).want(t, exitOK, "is written", "")
	sabir(t, "", append(again, "-o", "more.yaml", "--listen", "0.0.0.0:8080")...).want(t, exitOK, "serve --config more.yaml", "")
	forced, _ := os.ReadFile("sabir.yaml")
	more, _ := os.ReadFile("more.yaml")
	sabir(t, "", append(flags, "-o", "no/such/folder.yaml")...).want(t, exitFailed, "", "no/such/folder.yaml")
	if !strings.Contains(string(forced), "    - http://localhost:3000\n") {
		t.Errorf("got\n%s", forced)
	}
	if !strings.Contains(string(more), "# where clients call; other machines can, too: put TLS in front\n") {
		t.Errorf("got\n%s", more)
	}
}

func TestInitGolden(t *testing.T) {
	f := func(name string, flags ...string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "sabir.yaml")
		sabir(t, "", append([]string{"init", "-o", path}, flags...)...).want(t, exitOK, "is written", "")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, string(text))
	}
	f("init.yaml", "--to", "http://127.0.0.1:9000/", "--from", "agui", "--client", "openai-chat")
	f("init-own.yaml", "--to", "http://127.0.0.1:9000/stream", "--from", "evolve", "--client", "aisdk",
		"--cors", "http://localhost:3000", "--request", `{"prompt":"$input"}`, "--model", "m")
}

// Without a terminal nothing is asked.
func TestInitWithoutTerminal(t *testing.T) {
	t.Chdir(t.TempDir())
	sabir(t, "http://127.0.0.1:9000/\nagui\n", "init").want(t, exitUsage, "", "--to is missing: ")
	sabir(t, "", "init", "--to", "http://127.0.0.1:9000/").want(t, exitUsage, "", "--client is missing: ")
	if _, err := os.Stat("sabir.yaml"); err == nil {
		t.Error("a file is written")
	}
}

// Wrong answers are asked for again; no answer is the one in brackets.
func TestInitAsks(t *testing.T) {
	s := strictAgent(t, "openai-chat")
	f := func(o oneRoute, answers, said string, want oneRoute) {
		t.Helper()
		var out strings.Builder
		err := o.ask(t.Context(), strings.NewReader(answers), &out)
		if err != nil && said == "" || strings.Join(o.command, " ") != strings.Join(want.command, " ") || o.to != want.to || o.from != want.from || o.client != want.client {
			t.Errorf("%q: %v, got %+v\n%s", answers, err, o, &out)
		}
		if err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), said) {
			t.Errorf("%q: want %q in\n%s", answers, said, &out)
		}
	}
	f(oneRoute{from: "agui"}, "\n\n", "  openai-chat         OpenAI Chat Completions\n", oneRoute{to: "http://127.0.0.1:9000/", from: "agui", client: "agui"})
	f(oneRoute{}, s.URL+"\nag-ui\naisdk\n", "did you mean agui?", oneRoute{to: s.URL, from: "openai-chat", client: "aisdk"})
	f(oneRoute{from: "agui"}, "here\nhttp://h/\n\n", "It needs a scheme", oneRoute{to: "http://h/", from: "agui", client: "agui"})
	f(oneRoute{client: "agui"}, "http://127.0.0.1:1/\nadk\n", "What does your agent speak? ", oneRoute{to: "http://127.0.0.1:1/", from: "adk", client: "agui"})
	f(oneRoute{to: "http://127.0.0.1:1/v1/messages"}, "\n", "by its URL", oneRoute{to: "http://127.0.0.1:1/v1/messages", from: "anthropic", client: "agui"})
	f(oneRoute{from: "agui"}, "", "interrupted; nothing is written", oneRoute{from: "agui"})
}
