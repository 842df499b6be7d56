package proxy

import (
	"strings"
	"sync"
	"testing"
)

// TestNoNameNoInterrupt: in a session that is for one run alone nothing can go on, so that nothing is ended there.
func TestNoNameNoInterrupt(t *testing.T) {
	o := newOpenCode(t, saysHi)
	r := start(t, o.config("openai-chat"))
	if resp, got := r.post("/run", `{"stream":true,"messages":[{"role":"user","content":"hello"}]}`); resp.StatusCode != 200 || !strings.Contains(got, "Hi!") {
		t.Errorf("status %d\n%s", resp.StatusCode, got)
	}
	r.awaitEnds(1)
	if got := o.seen(map[string]string{}); strings.Contains(got, "abort") || strings.Count(got, "\n") != 2 {
		t.Errorf("asked\n%s", got)
	}
}

// TestNewestRunAtAnotherReplica: who comes to a conversation gets the run that was begun last, also at a replica that has an older one.
func TestNewestRunAtAnotherReplica(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	a := newAgent(t, func(p *peer) {
		for p.request() != nil {
			p.ok("Content-Type: application/x-ndjson")
			p.chunk(lines(lineStart, lineHello))
			if strings.Contains(string(p.body), "second") {
				<-hold
			}
			p.finish(lines(lineWorld, lineEnd))
		}
	})
	address := redisAddress(t)
	one, two := replica(t, a, "aisdk", "grace: 1m", address), replica(t, a, "aisdk", "grace: 1m", address)
	goOn := sync.OnceFunc(func() { close(hold) })
	t.Cleanup(goOn)
	const path = "/run/chat%201/stream"
	first := one.dial()
	first.ask("POST", "/run", resumeClients[1].body, alice)
	first.whole()
	second := two.dial()
	second.ask("POST", "/run", strings.Replace(resumeClients[1].body, `"text":"hi"`, `"text":"second"`, 1), alice)
	resp := second.response()
	firstHalf(t, resp)
	two.awaitRun(t, resp.Header.Get(runHeader))
	await(t, "its name", func() bool {
		late := one.dial()
		defer late.Close()
		late.ask("GET", path, "", alice)
		return late.response().Header.Get(runHeader) == resp.Header.Get(runHeader)
	})
	goOn()
}
