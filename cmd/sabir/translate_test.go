package main

import (
	"context"
	"io"
	"strings"
	"testing"
)

// A run in the native dialect.
const (
	runStart = `{"kind":"run.start","id":"r1","ref":"t1"}` + "\n"
	text     = `{"kind":"text.start","id":"p1"}` + "\n" + `{"kind":"text.delta","id":"p1","text":"Hello"}` + "\n"
	textEnd  = `{"kind":"text.end","id":"p1"}` + "\n"
	notice   = `{"kind":"notice","level":"warning","text":"Careful"}` + "\n"
	runEnd   = `{"kind":"run.end","status":"done"}` + "\n"
	runFails = `{"kind":"run.end","status":"failed","err":"Out of ideas"}` + "\n"
)

func TestTranslate(t *testing.T) {
	path := write(t, "run.ndjson", runStart+text+textEnd+runEnd)
	got := sabir(t, "", "translate", "--from", "native", "--to", "agui", path)
	got.want(t, exitOK, `"type":"TEXT_MESSAGE_CONTENT"`, "")
	if !strings.HasPrefix(got.stdout, `data: {"type":"RUN_STARTED"`) || !strings.Contains(got.stdout, `"RUN_FINISHED"`) {
		t.Errorf("got\n%s", got.stdout)
	}
	sabir(t, runStart+text+textEnd+runEnd, "translate", "--from", "native", "--to", "agui").want(t, exitOK, got.stdout, "")
	sabir(t, runStart+text+textEnd+runEnd, "translate", "--from", "native", "--to", "agui", "-").want(t, exitOK, got.stdout, "")
}

// The same dialect on both sides goes through the model, which closes what is open.
func TestTranslateSame(t *testing.T) {
	got := sabir(t, runStart+text+runEnd, "translate", "--from", "native", "--to", "native")
	got.want(t, exitOK, `{"kind":"text.end","flags":["synthetic"],"seq":4,"id":"p1"}`, "")
}

// A recording is no stream: its lines are about one.
func TestTranslateRecording(t *testing.T) {
	const header = `{"recording":1,"id":"r","began":"2026-02-17T10:00:00Z","route":"/r","upstream":"u","from":"agui","to":"aisdk","form":"content"}`
	for _, args := range [][]string{{"--from", "agui"}, {"--from", "agui", "--whole"}} {
		got := sabir(t, header+"\n", append([]string{"translate", "--to", "openai-chat"}, args...)...)
		if !strings.Contains(got.stderr, "this is a recording of sabir, of an agent that speaks agui; sabir convert FILE") || got.status != exitFailed {
			t.Errorf("%v: status %d, %s", args, got.status, got.stderr)
		}
	}
}

func TestTranslateFraming(t *testing.T) {
	sse := strings.ReplaceAll("data: "+strings.TrimSuffix(strings.ReplaceAll(runStart+text+textEnd+runEnd, "\n", "\n\ndata: "), "data: "), "\r", "")
	f := func(framing, want string, args ...string) {
		t.Helper()
		args = append([]string{"translate", "--from", "native", "--to", "native", "--framing", framing}, args...)
		sabir(t, sse, args...).want(t, exitOK, want, "")
	}
	f("ndjson", "}\n{\"kind\":\"run.end\"", "--framing-in", "auto")
	f("sse", "data: {\"kind\":\"run.end\"", "--framing-in", "sse")
	f("concat", "}{\"kind\":\"run.end\"")
	f("content-length", "Content-Length: 49\r\n\r\n{\"kind\":\"run.start\"")
}

