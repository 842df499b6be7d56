package proxy

import (
	"net/http"
	"strings"
	"testing"
)

const interactionSSE = `event: interaction.created
data: {"event_type":"interaction.created","interaction":{"id":"v1_a","status":"in_progress"}}

event: step.start
data: {"event_type":"step.start","index":0,"step":{"type":"model_output"}}

event: step.delta
data: {"event_type":"step.delta","index":0,"delta":{"type":"text","text":"Hello, world"}}

`

const interactionEnd = `event: interaction.completed
data: {"event_type":"interaction.completed","interaction":{"id":"v1_a","status":"completed"}}

`

// backgroundAgent answers a request that begins an interaction with begun, and every other GET with what serve says. asked receives what it is
// asked for.
func backgroundAgent(t *testing.T, begun string, serve func(*peer)) (a *agent, asked chan *askedFor) {
	asked = make(chan *askedFor, 8)
	return newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			asked <- &askedFor{req, string(p.body)}
			switch {
			case req.Method == http.MethodGet:
				serve(p)
			default:
				p.ok("Content-Type: application/json")
				p.finish(begun)
			}
		}
	}), asked
}

// startBackground starts a proxy whose agent runs in the background.
func startBackground(t *testing.T, a *agent) *rig {
	t.Helper()
	return start(t, strings.NewReplacer("dialect: native", "dialect: gemini-interactions", a.url(), strings.Replace(a.url(), "/stream", "/v1beta/interactions", 1)).Replace(
		simple(a.url(), "", "options: {asks: agent, background: true}", "client: openai-chat\nrequests: {mode: translate}")))
}

// TestBackgroundAgent: an agent that runs in the background is asked to begin, and then for what it says.
func TestBackgroundAgent(t *testing.T) {
	t.Parallel()
	a, asked := backgroundAgent(t, `{"id":"v1_a","object":"interaction","status":"in_progress"}`, func(p *peer) {
		p.ok("Content-Type: text/event-stream")
		p.finish(interactionSSE + interactionEnd)
	})
	r := startBackground(t, a)
	r.call(t, 200, alice, "POST", "/run", chatRequest, `"content":"Hello, world"`, `"finish_reason":"stop"`)
	wantAsked(t, asked, "POST", "/v1beta/interactions", `"agent":"m-1"`, `"background":true,"store":true`, `"stream":false`)
	wantAsked(t, asked, "GET", "/v1beta/interactions/v1_a?stream=true")
}

// TestBackgroundAgentThatCompresses: so does one that compresses its answers, though it is asked not to.
func TestBackgroundAgentThatCompresses(t *testing.T) {
	t.Parallel()
	const media, coding = "Content-Type: application/json", "Content-Encoding: gzip"
	a := newAgent(t, func(p *peer) {
		for req := p.request(); req != nil; req = p.request() {
			if asked := req.Header.Get("Accept-Encoding"); asked != "identity" {
				t.Errorf("%s accepts %q", req.Method, asked)
			}
			if p.ok(media, coding); req.Method == http.MethodPost {
				p.finish(gzipped(t, `{"id":"v1_a","status":"in_progress"}`))
			} else {
				p.finish(gzipped(t, interactionSSE+interactionEnd))
			}
		}
	})
	startBackground(t, a).call(t, 200, alice, "POST", "/run", chatRequest, `"content":"Hello, world"`, `"finish_reason":"stop"`)
}

// TestBackgroundAgentAtOnce: an interaction that has ended when it is begun is read whole, and one without an id fails.
func TestBackgroundAgentAtOnce(t *testing.T) {
	t.Parallel()
	const whole = `{"id":"v1_a","object":"interaction","status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"At once"}]}]}`
	a, asked := backgroundAgent(t, whole, func(p *peer) {
		p.ok("Content-Type: application/json")
		p.finish(whole)
	})
	startBackground(t, a).call(t, 200, alice, "POST", "/run", chatRequest, `"content":"At once"`, `"finish_reason":"stop"`)
	<-asked
	wantAsked(t, asked, "GET", "/v1beta/interactions/v1_a")

	nameless, _ := backgroundAgent(t, `{"status":"in_progress"}`, nil)
	startBackground(t, nameless).call(t, 502, alice, "POST", "/run", chatRequest)
}

// TestBackgroundAgentCancelled: a run that goes on without its reader is cancelled when the client leaves, and when its stream is refused.
func TestBackgroundAgentCancelled(t *testing.T) {
	t.Parallel()
	f := func(serve func(*peer), read func(*rig)) {
		t.Helper()
		a, asked := backgroundAgent(t, `{"id":"v1_a","status":"in_progress"}`, serve)
		read(startBackground(t, a))
		<-asked
		<-asked
		wantAsked(t, asked, "POST", "/v1beta/interactions/v1_a/cancel")
	}
	stays := make(chan struct{})
	defer close(stays)
	f(func(p *peer) {
		p.ok("Content-Type: text/event-stream")
		p.chunk(interactionSSE)
		p.finishWhen(stays)
	}, func(r *rig) {
		c := r.dial()
		c.ask("POST", "/run", chatRequest)
		firstHalf(t, c.response())
		c.reset()
	})
	f(func(p *peer) { p.answer("404 Not Found", "Content-Length: 0") }, func(r *rig) {
		r.call(t, 404, alice, "POST", "/run", chatRequest)
	})
}

// wantAsked wants the next request to the agent to be one of that method, target and content.
func wantAsked(t *testing.T, asked chan *askedFor, method, target string, parts ...string) {
	t.Helper()
	got := <-asked
	if got.Method != method || got.RequestURI != target {
		t.Errorf("the agent is asked %s %s, want %s %s", got.Method, got.RequestURI, method, target)
	}
	for _, part := range parts {
		if !strings.Contains(got.body, part) {
			t.Errorf("%s %s has no %s: %s", method, target, part, got.body)
		}
	}
}
