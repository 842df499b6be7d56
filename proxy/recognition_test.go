package proxy

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/recognize"
	"github.com/sabir-proxy/sabir/adapters/wire"
	"github.com/sabir-proxy/sabir/proxy/engine"
	"github.com/sabir-proxy/sabir/proxy/internal/urls"
)

// aguiRun is a whole run of AG-UI, with one text.
const aguiRun = `data: {"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n\n" +
	`data: {"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}` + "\n\n" +
	`data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"private words"}` + "\n\n" +
	`data: {"type":"TEXT_MESSAGE_END","messageId":"m"}` + "\n\n" +
	`data: {"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n\n"

// TestWrongDialect: an upstream that does not speak the dialect of the configuration is an error, and the client, the log and
// the metrics say so.
func TestWrongDialect(t *testing.T) {
	t.Parallel()
	f := func(dialect, client, want string) {
		t.Helper()
		a := newAgent(t, streaming(aguiRun))
		yaml := simple(a.url(), "", "", "client: "+client+"\n")
		r := start(t, strings.Replace(yaml, "dialect: native", "dialect: "+dialect, 1))
		got := r.demand("/run")
		if got.status != 502 || got.header.Get("X-Sabir-Error") != "upstream_malformed" || !strings.Contains(got.body, want) {
			t.Errorf("%s to %s: %d %s", dialect, client, got.status, got.body)
		}
		if strings.Contains(got.body, "private") {
			t.Errorf("%s to %s: the client reads what the upstream has sent: %s", dialect, client, got.body)
		}
		end := r.awaitEnds(1)
		cause, _ := end["cause"].(string)
		if end["ending"] != "upstream_malformed" || !strings.Contains(cause, strings.ToLower(want[:2])+want[2:]) || end["unrecognised"] != int64(5) {
			t.Errorf("%s to %s: the log says %v", dialect, client, end)
		}
		if n := r.metric("sabir_records_unrecognised_total", "from="+dialect); n != 5 {
			t.Errorf("%s to %s: %v records are counted as unrecognised", dialect, client, n)
		}
	}
	f("evolve", "aisdk", "No record of evolve; this looks like agui")
	f("openai-chat", "anthropic", "No record of openai-chat; this looks like agui")
	f("gemini", "agui", "No record of gemini; this looks like agui")
	f("evolve", "evolve", "No record of evolve; this looks like agui") // copied
	f("pydantic", "pydantic", "No record of pydantic; this looks like agui")
	f("openai-chat", "openai-chat", "No record of openai-chat; this looks like agui")
}

// TestWrongDialectLate: after the first byte, here a sign of life, the error stands in the stream.
func TestWrongDialectLate(t *testing.T) {
	t.Parallel()
	half := strings.Index(aguiRun, `data: {"type":"TEXT_MESSAGE_END"`)
	alive := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(aguiRun[:half])
		<-alive
		p.finish(aguiRun[half:])
	})
	yaml := simple(a.url(), "", "", "client: twin\nframing: sse\ntimeouts: {keepalive: 30ms}\n")
	r := start(t, strings.Replace(yaml, "dialect: native", "dialect: evolve", 1))
	c := r.dial()
	c.ask("POST", "/run", "{}")
	resp := c.response()
	close(alive)
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(body), `"err_code":"upstream_malformed"`) || strings.Contains(string(body), `"status":"done"`) {
		t.Errorf("%d %s (%v)", resp.StatusCode, body, err)
	}
}

// TestWrongDialectPairs reads the recorded streams of every dialect as each of the others. None of them is a good run, but
// for ACP, which evolve reads as it is, and for those that have a record which means the same elsewhere: a message of Claude
// Code or Cursor is one of A2A, a record of type message of Gemini CLI one of Anthropic, an exception of Bedrock's a piece of what Potpie says.
func TestWrongDialectPairs(t *testing.T) {
	if raceEnabled {
		t.Skip("it is one goroutine, and takes minutes with the detector")
	}
	t.Parallel()
	alike := map[string][]string{
		"agentevent as gemini-cli": {"aliases.txtar"}, "evolve as acp": {"acp-to-output.txtar"},
		"agentevent as langgraph": {"v3_snapshots_pass.txtar"},
		"gemini as anthropic":     {"event-named.txtar"}, "openai-responses as pydantic": {"types-missing.txtar"},
		"gemini-cli as anthropic": {"noise.txtar", "recorded.txtar", "whole-messages.txtar"},
		"bedrock as pydantic": {
			"error-body.txtar", "events-after-end.txtar", "exception-first.txtar", "exception-midway.txtar", "exception-new.txtar",
		},
		"openai-chat as aisdk": {"only-done.txtar"},                // it is [DONE] and nothing else
		"mastra as aisdk":      {"odd.txtar", "tool-writes.txtar"}, // data of the application are the same
		"claude-cli as a2a": {
			"background-agent.txtar", "background-left.txtar", "end-api-error.txtar", "end-budget.txtar", "end-cancelled.txtar",
			"end-failed.txtar", "end-length.txtar", "end-max-turns.txtar", "end-refused.txtar", "extension.txtar",
			"foreground-agent.txtar", "recorded-whole.txtar", "recorded.txtar", "separators.txtar", "thinking.txtar", "user-files.txtar",
			"whole-longer.txtar",
		},
		"cursor-cli as a2a": {
			"deltas.txtar", "failed.txtar", "noise.txtar", "only-result.txtar", "partial-all.txtar", "partial-more.txtar", "partial-other.txtar",
			"partial-same.txtar", "partial.txtar", "retry.txtar", "stderr.txtar", "tasks.txtar", "todos.txtar", "tools-failed.txtar", "tools.txtar",
			"whole.txtar",
		},
	}
	tried, none := 0, 0
	for _, from := range adapters.All() {
		all := wires(t, from)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			for _, as := range adapters.All() {
				if as == from || as.NewDecoder == nil || slices.Contains(as.AlsoReads, from.Name) {
					continue
				}
				p, f := readAs(as, all[name])
				tried++
				pair := from.Name + " as " + as.Name
				if f == nil && p.End == hub.StatusDone && !slices.Contains(alike[pair], name) {
					t.Errorf("%s, %s: a good run, of %d records %d are unrecognised", pair, name, p.Stats.Records, p.Stats.Unrecognised)
				}
				var mismatch *recognize.Mismatch
				if p.Stats.RecognisedNone() && f != nil && errors.As(f, &mismatch) {
					none++
					if f.Code != hub.CodeMalformed || mismatch.Want != as.Name {
						t.Errorf("%s, %s: %v", pair, name, f)
					}
				}
			}
		}
	}
	t.Logf("%d streams read as another dialect, of %d no record was recognised", tried, none)
	if none < tried/2 {
		t.Errorf("of %d streams only %d are a mismatch: does the test read any?", tried, none)
	}
}

// readAs moves a stream through a pipeline that takes it for one of the dialect as.
func readAs(as *hub.Dialect, body string) (*engine.Pipeline, *hub.Failure) {
	p := engine.NewPipeline(engine.Config{From: as, FromOptions: as.Defaults(), To: &native.Dialect, ToOptions: native.Dialect.Defaults()})
	for rest := []byte(body); ; {
		used, err := p.Feed(rest, true, 0)
		var f *hub.Failure
		if errors.As(err, &f) {
			return p, p.Finish(f, 0, false)
		}
		rest = rest[used:]
		if len(p.Out.Buf) < engine.FlushAt {
			return p, p.Finish(nil, 0, false)
		}
		p.Out.Reset()
	}
}

// TestRightDialect: no recorded stream is taken for one of another dialect by the one that it is of.
func TestRightDialect(t *testing.T) {
	t.Parallel()
	for _, d := range adapters.All() {
		for name, body := range wires(t, d) {
			if d.NewDecoder == nil {
				continue
			}
			p, f := readAs(d, body)
			var mismatch *recognize.Mismatch
			if f != nil && errors.As(f, &mismatch) && p.Stats.Records > 0 {
				t.Errorf("%s, %s: %v", d.Name, name, f)
			}
		}
	}
}

// TestEmptyRuns: a run of the right dialect that says nothing is a good one.
func TestEmptyRuns(t *testing.T) {
	t.Parallel()
	f := func(dialect, body, ending string) {
		t.Helper()
		a := newAgent(t, streaming(body))
		r := start(t, strings.Replace(simple(a.url(), "", "", "client: twin\n"), "dialect: native", "dialect: "+dialect, 1))
		r.demand("/run")
		if end := r.awaitEnds(1); end["ending"] != ending {
			t.Errorf("%s: %v", dialect, end)
		}
	}
	f("agui", "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n", "done")
	f("aisdk", "data: [DONE]\n\n", "done")
	f("aisdk", ": keep-alive\n\ndata: {\"type\":\"start\"}\n\ndata: [DONE]\n\n", "done")
	f("langgraph", "event: metadata\ndata: {\"run_id\":\"r\"}\n\n", "done")
	f("openai-chat", "data: {\"type\":\"ping\"}\n\ndata: [DONE]\n\n", "truncated") // it never said why it ends
}

// TestWrongType: a dialect that is declared with a wrong path to the type knows no record, whatever it does with those.
func TestWrongType(t *testing.T) {
	t.Parallel()
	for _, unknown := range []string{"raw", "drop", "error"} {
		for _, end := range []string{"end_mark", "end_of_body"} {
			cfg := parse(t, simple("http://127.0.0.1:1/", "", "", "client: aisdk\n"))
			doc := map[string]any{
				"framing": "sse", "type": "kind", "else": unknown,
				"decode": []any{map[string]any{"type": "word", "emit": "text.delta", "set": map[string]any{"text": "text"}}},
			}
			doc[end] = map[string]any{"end_mark": "[DONE]", "end_of_body": "done"}[end]
			cfg.Declared = map[string]map[string]any{"shop": doc}
			cfg.Upstreams["agent"].Dialect = "shop"
			table, err := newTable(cfg, newMetrics("test"), new(openCounters), emptyConversations())
			if err != nil {
				t.Fatal(err)
			}
			r, _ := table.find(urls.Path{Raw: "/run", Plain: "/run"})
			eng, out, _ := r.engine(r.first, wire.SSE, nil)
			_, err = eng.Feed([]byte("data: {\"event\":\"word\",\"kind\":\"?\",\"text\":\"Hi\"}\n\ndata: [DONE]\n\n"), true, 0)
			var f *hub.Failure
			_ = errors.As(err, &f)
			if f = eng.Finish(f, 0, false); f == nil || f.Note != "No record of shop." || !strings.Contains(string(out.Buf), `"type":"error"`) {
				t.Errorf("unknown %s, %s: %v %s", unknown, end, f, out.Buf)
			}
		}
	}
}

// TestMostlyUnrecognised: a run in which some records are known goes on, with a warning.
func TestMostlyUnrecognised(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, `{"type":"a"}`, `{"type":"b"}`, `{"type":"c"}`, lineEnd)))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	if got := r.demand("/run"); got.status != 200 || !strings.Contains(got.body, `"status":"done"`) {
		t.Errorf("%d %s", got.status, got.body)
	}
	end := r.awaitEnds(1)
	if end["ending"] != "done" || end["unrecognised"] != int64(3) || end["unrecognised_share"] != 0.6 {
		t.Errorf("%v", end)
	}
	if all := r.logs.FilterMessage("stream ended").All(); len(all) != 1 || all[0].Level != zap.WarnLevel {
		t.Errorf("%v", all)
	}
}