func TestTranslateFaults(t *testing.T) {
	bad := runStart + `{"kind":"tool.strat"}` + "\n" + text + `{"kind":` + "\n" + textEnd + runEnd
	got := sabir(t, bad, "translate", "--from", "native", "--to", "native")
	got.want(t, exitFailed, `"text":"Hello"`, "sabir: 2 records could not be decoded\n")
	if !strings.Contains(got.stdout, `"status":"done"`) {
		t.Errorf("the rest is not translated:\n%s", got.stdout)
	}
	lines := strings.Split(got.stderr, "\n")
	if !strings.HasPrefix(lines[0], "sabir: native record 2, ") || !strings.Contains(lines[0], "kind: unknown") {
		t.Errorf("the first fault is %q", lines[0])
	}
	if !strings.HasPrefix(lines[1], "sabir: native record 5, byte ") || !strings.Contains(lines[1], "syntax") {
		t.Errorf("the second fault is %q", lines[1])
	}
}

func TestTranslateEndings(t *testing.T) {
	f := func(stream string, status int, stdout, stderr string) {
		t.Helper()
		sabir(t, stream, "translate", "--from", "native", "--to", "native").want(t, status, stdout, stderr)
	}
	f(runStart+text+runFails, exitOK, `"err":"Out of ideas"`, "")
	f(runStart+text, exitFailed, `"status":"truncated"`, "sabir: the stream was cut: it has no end of its own; written as truncated\n")
	f(runStart+text+`{"kind":"text.de`, exitFailed, `"status":"truncated"`, "sabir: native record 4")
	f("", exitFailed, `"status":"truncated"`, "the stream was cut")
	f("<html>\n", exitFailed, `"status":"failed"`, "sabir: no record of native\n")
}

