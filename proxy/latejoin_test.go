package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/redistest"
)

// talkative is an agent that says many small pieces, with a call between them. It waits for the reader of its run behind each burst, and
// before the last one until it may go on.
type talkative struct {
	*agent
	read, goOn, over chan struct{}
	text             string // all of it
}

const (
	bursts   = 110
	perBurst = 100
)

func newTalkative(t *testing.T) *talkative {
	a := &talkative{read: make(chan struct{}), goOn: make(chan struct{}), over: make(chan struct{})}
	pieces := make([]string, bursts)
	for i := range pieces {
		part := "p1"
		if i >= bursts/2 {
			part = "p2"
		}
		for j := range perBurst {
			word := fmt.Sprintf("w%d.%d ", i, j)
			a.text += word
			pieces[i] += fmt.Sprintf(`{"kind":"text.delta","id":"%s","text":"%s"}`, part, word) + "\n"
		}
		if i == bursts/2 {
			pieces[i] = lines(`{"kind":"tool.start","id":"t1","name":"search"}`, `{"kind":"tool.ready","id":"t1","name":"search","value":{"q":1}}`,
				`{"kind":"tool.end","id":"t1","name":"search","status":"ok","text":"found"}`) + pieces[i]
		}
	}
	a.agent = newAgent(t, func(p *peer) {
		if p.request() == nil {
			return
		}
		p.ok("Content-Type: application/x-ndjson")
		p.chunk(lines(lineStart))
		for i, piece := range pieces {
			if i == bursts-1 && !a.await(a.goOn) {
				return
			}
			p.chunk(piece)
			if !a.await(a.read) {
				return
			}
		}
		p.finish(lines(lineEnd))
	})
	t.Cleanup(func() { close(a.over) }) // before the agent is closed
	return a
}

// await reports whether something comes before the test is over.
func (a *talkative) await(c chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-a.over:
		return false
	}
}

// follow reads the run for its first client, and lets the agent go on behind each burst. It says when all but the last one is read, and
// how many records there were in the end.
func (a *talkative) follow(t *testing.T, resp *http.Response) (waits chan struct{}, records chan int) {
	waits, records = make(chan struct{}), make(chan int, 1)
	go func() {
		n := 0
		in := bufio.NewScanner(resp.Body)
		in.Buffer(nil, 1<<20)
		for at := 0; in.Scan(); {
			if strings.HasPrefix(in.Text(), "data: ") {
				n++
			}
			if strings.Contains(in.Text(), fmt.Sprintf("w%d.%d ", at, perBurst-1)) {
				select {
				case a.read <- struct{}{}:
				case <-a.over:
				}
				if at++; at == bursts-1 {
					close(waits)
				}
			}
		}
		records <- n // fewer than there are where reading failed
	}()
	return waits, records
}

// resumingAny is a proxy for clients of any dialect, whose runs outlive them.
func resumingAny(t *testing.T, a *agent, resume string) *rig {
	t.Helper()
	return resuming(t, a, "auto\ndefault: agui", resume)
}

// comeAs asks for a run as a client of a dialect.
func (r *rig) comeAs(dialect, run string, header ...string) *http.Response {
	c := r.dial()
	c.ask("GET", "/run", "", append(header, alice, "X-Sabir-Run: "+run, "X-Sabir-Dialect: "+dialect)...)
	return c.response()
}

// answerIn is the text that a client of a dialect reads in a body, and how many records that has.
func answerIn(t *testing.T, dialect, body string) (text string, records int) {
	t.Helper()
	d, err := adapters.Lookup(dialect)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(normalizedLines(t, d, body)) {
		if strings.HasPrefix(line, `{"kind":"text.delta"`) && !strings.Contains(line, `"chan"`) {
			_, said, _ := strings.Cut(line, `"text":"`)
			said, _, _ = strings.Cut(said, `"`)
			text += said
		}
	}
	if n := strings.Count(body, "data: "); n > 0 {
		return text, n
	}
	return text, strings.Count(body, "\n")
}

// normalizedLines is what a body says, in native notation.
func normalizedLines(t *testing.T, d *hub.Dialect, body string) (lines string) {
	t.Helper()
	p := engine.NewPipeline(engine.Config{From: d, FromOptions: d.Defaults(), Framing: d.Framing, To: &native.Dialect, ToOptions: native.Dialect.Defaults()})
	p.Out.SetFraming(wire.NDJSON)
	take := func() { lines, p.Out.Buf = lines+string(p.Out.Buf), p.Out.Buf[:0] }
	for data := []byte(body); len(data) > 0; {
		n, err := p.Feed(data, true, 0)
		if err != nil || n == 0 {
			break
		}
		data = data[n:]
		take()
	}
	p.Finish(nil, 0, false)
	take()
	return lines
}

