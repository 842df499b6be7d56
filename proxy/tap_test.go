package proxy

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/proxy/recording"
)

// recorded runs one request through a route that records, and returns its recording.
func recorded(t *testing.T, record, route string, pieces ...string) (*recording.Run, *rig) {
	t.Helper()
	return recordedFrom(t, newAgent(t, streaming(pieces...)).url(), record, route)
}

func recordedFrom(t *testing.T, url, record, route string) (*recording.Run, *rig) {
	t.Helper()
	dir := t.TempDir()
	r := start(t, simple(url, "", "", route+"record: {dir: "+dir+record+"}\n"))
	r.post("/run", `{"password":"pw-mark","question":"what"}`)
	return recordingIn(t, dir), r
}

// kinds are the types of lines, in short, with what they say.
func kinds(run *recording.Run) string {
	var all []string
	for _, l := range run.Lines {
		word := l.Type
		switch l.Type {
		case recording.TypeSent: // the machine was busy
			continue
		case recording.TypeRepair:
			word += ":" + l.Repair
		case recording.TypeEvent:
			_, kind, _ := strings.Cut(string(l.Event), `"kind":"`)
			kind, _, _ = strings.Cut(kind, `"`)
			word = kind + ":" + l.Disposition
		case recording.TypeEnd:
			word += ":" + l.Ending
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

// A recording has everything of a run, in order: the request on both sides, records, events, what was written, repairs and losses.
func TestRecord(t *testing.T) {
	t.Parallel()
	run, _ := recorded(t, "", "client: lossy\n", lines(lineStart), lines(lineHello, "{broken"), lines(`{"kind":"notice","level":"info","text":"x"}`, lineEnd))
	want := "request request in run.start:implied in text.start:native out text.delta:native out in fault in notice:dropped in " +
		"text.end:native out run.end:native out end:done"
	if got := kinds(run); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	update, call := `{"kind":"tool.update","id":"t1","status":"running"}`, `{"kind":"tool.start","id":"t1","name":"bash"}`
	if held, _ := recorded(t, "", "client: twin\n", lines(lineStart, update, call, lineEnd)); !strings.Contains(kinds(held), "in repair:held in tool.start:native out tool.update:native") {
		t.Errorf("a repair: got %s", kinds(held))
	}
	if end := run.Lines[len(run.Lines)-1]; end.N != 0 {
		t.Errorf("the end belongs to record %d", end.N)
	}
	if run.From != "native" || run.To != "lossy" || run.Route != "/run" || run.Form != recording.Content {
		t.Errorf("header %+v", run.Header)
	}
	client, agent := run.Lines[0], run.Lines[1]
	if client.Side != recording.Client || client.Path != "/run" || !strings.Contains(client.Data, "pw-mark") || agent.Side != recording.Agent || agent.Path != "/stream" {
		t.Errorf("requests %+v, %+v", client, agent)
	}
	var n int64
	for _, l := range run.Lines {
		if l.Type == recording.TypeIn {
			if n++; l.N != n {
				t.Errorf("record %d has the number %d", n, l.N)
			}
		}
	}
}

// A stream that is copied is recorded with the events that are in it, and its client gets the same bytes.
func TestRecordCopied(t *testing.T) {
	t.Parallel()
	run, r := recorded(t, "", "client: native\n", lines(lineStart), lines(lineHello, lineWorld), lines(lineEnd))
	if got := kinds(run); !strings.Contains(got, "in text.delta:copied out") || !run.Copied {
		t.Errorf("got %s", got)
	}
	if _, body := r.post("/run", "{}"); body != smallRun {
		t.Errorf("the client got %q", body)
	}
}

// Members that are redacted, and content where only shapes are wanted, are nowhere in a recording.
func TestRecordWithoutContent(t *testing.T) {
	t.Parallel()
	f := func(record, secret string) {
		t.Helper()
		run, _ := recorded(t, record, "client: twin\n", lines(lineStart, lineHello, lineEnd))
		text, err := os.ReadFile(run.File)
		if err != nil {
			t.Fatal(err)
		}
		for _, mark := range strings.Split(secret, "|") {
			if strings.Contains(string(text), mark) {
				t.Errorf("%s: %q is in the recording:\n%s", record, mark, text)
			}
		}
		if run.Replayable() == nil {
			t.Errorf("%s: can be replayed", record)
		}
	}
	f(", form: shapes", "Hello|pw-mark|what|p1")
	run, _ := recorded(t, ", redact: [text, password]", "client: twin\n", lines(lineStart, lineHello, lineEnd))
	text, _ := os.ReadFile(run.File)
	if s := string(text); strings.Contains(s, "Hello") || strings.Contains(s, "pw-mark") || !strings.Contains(s, "what") || !strings.Contains(s, "[redacted]") {
		t.Errorf("redacted:\n%s", s)
	}
}

// What a route keeps from leaving is not in its recordings either: the records of the agent are there by their shapes.
func TestRecordRedacted(t *testing.T) {
	t.Parallel()
	run, _ := recorded(t, "", "client: twin\n"+redactAll, lines(lineStart, lineMail, lineDomain, `{"kind":"unknown","mail":"joe@example.com"}`, "no JSON of sue@example.com", lineEnd))
	text, err := os.ReadFile(run.File)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"jane@exa", "mple.com", "joe@", "sue@"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("%s is in the recording:\n%s", secret, text)
		}
	}
	if !strings.Contains(string(text), "[redacted:emails]!") || !strings.Contains(string(text), "pw-mark") {
		t.Errorf("events and requests have no content:\n%s", text)
	}
	if err := run.Replayable(); err == nil || !strings.Contains(err.Error(), "has no content") {
		t.Errorf("it can be replayed: %v", err)
	}
}

// What has no room is counted, and the end is there all the same.
func TestRecordBounded(t *testing.T) {
	t.Parallel()
	long := `{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 50_000) + `"}`
	run, r := recorded(t, ", max_bytes: 65536", "client: twin\n", lines(lineStart, long, long, lineEnd))
	if end := run.Lines[len(run.Lines)-1]; end.Dropped == 0 || end.Ending != "done" || run.Replayable() == nil {
		t.Errorf("end %+v, replayable: %v", end, run.Replayable())
	}
	if n := r.metric("sabir_tap_lines_dropped_total", "sink=files"); n == 0 {
		t.Error("no dropped line is counted")
	}
	if used := r.kept.files.memory.used.Load(); used != 0 {
		t.Errorf("%d bytes are taken at the end", used)
	}
}

// Only so many files stay, and only one run in so many is recorded.
func TestRecordFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\nrecord: {dir: "+dir+", every: 2, max_files: 2}\n"))
	for range 8 {
		r.post("/run", "{}", "X-Request-Id: ../../x")
	}
	await(t, "four recordings", func() bool { return r.metric("sabir_recordings_total", "result=written") == 4 })
	names, _ := os.ReadDir(dir)
	if len(names) != 2 || !strings.HasSuffix(names[0].Name(), "-______x"+recordingSuffix) {
		t.Errorf("files %v", names)
	}
}

