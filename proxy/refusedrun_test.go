package proxy

import (
	"strconv"
	"strings"
	"testing"
)

// TestRefusedRunHidesNone: a run that a limit refuses is logged and counted as such, and is not what clients find by the name of its thread
// while the run before goes on, here and at another replica.
func TestRefusedRunHidesNone(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	top := storeYAML(redisAddress(t), "") + "limits: {principal: {streams: 1}}\n" + keysYAML()
	yaml := strings.Replace(simple(a.url(), top, "", "auth: [keys]\nclient: aisdk\nrequests: {mode: translate}\nresume: {grace: 1m}\n"), "path: /run", "path: /run/*", 1)
	one, two := start(t, yaml), start(t, yaml)
	first := one.dial()
	first.ask("POST", "/run", resumeClients[1].body, asAlice)
	begun := first.response()
	firstHalf(t, begun)
	two.awaitRun(t, begun.Header.Get(runHeader))
	resp, body := one.post("/run", resumeClients[1].body, asAlice)
	if resp.StatusCode != 429 || resp.Header.Get("X-Sabir-Error") != "too_many_streams" || resp.Header.Get(runHeader) != "" {
		t.Errorf("status %d %v: %s", resp.StatusCode, resp.Header, body)
	}
	if n := one.logs.FilterMessage("request rejected").Len(); n != 1 || one.metric("sabir_requests_rejected_total", "code=too_many_streams") != 1 {
		t.Errorf("%d lines of log, %v are counted", n, one.metric("sabir_requests_rejected_total"))
	}
	for _, r := range []*rig{one, two} {
		c := r.dial()
		c.ask("GET", "/run/chat%201/stream", "", asAlice)
		if resp := c.response(); resp.StatusCode != 200 || !strings.Contains(firstHalf(t, resp), "Hello") {
			t.Errorf("status %d", resp.StatusCode)
		}
		c.Close()
	}
	close(goOn)
	one.awaitEnds(1)
	if n := one.metric("sabir_streams_total"); n != 1 {
		t.Errorf("%v runs are counted", n)
	}
}

// TestRefusalOfASharedRun: when to come again is passed on also where the run does not belong to the connection of its client.
func TestRefusalOfASharedRun(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"429 Too Many Requests", "503 Service Unavailable"} {
		a := newAgent(t, func(p *peer) {
			p.request()
			p.answer(status, "Retry-After: 30", "Content-Length: 0")
		})
		r := resuming(t, a, "agui", "grace: 1m")
		resp, body := r.post("/run", resumeClients[0].body)
		if !strings.HasPrefix(status, strconv.Itoa(resp.StatusCode)) || resp.Header.Get("Retry-After") != "30" {
			t.Errorf("status %d, %v: %s", resp.StatusCode, resp.Header, body)
		}
	}
}

// TestRunThatDidNotBegin: where the client that would begin a run gets no place to read it, the run has ended at other replicas, too.
func TestRunThatDidNotBegin(t *testing.T) {
	t.Parallel()
	a, _, _ := gatedAgent(t)
	address := redisAddress(t)
	yaml := strings.Replace(simple(a.url(), storeYAML(address, ""), "", "client: agui\nrequests: {mode: translate}\nresume: {grace: 1m}"), "path: /run", "path: /run/*", 1)
	one, two := start(t, "limits: {streams: 1}\n"+yaml), start(t, yaml)
	_, resp := one.openRun()
	run := resp.Header.Get(runHeader)
	if resp.StatusCode != 503 || run == "" {
		t.Fatalf("status %d %v", resp.StatusCode, resp.Header)
	}
	two.awaitRun(t, run)
	c := two.dial()
	c.ask("GET", "/run", "", alice, "X-Sabir-Run: "+run)
	if resp, body := c.whole(); !strings.Contains(body, "too_many_streams") {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	if a.connections() != 0 {
		t.Error("the agent was asked")
	}
}
