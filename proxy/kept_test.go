package proxy

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// longRuns are runs of many pieces of text in places where encoders might keep them: piece makes one.
var longRuns = map[string]func(i int, text string) string{
	"one text": func(_ int, text string) string { return `{"kind":"text.delta","id":"p","text":"` + text + `"}` },
	"reasoning": func(_ int, text string) string {
		return `{"kind":"text.delta","chan":"reasoning","id":"p","text":"` + text + `"}`
	},
	"texts": func(i int, text string) string {
		return fmt.Sprintf(`{"kind":"text.delta","id":"p%d","text":"%s"}`+"\n"+`{"kind":"text.end","id":"p%d"}`, i, text, i)
	},
	"a sub-agent": func(_ int, text string) string {
		return `{"kind":"text.delta","lane":"l","id":"p","text":"` + text + `"}`
	},
	"output of a tool": func(i int, text string) string {
		if i == 0 {
			return `{"kind":"tool.start","id":"c","name":"x"}` + "\n" + `{"kind":"tool.ready","id":"c","value":{}}`
		}
		return `{"kind":"tool.output","id":"c","chan":"stdout","text":"` + text + `"}`
	},
	"results of tools": func(i int, text string) string {
		return fmt.Sprintf(`{"kind":"tool.start","id":"c%d","name":"x"}`+"\n"+`{"kind":"tool.ready","id":"c%d","value":{}}`+"\n"+
			`{"kind":"tool.end","id":"c%d","status":"ok","text":"%s"}`, i, i, i, text)
	},
}

// TestKeptText feeds every encoder runs that are far longer than what may be kept: memory stays bounded, and a run either
// arrives whole or ends as answer_too_long, in the dialect's own form.
func TestKeptText(t *testing.T) {
	if raceEnabled {
		t.Skip("it is one goroutine, and takes minutes with the detector")
	}
	const most, bound = 1 << 20, 8 << 20
	const pieces = 384 // 12 MiB in all
	text := strings.Repeat("lorem ipsum dolo", 2<<10)
	cut := map[string]bool{}
	for _, to := range adapters.All() {
		if to.NewEncoder == nil {
			continue
		}
		for name, piece := range longRuns {
			p := engine.NewPipeline(engine.Config{From: &native.Dialect, FromOptions: native.Dialect.Defaults(), To: to, ToOptions: to.Defaults(), MaxKept: most})
			before := heap()
			f := feedLines(p, `{"kind":"run.start","id":"r"}`)
			for i := 0; i < pieces && f == nil; i++ {
				f = feedLines(p, piece(i, text))
			}
			if grown := heap() - before; grown > bound {
				t.Errorf("%s, %s: %d bytes are kept", to.Name, name, grown)
			}
			if f == nil {
				f = feedLines(p, `{"kind":"run.end","status":"done"}`)
			}
			end := p.Finish(f, 0, false)
			if f != nil {
				cut[to.Name] = true
			}
			if f != nil && (f.Code != hub.CodeTooLong || end != f || p.End != hub.StatusFailed) {
				t.Errorf("%s, %s: ends as %v, %v", to.Name, name, end, p.End)
			}
			if f != nil && to.NewDecoder != nil && strings.Contains(string(p.Out.Buf), "\"done\"") {
				t.Errorf("%s, %s: says that it is done: %.500s", to.Name, name, p.Out.Buf)
			}
			runtime.KeepAlive(p)
		}
	}
	for _, name := range []string{"adk", "claude-cli", "codex-app-server", "copilot", "openai-responses"} {
		if !cut[name] {
			t.Errorf("%s repeats all text, and none of the runs was too long", name)
		}
		delete(cut, name)
	}
	if len(cut) > 0 {
		t.Errorf("more dialects keep text than the comment of limits.kept_text in config/config.go names: %v", cut)
	}
}

// feedLines feeds a pipeline and throws away what it writes.
func feedLines(p *engine.Pipeline, lines string) *hub.Failure {
	for rest := []byte(lines + "\n"); len(rest) > 0; {
		used, err := p.Feed(rest, false, 0)
		p.Out.Reset()
		var f *hub.Failure
		if errors.As(err, &f) {
			return f
		}
		if used == 0 {
			return nil
		}
		rest = rest[used:]
	}
	return nil
}

// TestKeptTextIsAnError moves an answer that is too long to a client, which learns so.
func TestKeptTextIsAnError(t *testing.T) {
	t.Parallel()
	a := newAgent(t, func(p *peer) {
		p.request()
		p.ok()
		p.chunk(lineStart + "\n")
		for range 64 {
			p.chunk(strings.Replace(lineHello, "Hello", strings.Repeat("x", 4<<10), 1) + "\n")
		}
		p.finish(lineEnd + "\n")
	})
	r := start(t, simple(a.url(), "limits: {kept_text: 64KiB}", "", "client: claude-cli\n"))
	got := r.demand("/run")
	if !strings.Contains(got.body, `"is_error":true`) || strings.Contains(got.body, `"subtype":"success","is_error":false`) {
		t.Errorf("%d %.300s", got.status, got.body[max(0, len(got.body)-600):])
	}
	if end := r.awaitEnds(1); end["ending"] != "answer_too_long" {
		t.Errorf("%v", end)
	}
	if n := r.metric("sabir_streams_total", "ending=answer_too_long"); n != 1 {
		t.Errorf("%v streams are counted", n)
	}
}