// A stream has no tap while no page is open and its route records nothing.
func TestTapOff(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	r.post("/run", "{}")
	r.awaitEnds(1)
	if runs := r.kept.inspect.list(); len(runs) != 0 || r.kept.inspect.wanted() {
		t.Errorf("%d runs are kept while no page is open", len(runs))
	}
}

// events reads server-sent events from the page's server.
func openEvents(t *testing.T, url string) (next func() string, end func()) {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Get(url)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", resp, err)
	}
	br := bufio.NewReader(resp.Body)
	return func() string {
		t.Helper()
		for {
			s, err := br.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %q", err, s)
			}
			if data, ok := strings.CutPrefix(s, "data: "); ok {
				return data
			}
		}
	}, func() { resp.Body.Close() }
}

// The page sees runs while they go on, and what it reads is a recording.
func TestInspect(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			<-hold
			p.finish(lines(lineWorld, lineEnd))
		}
	})
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	list, leave := openEvents(t, admin+"/inspect/runs")
	defer leave()
	if first := list(); !strings.Contains(first, `"changed":[]`) {
		t.Errorf("at first %s", first)
	}
	c := r.dial()
	c.ask("POST", "/run", "{}")
	for s := list(); !strings.Contains(s, `"live":true`) || !strings.Contains(s, `"records":2`); s = list() {
	}
	live, quit := openEvents(t, admin+"/inspect/runs/1/live")
	defer quit()
	text := ""
	for !strings.Contains(text, "Hello") {
		text += live()
	}
	close(hold)
	c.whole()
	for s := ""; !strings.Contains(s, `"type":"end"`); {
		s = live()
		text += s
	}
	if whole := get(t, admin+"/inspect/runs/1"); whole != "200 "+text {
		t.Errorf("as a file %s\nlive %s", whole, text)
	}
	if run, err := recording.Read("run", strings.NewReader(text)); err != nil || run.Lines[len(run.Lines)-1].Ending != "done" {
		t.Errorf("%v", err)
	}
	if resp, err := http.Head(admin + "/inspect/runs"); err != nil || resp.StatusCode != 200 {
		t.Errorf("HEAD: %v %v", resp, err)
	}
	if got := get(t, admin+"/inspect/runs/7"); !strings.HasPrefix(got, "404") {
		t.Errorf("an unknown run: %s", got)
	}
}

