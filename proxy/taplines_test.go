package proxy

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/recording"
)

// recordingIn reads the only recording in a directory, when it is there.
func recordingIn(t *testing.T, dir string) *recording.Run {
	t.Helper()
	var names []string
	await(t, "the recording", func() bool {
		names, _ = filepath.Glob(filepath.Join(dir, "*"+recordingSuffix))
		return len(names) == 1
	})
	run, err := recording.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// A sign of life is in the recording, where it was sent.
func TestRecordKeepAlive(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	dir := t.TempDir()
	r := start(t, simple(a.url(), "", "", "client: agui\ntimeouts: {keepalive: 20ms}\nkeepalive_padding: 1\nrecord: {dir: "+dir+"}\n"))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	untilLine(t, c.response(), ":")
	close(goOn)
	if got := kinds(recordingIn(t, dir)); !strings.Contains(got, "text.delta:native out keepalive ") {
		t.Errorf("got %s", got)
	}
}

// What breaks rules is in the recording, with the rule, the side and the place, as often as it is counted.
func TestRecordViolations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, conformant(newAgent(t, streaming(faulty)).url(), "observe\nrecord: {dir: "+dir+"}", "aisdk"))
	r.post("/run", "{}")
	n := 0
	for _, l := range recordingIn(t, dir).Lines {
		if l.Type != recording.TypeViolation {
			continue
		}
		n++
		if l.Side != "agent" || l.Name == "" || l.Error == "" {
			t.Errorf("%+v", l)
		}
	}
	if n != 3 || r.metric("sabir_violations_total") != 3 {
		t.Errorf("%d of %v violations are in the recording", n, r.metric("sabir_violations_total"))
	}
}

// A run that is recorded is remembered as others are.
func TestRecordOfKeptAnswers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := start(t, strings.Replace(simple(newAgent(t, streaming(smallRun)).url(), "", "", "client: openai-responses\nmethods: [GET, POST]\nrequests: {mode: translate}\nrecord: {dir: "+
		dir+"}\n"), "path: /run", "path: /run/*", 1))
	given := r.call(t, 200, alice, "POST", "/run/responses", `{"model":"m","input":"one"}`, "Hello, world")
	r.call(t, 200, alice, "GET", "/run/responses/"+idIn(t, given), "", "Hello, world")
	if got := kinds(recordingIn(t, dir)); !strings.Contains(got, "text.delta:") {
		t.Errorf("got %s", got)
	}
}

// What no record says belongs to none: the end of a stream that was cut is Sabir's own.
func TestRecordOfAMadeUpEnd(t *testing.T) {
	t.Parallel()
	run, _ := recorded(t, "", "client: twin\n", lines(lineStart, lineHello))
	if got := kinds(run); !strings.Contains(got, "text.delta:native out text.end:native out run.end:native out") {
		t.Errorf("got %s", got)
	}
	for _, l := range run.Lines {
		made := strings.Contains(string(l.Event), `"text.end"`) || strings.Contains(string(l.Event), `"run.end"`)
		if l.Type == recording.TypeEvent && (l.N == 0) != made {
			t.Errorf("%s belongs to record %d", l.Event, l.N)
		}
	}
}
