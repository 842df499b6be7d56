package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http/httputil"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// The tests of this file show those of the founding statements (docs/requirements.md) that concern the network.

// founders are the dialects of the five founding documents.
var founders = []string{"simplified", "pydantic", "copilot", "evolve", "agentevent"}

// between is a configuration with one route between two dialects; more is what follows in each of its parts.
func between(url, from, to, top, up, route string) string {
	return strings.Replace(simple(url, top, up, "client: "+to+"\n"+route), "dialect: native", "dialect: "+from, 1)
}

// foundingWire is a recorded stream of a founding dialect with much in it.
func foundingWire(t *testing.T, name string) string {
	t.Helper()
	d, err := adapters.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	fixture := map[string]string{
		"simplified": "sub_agent", "pydantic": "delegation_parts", "copilot": "subagents", "evolve": "worked-example", "agentevent": "v1_worked_example",
	}[name]
	body := wires(t, d)[fixture+".txtar"]
	if body == "" {
		t.Fatalf("%s has no fixture %s", name, fixture)
	}
	return body
}

// TestLossesAreCounted is SX-1: on each of the 25 routes, what the client's dialect could not carry is counted by kind and
// disposition, neither more nor less; a copied stream loses nothing.
func TestLossesAreCounted(t *testing.T) {
	t.Parallel()
	lost := 0
	for _, from := range founders {
		body := foundingWire(t, from)
		a := newAgent(t, streaming(body))
		for _, to := range founders {
			r := start(t, between(a.url(), from, to, "", "", ""))
			if resp, got := r.post("/run", "{}"); resp.StatusCode != 200 {
				t.Errorf("%s to %s: %d %s", from, to, resp.StatusCode, got)
			}
			r.awaitEnds(1)
			got := r.counts()
			maps.DeleteFunc(got, func(name string, _ float64) bool { return !strings.HasPrefix(name, "event_losses_total") })
			if want := lossesInMemory(t, from, to, body); !maps.Equal(got, want) {
				t.Errorf("%s to %s:\n got %v\nwant %v", from, to, got, want)
			}
			lost += len(got)
		}
	}
	if lost < 50 {
		t.Errorf("only %d kinds of losses on all routes", lost)
	}
}

// lossesInMemory is what becomes of the events of a body, as the metric has it.
func lossesInMemory(t *testing.T, from, to, body string) map[string]float64 {
	t.Helper()
	source, _ := adapters.Lookup(from)
	target, _ := adapters.Lookup(to)
	all := map[string]float64{}
	if source == target {
		return all
	}
	p := engine.NewPipeline(engine.Config{From: source, FromOptions: source.Defaults(), To: target, ToOptions: target.Defaults(), EndGrace: source.EndGrace})
	p.Observe.Normalized = func(ev *hub.Event, disposition hub.Disposition) {
		if disposition == hub.Dropped || disposition == hub.Folded || disposition == hub.Extension {
			all["event_losses_total{fate="+disposition.String()+",kind="+ev.Kind.String()+",route=/run}"]++
		}
	}
	if _, err := p.Feed([]byte(body), true, 0); err != nil {
		t.Fatal(err)
	}
	_ = p.Finish(nil, 0, false)
	return all
}