// Reading fails in the middle: what came is translated, and the end says so.
func TestTranslateReadError(t *testing.T) {
	var stdout, stderr strings.Builder
	in := io.MultiReader(strings.NewReader(runStart+text), brokenReader{})
	status := run(t.Context(), []string{"translate", "--from", "native", "--to", "native"}, in, &stdout, &stderr)
	outcome{status, stdout.String(), stderr.String()}.want(t, exitFailed, `"status":"truncated"`, "sabir: the stream failed, written as truncated: ")
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Writing fails: nothing is left but to say so.
func TestTranslateWriteError(t *testing.T) {
	var stderr strings.Builder
	status := run(t.Context(), []string{"translate", "--from", "native", "--to", "native"}, strings.NewReader(runStart+runEnd), brokenWriter{}, &stderr)
	outcome{status, "", stderr.String()}.want(t, exitFailed, "", "sabir: cannot write: short write\n")
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestTranslateMissingFile(t *testing.T) {
	sabir(t, "", "translate", "--from", "native", "--to", "native", "no-such.ndjson").want(t, exitFailed, "", "sabir: open no-such.ndjson")
}

// A signal ends a translation whose input does not come.
func TestTranslateInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	defer feed.Close()
	stdout, stderr := newConsole(), newConsole()
	status := make(chan int)
	go func() {
		status <- run(ctx, []string{"translate", "--from", "native", "--to", "native"}, in, stdout, stderr)
	}()
	if _, err := feed.Write([]byte(runStart + text)); err != nil {
		t.Fatal(err)
	}
	stdout.await(t, 0, "Hello") // live: the end has not come
	cancel()
	if got := <-status; got != exitFailed {
		t.Errorf("exit status %d", got)
	}
	stderr.await(t, 0, "sabir: interrupted\n")
}

func TestTranslateTap(t *testing.T) {
	got := sabir(t, runStart+notice+text+textEnd+`{"kind":"plan","items":[]}`+"\n"+runEnd, "translate", "--from", "native", "--to", "agentevent", "--tap")
	want := `{"kind":"run.start","seq":1,"id":"r1","ref":"t1","fate":"dropped"}
{"kind":"notice","level":"warning","seq":2,"text":"Careful","fate":"folded"}
{"kind":"text.start","seq":3,"id":"p1"}
{"kind":"text.delta","seq":4,"id":"p1","text":"Hello"}
{"kind":"text.end","seq":5,"id":"p1"}
{"kind":"plan","seq":6,"items":[],"fate":"dropped"}
{"kind":"run.end","status":"done","seq":7}
`
	if got.status != exitOK || got.stderr != want {
		t.Errorf("exit status %d; got\n%swant\n%s", got.status, got.stderr, want)
	}
	// What the tap shows is a stream of the native dialect.
	sabir(t, got.stderr, "translate", "--from", "native", "--to", "agui").want(t, exitOK, `"RUN_FINISHED"`, "")
}

func TestTranslateStats(t *testing.T) {
	got := sabir(t, runStart+notice+text+runEnd, "translate", "--from", "native", "--to", "agentevent", "--stats")
	want := `5 records in, 5 events decoded, 6 events written, ending done
  folded    notice           1
  dropped   run.start        1
`
	if got.status != exitOK || got.stderr != want {
		t.Errorf("exit status %d; got\n%swant\n%s", got.status, got.stderr, want)
	}
	update := `{"kind":"tool.update","id":"t1"}` + "\n" + `{"kind":"tool.start","id":"t1","name":"bash"}` + "\n"
	got = sabir(t, runStart+update+runEnd, "translate", "--from", "native", "--to", "native", "--stats")
	got.want(t, exitOK, anything, "  repaired  held             1\n")
}

func TestTranslateOptions(t *testing.T) {
	stream := runStart + text + textEnd + runEnd
	f := func(status int, stdout, stderr string, options ...string) {
		t.Helper()
		args := []string{"translate", "--from", "native", "--to", "agentevent"}
		for _, o := range options {
			args = append(args, "--option", o)
		}
		sabir(t, stream, args...).want(t, status, stdout, stderr)
	}
	f(exitOK, `data: {"type":"stream","content":"Hello"}`, "")
	f(exitOK, `"conversationId":"t1"`, "", "version=2")
	f(exitOK, `"conversationId":"t1"`, "", "to.version=2")
	f(exitUsage, "", `option version of agentevent: want one of 1, 2, not "3"`, "version=3")
	f(exitUsage, "", "--option version: want NAME=VALUE", "version")
	f(exitUsage, "", "--option no_such: reading native knows none; writing agentevent knows version, ", "no_such=1")
	f(exitUsage, "", `native has no option "version"`, "from.version=2")
	f(exitUsage, "", "option match of agentevent means nothing for the client", "to.match=lifo")
}

// An option that both sides know goes to both, unless a side is named.
func TestTranslateOptionSides(t *testing.T) {
	stream := `{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"t1","status":"pending","title":"Read a","kind":"read","locations":[{"path":"a","line":5}],"rawInput":{}}}` + "\n"
	f := func(line string, options ...string) {
		t.Helper()
		args := []string{"translate", "--from", "evolve", "--to", "evolve"}
		for _, o := range options {
			args = append(args, "-o", o)
		}
		sabir(t, stream, args...).want(t, exitOK, `"line":`+line, "")
	}
	f("5")
	f("5", "line_base=1")
	f("4", "from.line_base=1")
	f("6", "to.line_base=1")
}

// All problems of the command line come at once.
func TestTranslateUsage(t *testing.T) {
	got := sabir(t, "", "translate", "--from", "nativ", "--to", "agiu", "--framing", "sees", "--framing-in", "websocket")
	for _, want := range []string{
		`there is no dialect "nativ"; did you mean native?`, `there is no dialect "agiu"; did you mean agui?`, `--framing: unknown framing "sees"`,
		"--framing-in: files hold no WebSocket messages",
	} {
		got.want(t, exitUsage, "", want)
	}
}

// A stream of another dialect says what it looks like.
func TestTranslateWrongDialect(t *testing.T) {
	sabir(t, aguiText, "translate", "--from", "evolve", "--to", "aisdk").
		want(t, exitFailed, `{"type":"error","errorText":"The agent server sent something that could not be understood. No record of evolve; this looks like agui."}`,
			"sabir: no record of evolve; this looks like agui\n")
}