// agentWords are the words of the agent.
var agentWords = regexp.MustCompile(`w[0-9]+\.[0-9]+ `)

// lateDialects are those of clients that come late.
var lateDialects = []string{"agui", "aisdk", "openai-chat", "anthropic", "langgraph", "a2a", "gemini", "copilot"}

// TestLateViewers: clients of other dialects that come to a run when it has said some ten thousand pieces get all of it in few records, and what
// follows; and when it has ended, too. Who comes back to a snapshot gets what is behind the last record.
func TestLateViewers(t *testing.T) {
	t.Parallel()
	a := newTalkative(t)
	r := resumingAny(t, a.agent, "grace: 1m")
	_, resp := r.openRun()
	run := resp.Header.Get(runHeader)
	waits, records := a.follow(t, resp)
	<-waits
	late := map[string]chan string{}
	for _, d := range lateDialects { // all read at once: what is checked below takes longer than a client of a test waits
		resp, body := r.comeAs(d, run), make(chan string, 1)
		late[d] = body
		go func() { body <- rest(t, resp) }()
	}
	await(t, "all to come", func() bool { return r.metric("sabir_resume_joins_total", "how=snapshot") == float64(len(lateDialects)) })
	close(a.goOn)
	if n := <-records; n < bursts*perBurst {
		t.Errorf("the first client got %d records", n)
	}
	check := func(d, body, when string) {
		t.Helper()
		text, n := answerIn(t, d, body)
		if d == "openai-chat" || d == "gemini" { // which have no place for calls, but for text
			text = strings.Join(agentWords.FindAllString(text, -1), "")
		}
		if text != a.text || n > bursts*perBurst/20 {
			t.Errorf("%s, %s: %d records, %d bytes of text, not %d", d, when, n, len(text), len(a.text))
		}
	}
	for _, d := range lateDialects {
		body := <-late[d]
		check(d, body, "while it goes on")
		check(d, rest(t, r.comeAs(d, run)), "when it has ended")
		if d != "gemini" {
			r.checkSnapshotRests(t, d, run, body)
		}
	}
	whole := rest(t, r.comeAs("openai-responses", run)) // it counts records itself
	if text, n := answerIn(t, "openai-responses", whole); text != a.text || n < bursts*perBurst {
		t.Errorf("openai-responses: %d records, %d bytes of text", n, len(text))
	}
	if n := a.connections(); n != 1 {
		t.Errorf("the agent was asked %d times", n)
	}
}

// checkSnapshotRests comes back to a snapshot behind some of its records.
func (r *rig) checkSnapshotRests(t *testing.T, dialect, run, body string) {
	t.Helper()
	var had string
	n := 0
	for record := range strings.SplitAfterSeq(body, "\n\n") {
		had += record
		if n++; n%7 != 1 || had == body || record == "" {
			continue
		}
		id := lastID(had)
		if !strings.HasPrefix(id, run+formMark) || !strings.Contains(id, ".") {
			t.Fatalf("%s: the id %q is none of a snapshot", dialect, id)
		}
		c := r.dial()
		c.ask("GET", "/run", "", alice, "Last-Event-ID: "+id, "X-Sabir-Dialect: "+dialect)
		if _, got := c.whole(); had+got != body {
			t.Errorf("%s: behind %q comes\n%.300s\nand not\n%.300s", dialect, id, got, body[len(had):])
		}
	}
	r.call(t, 400, alice+"\r\nX-Sabir-Dialect: "+dialect+"\r\nLast-Event-ID: "+run+".3-1", "GET", "/run", "")
	r.call(t, 400, alice+"\r\nX-Sabir-Dialect: "+dialect+"\r\nLast-Event-ID: "+run+".99999999-1", "GET", "/run", "")
}