// TestContentTypesLie is SX-10, S0-41 and S1-43: how records follow each other is known from the bytes of the answer, whatever
// its header says, and in whatever pieces it comes.
// Row F13.
func TestContentTypesLie(t *testing.T) {
	t.Parallel()
	record := map[string][2]string{
		"simplified": {`{"type":"response","data":"Hi","messageId":"m"}`, `{"type":"messageEnd","messageId":"m"}`},
		"pydantic":   {`{"message": "", "citations": [], "tool_calls": []}`, `{"message": "Hi", "citations": [], "tool_calls": []}`},
		"copilot":    {`{"type":"assistant.message","data":{"messageId":"m","content":"Hi"}}`, `{"type":"session.idle","data":{}}`},
		"evolve":     {`{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}`, `{"sandboxId":"s","sandbox":"ready","agent":"idle","timestamp":null,"reason":"run_complete"}`},
		"agentevent": {`{"type":"stream","content":"Hi"}`, `{"type":"final"}`},
	}
	for _, from := range founders {
		a := newAgent(t, func(p *peer) {
			for p.request() != nil {
				framing, label, _ := strings.Cut(string(p.body), " ")
				body := framed(framing, record[from][0], record[from][1])
				p.ok("Content-Type: " + label)
				p.chunk(body[:7])
				p.finish(body[7:])
			}
		})
		r := start(t, between(a.url(), from, "native", "", "settle: 0s\n", ""))
		for _, framing := range []string{"sse", "ndjson", "concat", "content-length"} {
			for _, label := range []string{"text/event-stream", "application/x-ndjson", "application/json", "text/html"} {
				_, got := r.post("/run", framing+" "+label)
				if strings.Count(got, `"text":"Hi"`) != 1 || !strings.Contains(got, `"kind":"run.end","status":"done"`) {
					t.Errorf("%s as %s labelled %s: %s", from, framing, label, got)
				}
			}
		}
	}
}

// TestChunksAreWhole is SX-11: whatever the upstream's pieces are, each piece that leaves is one or more whole records.
func TestChunksAreWhole(t *testing.T) {
	t.Parallel()
	total := 0
	for _, to := range founders {
		d, _ := adapters.Lookup(to)
		body := foundingWire(t, "evolve")
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok()
			for i := 0; i < len(body); i += 150 {
				p.chunk(body[i:min(i+150, len(body))])
				time.Sleep(time.Millisecond) // else the proxy takes them together
			}
			p.last()
		})
		r := start(t, between(a.url(), "evolve", to, "", "", "framing: "+d.Framing.String()+"\n"))
		c := r.dial()
		rec := &recorder{Conn: c.Conn}
		c.br = bufio.NewReader(rec)
		c.ask("POST", "/run", "{}")
		_, all := c.whole()
		pieces := chunksOf(t, rec.String())
		for _, piece := range pieces {
			records(t, d.Framing.String(), piece)
		}
		if total += len(pieces); strings.Contains(all, `\u003c`) || strings.Contains(all, `\u0026`) {
			t.Errorf("to %s: escaped for HTML: %s", to, all)
		}
	}
	if total < 3*len(founders) {
		t.Errorf("only %d pieces for %d clients", total, len(founders))
	}
}

// chunksOf cuts the body of a raw answer into its chunks.
func chunksOf(t *testing.T, raw string) (all []string) {
	t.Helper()
	_, body, _ := strings.Cut(raw, "\r\n\r\n")
	for body != "" {
		var n int
		if _, err := fmt.Sscanf(body, "%x\r\n", &n); err != nil || n == 0 {
			break
		}
		_, body, _ = strings.Cut(body, "\r\n")
		all = append(all, body[:n])
		body = body[n+2:]
	}
	if whole, err := io.ReadAll(httputil.NewChunkedReader(strings.NewReader(strings.SplitN(raw, "\r\n\r\n", 2)[1]))); err != nil || string(whole) != strings.Join(all, "") {
		t.Errorf("%d chunks, %v", len(all), err)
	}
	return all
}

// TestChunksAreLive is S1-49: a chunk, with nothing between it and the next, reaches every client before that exists.
func TestChunksAreLive(t *testing.T) {
	t.Parallel()
	const n = 10
	for _, to := range append([]string{"agui", "native"}, founders...) {
		seen := make(chan struct{})
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: text/event-stream")
			for i := range n {
				p.chunk(fmt.Sprintf(`{"message": "word%d", "citations": [], "tool_calls": []}`, i))
				<-seen
			}
			p.last()
		})
		r := start(t, between(a.url(), "pydantic", to, "", "", ""))
		c := r.dial()
		c.ask("POST", "/run", `{"threadId":"t","runId":"r"}`)
		body := c.response().Body
		var got bytes.Buffer
		for i := range n {
			for !bytes.Contains(got.Bytes(), fmt.Appendf(nil, "word%d", i)) {
				if _, err := io.CopyN(&got, body, 1); err != nil {
					t.Fatalf("to %s: %v after %s", to, err, got.String())
				}
			}
			seen <- struct{}{}
		}
		if _, err := io.Copy(&got, body); err != nil {
			t.Errorf("to %s: %v", to, err)
		}
	}
}