// The files of the page come with headers that keep other pages out, and the data only with the key.
func TestInspectGuard(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "inspect: shapes\nauth: {admin_sha256: \""+strings.Repeat("ab", 32)+"\"}", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	for _, name := range []string{"", "app.js", "style.css", "icon.svg"} {
		resp, err := http.Get(admin + "/inspect/" + name)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		policy := resp.Header.Get("Content-Security-Policy")
		if resp.StatusCode != 200 || len(body) == 0 || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: status %d, %d bytes, %v", name, resp.StatusCode, len(body), resp.Header)
		}
	}
	for _, path := range []string{"/inspect/runs", "/inspect/runs/1", "/inspect/runs/1/live"} {
		if got := get(t, admin+path); !strings.HasPrefix(got, "401") {
			t.Errorf("%s without the key: %s", path, got)
		}
	}
	if got := get(t, admin+"/inspect/nothing.js"); !strings.HasPrefix(got, "404") {
		t.Errorf("a file that is not there: %s", got)
	}
}

// Without the key in the configuration there is no page.
func TestInspectOff(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	for _, path := range []string{"/inspect/", "/inspect/runs", "/inspect/app.js"} {
		if got := get(t, admin+path); !strings.HasPrefix(got, "404") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// The page forgets the oldest runs, not those that go on.
func TestInspectRing(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	r.InspectAlways()
	for range maxInspected + 5 {
		r.post("/run", "{}")
	}
	r.awaitEnds(maxInspected + 5)
	runs := r.kept.inspect.list()
	if len(runs) != maxInspected || runs[0].now().Key != 6 {
		t.Errorf("%d runs, the first %d", len(runs), runs[0].now().Key)
	}
	var sum int64
	for _, run := range runs {
		header, end := run.lines[0], run.lines[len(run.lines)-1]
		sum += run.size - int64(len(header)) - int64(len(end))
	}
	if used := r.kept.inspect.memory.used.Load(); used != sum {
		t.Errorf("%d bytes are counted, want %d", used, sum)
	}
}

// A page that does not read holds up no stream, and a run that says more than is kept reaches its client whole.
func TestInspectStalled(t *testing.T) {
	t.Parallel()
	long := `{"kind":"text.delta","id":"p1","text":"` + strings.Repeat("x", 100_000) + `"}`
	pieces := []string{lines(lineStart)}
	for range 60 {
		pieces = append(pieces, lines(long))
	}
	a := newAgent(t, streaming(append(pieces, lines(lineEnd))...))
	r := start(t, simple(a.url(), "inspect: content", "", "client: twin\n"))
	admin, end := r.serveAdmin()
	defer end()
	list, leave := openEvents(t, admin+"/inspect/runs")
	defer leave()
	list()
	if _, body := r.post("/run", "{}"); strings.Count(body, `"text":"xxxx`) != 60 {
		t.Errorf("%d bytes reached the client", len(body))
	}
	_, quit := openEvents(t, admin+"/inspect/runs/1/live") // more than sockets hold, and never read
	defer quit()
	r.post("/run", "{}")
	r.awaitEnds(2)
	run := r.kept.inspect.find(1).now()
	if run.Dropped == 0 || r.metric("sabir_tap_lines_dropped_total", "sink=page") == 0 || run.Ending != "done" {
		t.Errorf("the run is shown as %+v", run)
	}
}

// A run that outlives its client is recorded up to the log that clients read.
func TestRecordShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := newAgent(t, streaming(lines(`{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`)))
	yaml := strings.Replace(simple(a.url(), "", "", "client: openai-chat\nresume: {grace: 1s}\nrecord: {dir: "+dir+"}\nrequests: {mode: translate}\n"), "dialect: native", "dialect: agui", 1)
	r := start(t, yaml)
	r.post("/run", `{"model":"m","stream":true,"messages":[{"role":"user","content":"Hello"}]}`)
	var names []string
	await(t, "the recording", func() bool {
		names, _ = filepath.Glob(filepath.Join(dir, "*"+recordingSuffix))
		return len(names) == 1
	})
	run, err := recording.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(run); !run.Shared || strings.Contains(got, " out ") || !strings.Contains(got, "run.end") || run.To != "openai-chat" {
		t.Errorf("%+v: %s", run.Header, got)
	}
	if agent := run.Request(recording.Agent); agent == nil || !strings.Contains(agent.Data, `"threadId"`) {
		t.Errorf("the agent got %+v", agent)
	}
}

// TestRecordedFailure: a recording says why the run ended as it did.
func TestRecordedFailure(t *testing.T) {
	t.Parallel()
	run, _ := recordedFrom(t, "http://"+closedPort(t)+"/", "", "client: twin\n")
	last := run.Lines[len(run.Lines)-1]
	if last.Type != recording.TypeEnd || last.Ending != "upstream_refused" || !strings.Contains(last.Error, "refused") {
		t.Errorf("the last line is %+v", last)
	}
}