// TestShortenedRun: a run that says more than is kept of it is shortened, so that who comes late still gets all of it. Positions from before
// that are gone, and so is what clients get whose dialect counts records.
func TestShortenedRun(t *testing.T) {
	t.Parallel()
	a := newTalkative(t)
	r := resumingAny(t, a.agent, "grace: 1m, bytes: 192KiB")
	_, resp := r.openRun()
	run := resp.Header.Get(runHeader)
	waits, records := a.follow(t, resp)
	<-waits
	late := r.comeAs("aisdk", run)
	await(t, "it to come", func() bool { return r.metric("sabir_resume_joins_total", "how=snapshot") == 1 })
	close(a.goOn)
	if n := <-records; n < bursts*perBurst {
		t.Errorf("the first client got %d records", n)
	}
	for _, resp := range []*http.Response{late, r.comeAs("aisdk", run)} {
		body, err := io.ReadAll(resp.Body)
		if text, n := answerIn(t, "aisdk", string(body)); err != nil || text != a.text || n > bursts*perBurst/10 {
			t.Errorf("who comes late: status %d, %v, %d records, %d bytes of text, not %d", resp.StatusCode, err, n, len(text), len(a.text))
		}
	}
	r.call(t, 410, alice+"\r\nLast-Event-ID: "+run+"-5", "GET", "/run", "", `"code":"run_cut"`)
	r.call(t, 410, alice+"\r\nX-Sabir-Dialect: openai-responses\r\nX-Sabir-Run: "+run, "GET", "/run", "", "run_cut", "without stream")
	if n := r.metric("sabir_resume_full_total", "did=shortened"); n == 0 {
		t.Error("nothing was shortened")
	}
	if n := r.metric("sabir_resume_full_total", "did=cut"); n != 0 {
		t.Errorf("%v runs were cut", n)
	}
	if n := r.metric("sabir_resume_log_bytes"); n > 192<<10 {
		t.Errorf("%v bytes are held", n)
	}
}

// TestShortenedRunElsewhere: another replica, which begins to read a run when that was shortened, has all of it as well, and a client that was
// cut there comes back at any.
//
// It depends on when what is stored whether the other replica shortens the run: if it does not, another run is tried.
func TestShortenedRunElsewhere(t *testing.T) {
	t.Parallel()
	for n := 1; !comesElsewhere(t); n++ {
		if n == 5 {
			t.Fatal("no client begins with a snapshot")
		}
	}
}

// comesElsewhere has a client come to a run at another replica, and reports whether it began with a snapshot.
func comesElsewhere(t *testing.T) bool {
	t.Helper()
	a := newTalkative(t)
	const client, resume = "auto\ndefault: agui", "grace: 1m, bytes: 192KiB"
	address := redisAddress(t)
	one, two := replica(t, a.agent, client, resume, address), replica(t, a.agent, client, resume, address)
	_, resp := one.openRun()
	run := resp.Header.Get(runHeader)
	waits, records := a.follow(t, resp)
	<-waits
	awaitStored(t, address, run, fmt.Sprintf("w%d.%d ", bursts-2, perBurst-1))
	late := two.comeAs("aisdk", run)
	await(t, "it to come", func() bool { return two.metric("sabir_resume_joins_total") == 1 })
	if two.metric("sabir_resume_joins_total", "how=snapshot") == 0 {
		late.Body.Close()
		close(a.goOn)
		<-records
		return false
	}
	had := firstHalfOf(t, late)
	close(a.goOn)
	<-records
	body := had + rest(t, late)
	if text, n := answerIn(t, "aisdk", body); text != a.text || n > bursts*perBurst/10 {
		t.Errorf("who comes late: status %d, %d records, %d bytes of text, not %d", late.StatusCode, n, len(text), len(a.text))
	}
	for name, r := range map[string]*rig{"the same": two, "the owner": one} {
		c := r.dial()
		c.ask("GET", "/run", "", alice, "Last-Event-ID: "+lastID(had), "X-Sabir-Dialect: aisdk")
		if resp, got := c.whole(); resp.StatusCode != 200 || had+got != body {
			t.Errorf("at %s, behind %q: status %d\n%.300s\nand not\n%.300s", name, lastID(had), resp.StatusCode, got, body[len(had):])
		}
	}
	if n := one.metric("sabir_resume_full_total", "did=cut") + two.metric("sabir_resume_full_total", "did=cut"); n != 0 {
		t.Errorf("%v runs were cut", n)
	}
	return true
}

// awaitStored waits until the last that Redis has of a run has a word in it: much that comes at once cuts readers of a small log.
func awaitStored(t *testing.T, address, run, word string) {
	t.Helper()
	store := redistest.Client(address)
	defer func() { _ = store.Close() }()
	await(t, word+"to be stored", func() bool {
		return slices.ContainsFunc(redistest.Keys(t, store, keyPrefix(t)), func(key string) bool {
			last, err := store.XRevRangeN(t.Context(), key, "+", "-", 1).Result()
			return strings.Contains(key, run) && err == nil && len(last) == 1 && strings.Contains(fmt.Sprint(last[0].Values), word)
		})
	})
}

// firstHalfOf reads some records of a stream.
func firstHalfOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	in := bufio.NewReader(resp.Body)
	had := ""
	for strings.Count(had, "data: ") < 4 || !strings.HasSuffix(had, "\n\n") {
		line, err := in.ReadString('\n')
		if had += line; err != nil {
			t.Fatalf("%v behind %.300q", err, had)
		}
	}
	resp.Body = io.NopCloser(in)
	return had
}