// TestCancelOfSimplified is S0-44: when the client leaves, its upstream ends too; when the agent was cancelled, every client
// gets the end as its dialect says it, a client of this dialect the error frame itself.
func TestCancelOfSimplified(t *testing.T) {
	t.Parallel()
	const said, stopped = `{"type":"response","data":"Par","messageId":"m"}` + "\n", `{"type":"error","data":"Request cancelled by user"}`
	for to, want := range map[string]string{"simplified": stopped, "agui": `"type":"RUN_ERROR"`, "evolve": `"reason":"run_interrupted"`} {
		stop, gone := make(chan struct{}), make(chan struct{})
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok("Content-Type: text/event-stream", "Connection: close")
			p.chunk(said)
			if p.nth == 1 {
				<-stop
				p.finish(stopped) // without a line end, as the server does
				return
			}
			p.awaitGone()
			close(gone)
		})
		r := start(t, between(a.url(), "simplified", to, "", "", ""))
		c := r.dial()
		c.ask("POST", "/run", `{"threadId":"t","runId":"r"}`)
		body := c.response().Body
		if _, err := io.ReadFull(body, make([]byte, 20)); err != nil {
			t.Fatal(err)
		}
		close(stop)
		if rest, err := io.ReadAll(body); err != nil || !strings.Contains(string(rest), want) {
			t.Errorf("cancelled, to %s: %v %s", to, err, rest)
		}
		c.Close()
		r.awaitEnds(1)

		c = r.dial()
		c.ask("POST", "/run", `{"threadId":"t","runId":"r"}`)
		if _, err := io.ReadFull(c.response().Body, make([]byte, 20)); err != nil {
			t.Fatal(err)
		}
		c.Close()
		<-gone
		if end := r.awaitEnds(2); end["ending"] != "client_gone" {
			t.Errorf("left, to %s: %v", to, end)
		}
	}
}

// TestHeldUpdates is S3-13 and S3-14: an update that comes before its call waits for it, no longer and in no greater number
// than is allowed; then a call is made up for it. The order is kept, and all of it is counted.
func TestHeldUpdates(t *testing.T) {
	t.Parallel()
	update := func(status string) string {
		return `{"update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress","title":"` + status + `"}}` + "\n"
	}
	f := func(hold string, first, second string, repairs map[string]float64, want ...string) {
		t.Helper()
		seen := make(chan struct{})
		a := newAgent(t, func(p *peer) {
			p.request()
			p.ok()
			p.chunk(first)
			<-seen
			p.finish(second + `{"sandboxId":"s","sandbox":"ready","agent":"idle","timestamp":null,"reason":"run_complete"}` + "\n")
		})
		r := start(t, between(a.url(), "evolve", "twin", "hold: "+hold, "", ""))
		c := r.dial()
		c.ask("POST", "/run", "{}")
		body := bufio.NewReader(c.response().Body)
		for i, w := range want {
			if w == "" {
				close(seen)
				continue
			}
			if got := line(t, body); !strings.Contains(got, w) {
				t.Errorf("hold %s: line %d is %s, want %s", hold, i+1, got, w)
			}
		}
		if _, err := io.ReadAll(body); err != nil {
			t.Error(err)
		}
		r.awaitEnds(1)
		for repair, n := range repairs {
			if got := r.metric("sabir_repairs_total", "repair="+repair); got != n {
				t.Errorf("hold %s: %v %s are counted, want %v", hold, got, repair, n)
			}
		}
	}
	word := `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}` + "\n"
	call := `{"update":{"sessionUpdate":"tool_call","toolCallId":"c1","status":"pending","title":"T","kind":"read"}}` + "\n"
	start, begin := `"kind":"tool.start"`, `"kind":"run.start"`
	f("{age: 1h}", update("one")+update("two")+word, call, map[string]float64{"held": 2, "hold_expired": 0, "start_made": 0},
		begin, `"text.start"`, `"text":"Hi"`, "", `"kind":"text.end"`, start, `"title":"one"`, `"title":"two"`)
	f("{age: 30ms}", update("one")+update("two"), call, map[string]float64{"held": 2, "hold_expired": 2, "start_made": 1},
		begin, start, `"title":"one"`, `"title":"two"`, "")
	f("{age: 1h, events: 2}", update("one")+update("two")+update("three"), call, map[string]float64{"hold_expired": 3, "start_made": 1},
		begin, start, `"title":"one"`, `"title":"two"`, `"title":"three"`, "")
}

// TestUnknownUpdates is S3-5: an update of an unknown type passes to clients of its dialect, is counted as raw where it is
// translated, and as lost where the client's dialect has no place for it.
func TestUnknownUpdates(t *testing.T) {
	t.Parallel()
	const odd = `{"update":{"sessionUpdate":"mood_update","mood":"fine"}}`
	const word = `{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}`
	a := newAgent(t, streaming(odd+"\n"+word+"\n"))
	f := func(to string, raw, lost float64, want string) {
		t.Helper()
		r := start(t, between(a.url(), "evolve", to, "", "", ""))
		if _, got := r.post("/run", `{"threadId":"t","runId":"r"}`); !strings.Contains(got, want) {
			t.Errorf("to %s: %s", to, got)
		}
		r.awaitEnds(1)
		if n := r.metric("sabir_events_total", "direction=in", "kind=raw"); n != raw {
			t.Errorf("to %s: %v unknown events are counted", to, n)
		}
		if n := r.metric("sabir_event_losses_total", "kind=raw", "fate=dropped"); n != lost {
			t.Errorf("to %s: %v unknown events are counted as lost", to, n)
		}
	}
	f("evolve", 0, 0, odd)
	f("native", 1, 0, odd)
	f("simplified", 1, 1, `"Hi"`)
}

// TestLiveView is S3-35: the addresses of a browser's live view and screenshot are in the frames, and with the option as an
// annotation of their own, also for clients of another dialect.
func TestLiveView(t *testing.T) {
	t.Parallel()
	body := `{"update":{"sessionUpdate":"tool_call","toolCallId":"b1","status":"pending","title":"browser-use: browser_task","kind":"other"}}
{"update":{"sessionUpdate":"tool_call_update","toolCallId":"b1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"{\"live_url\":\"https://live.example/1\",\"screenshot_url\":\"https://shot.example/1.png\"}"}}]}}
{"sandboxId":"s","sandbox":"ready","agent":"idle","timestamp":null,"reason":"run_complete"}
`
	a := newAgent(t, streaming(body))
	for _, to := range []string{"evolve", "agui", "copilot"} {
		for _, option := range []string{"false", "true"} {
			r := start(t, between(a.url(), "evolve", to, "", "options: {browser: "+option+"}\n", ""))
			_, got := r.post("/run", `{"threadId":"t","runId":"r"}`)
			if n := strings.Count(got, "https://live.example/1"); n == 0 || !strings.Contains(got, "https://shot.example/1.png") {
				t.Errorf("browser=%s to %s: the addresses are not in\n%s", option, to, got)
			}
			annotated := strings.Contains(got, `"liveUrl":"https://live.example/1","screenshotUrl":"https://shot.example/1.png"`)
			if annotated != (option == "true" && to != "evolve") { // copies are left as they are
				t.Errorf("browser=%s to %s: annotated is %v\n%s", option, to, annotated, got)
			}
		}
	}
}
