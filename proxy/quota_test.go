package proxy

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/zap"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// lineUsage is what an agent reports of its tokens.
func lineUsage(in, out int) string {
	return fmt.Sprintf(`{"kind":"usage","scope":"run","usage":{"in":%d,"out":%d}}`, in, out)
}

// limited is a configuration with keys and two routes to an agent: top are limits of all, and route those of /run.
func limited(url, top, route string) string {
	return "listen: 127.0.0.1:0\n" + keysYAML() + "limits: " + top + "\nupstreams:\n  agent: {url: '" + url + "', dialect: native}\nroutes:\n" +
		"  - {path: /run, upstream: agent, client: twin, auth: [keys], limits: " + route + "}\n" +
		"  - {path: /other, upstream: agent, client: openai-chat, auth: [keys]}\n" +
		"  - {path: /copy, upstream: agent, client: native, auth: [keys]}\n"
}

// allowed fails the test unless a request becomes a stream.
func (r *rig) allowed(path string, header ...string) {
	r.t.Helper()
	if resp, body := r.post(path, "{}", header...); resp.StatusCode != 200 {
		r.t.Errorf("%s: status %d: %s", path, resp.StatusCode, body)
	}
}

// over fails the test unless a request is refused by a limit, and returns its Retry-After.
func (r *rig) over(path string, code hub.Code, scope string, header ...string) int {
	r.t.Helper()
	labels := []string{"route=" + path, "code=" + string(code), "scope=" + scope}
	before := r.metric("sabir_limited_total", labels...)
	resp, body := r.post(path, "{}", header...)
	if resp.StatusCode != 429 || resp.Header.Get("X-Sabir-Error") != string(code) || !strings.Contains(body, string(code)) && path != "/other" {
		r.t.Errorf("%s: status %d, %s, want %s: %s", path, resp.StatusCode, resp.Header.Get("X-Sabir-Error"), code, body)
	}
	if n := r.metric("sabir_limited_total", labels...) - before; n != 1 {
		r.t.Errorf("%s: %s counted %v times", path, scope, n)
	}
	seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil {
		r.t.Errorf("Retry-After: %v", err)
	}
	return seconds
}

// TestRates: requests beyond a rate are refused, in the form of the client's dialect, by the account that is used up; they reach no
// agent, and others go on.
func TestRates(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, limited(a.url(), "{rate: 60/h, burst: 7, principal: {rate: 60/h, burst: 4}}", "{rate: 60/h, burst: 3, principal: {rate: 60/h, burst: 2}}"))
	r.allowed("/run", asAlice)
	r.allowed("/run", asAlice)
	for range 3 {
		if s := r.over("/run", hub.CodeRate, scopeRoutePrincipal, asAlice); s < 45 || s > 60 { // some seconds may have passed
			t.Errorf("Retry-After is %d s for a request a minute", s)
		}
	}
	r.allowed("/run", asBob) // refused requests have used up nothing of the route's
	r.over("/run", hub.CodeRate, scopeRoute, asBob)
	r.allowed("/other", asAlice)
	r.allowed("/other", asAlice)
	r.over("/other", hub.CodeRate, scopePrincipal, asAlice)
	r.allowed("/copy", asBob)
	r.allowed("/copy", asBob)
	r.over("/copy", hub.CodeRate, scopeAll, asBob)
	_, body := r.post("/other", "{}", asAlice)
	// A busy machine takes a second or two of the minute.
	if !regexp.MustCompile(`^{"error":{"message":"Too many requests were sent. Try again in (60|5.) s.","type":"rate_limit_error"`).MatchString(body) {
		t.Errorf("openai-chat says %s", body)
	}
	r.post("/run", "{}")
	if n := r.metric("sabir_limited_total"); n != 7 {
		t.Errorf("%v are counted: a request without a key is refused for that", n)
	}
	if r.awaitEnds(7); a.connections() > 7 {
		t.Errorf("%d connections to the agent for 7 requests", a.connections())
	}
	if n := r.metric("sabir_requests_rejected_total", "code=too_many_requests"); n != 7 {
		t.Errorf("%v rejections are counted", n)
	}
}

// TestTimeToWait: who asks again after the time that was said is let in, and not much before.
func TestTimeToWait(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, limited(a.url(), "{}", "{principal: {rate: 1/s}}"))
	r.allowed("/run", asAlice)
	wait := r.over("/run", hub.CodeRate, scopeRoutePrincipal, asAlice)
	if wait != 1 {
		t.Fatalf("Retry-After is %d", wait)
	}
	time.Sleep(time.Duration(wait) * time.Second)
	r.allowed("/run", asAlice)
}

// TestPrincipalStreams: a client has so many runs at a time, over HTTP and WebSocket, whatever others do.
func TestPrincipalStreams(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	r := start(t, limited(a.url(), "{principal: {streams: 3}, principals: {bob: {streams: 1}}}", "{principal: {streams: 2}}"))
	open := func(path, key string) *client {
		c := r.dial()
		c.ask("POST", path, "{}", key)
		if resp := c.response(); resp.StatusCode != 200 {
			t.Fatalf("%s: status %d", path, resp.StatusCode)
		}
		return c
	}
	one, two := open("/run", asAlice), open("/run", asAlice)
	r.over("/run", hub.CodeLimit, scopeRoutePrincipal, asAlice)
	three := open("/copy", asAlice)
	r.over("/copy", hub.CodeLimit, scopePrincipal, asAlice)
	four := open("/run", asBob)
	r.over("/copy", hub.CodeLimit, scopePrincipal, asBob)
	ws, _, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/run", http.Header{"X-Api-Key": {aliceKey}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	_ = ws.WriteMessage(websocket.TextMessage, []byte("{}"))
	if _, said, err := ws.ReadMessage(); err != nil || !strings.Contains(string(said), "too_many_streams") {
		t.Errorf("%v %s", err, said)
	}
	if n := r.logs.FilterMessage("request rejected").FilterField(zap.String("principal", "alice")).Len(); n != 2 {
		t.Errorf("%d lines of log name alice: %v", n, r.logs.FilterMessage("request rejected").All())
	}
	one.Close()
	r.awaitEnds(1)
	five := open("/run", asAlice)
	for _, c := range []*client{two, three, four, five} {
		c.Close()
	}
	r.awaitEnds(5)
	await(t, "all runs to be counted as ended", func() bool {
		q := &r.kept.quotas
		q.mu.Lock()
		defer q.mu.Unlock()
		open := 0
		for _, a := range q.clients {
			open += a.Value.(*account).open
		}
		return open == 0
	})
}

// TestTokenLimits: what runs have used is charged when they have ended; while it is more than a minute's tokens, further runs are refused,
// and those that go on are not ended. Copied streams are charged as well.
func TestTokenLimits(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineUsage(120, 60), lineEnd)))
	for _, path := range []string{"/run", "/other", "/copy"} {
		r := start(t, limited(a.url(), "{principal: {tokens_per_minute: 60}}", "{}"))
		r.allowed(path, asAlice)
		r.awaitEnds(1)
		if s := r.over(path, hub.CodeTokens, scopePrincipal, asAlice); s < 118 || s > 120 {
			t.Errorf("%s: Retry-After is %d s for 120 tokens too many", path, s)
		}
		r.allowed(path, asBob)
		r.awaitEnds(2)
		if n := r.metric("sabir_tokens_total", "route="+path); n != 2*180 {
			t.Errorf("%s: %v tokens are counted", path, n)
		}
	}
}

// TestTokensAreRepaid: a debt is paid by time.
func TestTokensAreRepaid(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineUsage(700, 0), lineEnd)))
	r := start(t, limited(a.url(), "{}", "{tokens_per_minute: 600}"))
	r.allowed("/run", asAlice)
	r.awaitEnds(1)
	wait := r.over("/run", hub.CodeTokens, scopeRoute, asBob)
	if wait != 10 {
		t.Errorf("Retry-After is %d", wait)
	}
	r.kept.quotas.mu.Lock()
	defer r.kept.quotas.mu.Unlock()
	of := r.kept.quotas.places[accountKey{route: "/run"}].tokens
	if at := of.TokensAt(time.Now().Add(time.Duration(wait) * time.Second)); at < 0 {
		t.Errorf("after the time that was said %v tokens are missing", -at)
	}
}

// TestLongestStream: a client's stream is ended in the form of its dialect after the time that it may take.
func TestLongestStream(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	r := start(t, limited(a.url(), "{principal: {stream: 1s}, principals: {bob: {stream: 700ms}}}", "{}"))
	for _, key := range []string{asAlice, asBob} {
		if resp, body := r.post("/run", "{}", key); resp.StatusCode != 200 || !strings.Contains(body, `"status":"truncated"`) || !strings.Contains(body, `"stream_too_long"`) {
			t.Errorf("status %d: %s", resp.StatusCode, body)
		}
	}
	r.awaitEnds(2)
	if n := r.metric("sabir_streams_total", "ending=stream_too_long"); n != 2 {
		t.Errorf("%v streams were too long", n)
	}
	bound := start(t, limited(a.url(), "{principals: {bob: {stream: 100ms}}}", "{}")+"timeouts: {stream: 0s}\n") // it has no other limit
	if _, body := bound.post("/run", "{}", asBob); !strings.Contains(body, `"stream_too_long"`) {
		t.Error(body)
	}
}

// TestAddressesAreClients: on an open route, a client is an address, of IPv6 a network, and behind a trusted proxy that which it names.
func TestAddressesAreClients(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "trusted_proxies: [127.0.0.1]\n", "", "client: twin\nlimits: {principal: {rate: 1/h}}\n"))
	for _, from := range []string{"192.0.2.1", "192.0.2.2", "2001:db8:0:1::1", "2001:db8:0:2::1"} {
		r.allowed("/run", "X-Forwarded-For: "+from)
	}
	for _, from := range []string{"192.0.2.1", "2001:db8:0:1::2", "2001:db8:0:2:ffff::1"} {
		r.over("/run", hub.CodeRate, scopeRoutePrincipal, "X-Forwarded-For: "+from)
	}
	r.allowed("/run")
	r.over("/run", hub.CodeRate, scopeRoutePrincipal)
	if n := r.metric("sabir_limit_accounts"); n != 5 {
		t.Errorf("%v clients are known", n)
	}
}

// TestMessagesCount: each message of a WebSocket that asks for a run is a request.
func TestMessagesCount(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\nlimits: {principal: {rate: 3/h}}\n"))
	c := r.dialWS("/run")
	for range 2 {
		c.say("{}")
		c.run()
	}
	c.say("{}")
	if got := fmt.Sprint(c.run()); !strings.Contains(got, "too_many_requests") || !strings.Contains(got, "Try again in 1200 s.") {
		t.Errorf("got %s", got)
	}
}

// TestQuotasOutliveReloads: a reload changes what clients may use, and not what they have used.
func TestQuotasOutliveReloads(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, limited(a.url(), "{}", "{principal: {rate: 60/h, burst: 2}}"))
	r.allowed("/run", asAlice)
	r.allowed("/run", asAlice)
	for _, quota := range []string{"{principal: {rate: 60/h, burst: 2}}", "{principal: {rate: 120/h, burst: 5}}"} {
		if err := r.Reload(parse(t, limited(a.url(), "{}", quota))); err != nil {
			t.Fatal(err)
		}
		r.over("/run", hub.CodeRate, scopeRoutePrincipal, asAlice)
	}
	if err := r.Reload(parse(t, limited(a.url(), "{}", "{}"))); err != nil {
		t.Fatal(err)
	}
	r.allowed("/run", asAlice)
}

// TestEndingIsFree: a request that ends runs is never refused for their number.
func TestEndingIsFree(t *testing.T) {
	t.Parallel()
	a := silentAgent(t, nil)
	yaml := "listen: 127.0.0.1:0\nupstreams:\n  agent: {url: '" + a.url() + "', dialect: native}\nroutes:\n" +
		"  - {path: /open/*, start: /start/*, cancel: /cancel/*, upstream: agent, client: twin, limits: {principal: {rate: 2/h}}}\n"
	r := start(t, yaml)
	c := r.dial()
	c.ask("GET", "/open/t", "")
	c.response()
	r.allowed("/start/t")
	if resp, body := r.post("/start/t", "{}"); resp.StatusCode != 429 {
		t.Errorf("status %d: %s", resp.StatusCode, body)
	}
	r.allowed("/cancel/t")
	r.awaitEnds(1)
}

// TestRefusedRunsAreGivenBack: a run that another limit refuses does not count as one of its client's.
func TestRefusedRunsAreGivenBack(t *testing.T) {
	t.Parallel()
	r := start(t, limited(silentAgent(t, nil).url(), "{streams: 1, principals: {bob: {streams: 1}}}", "{}"))
	open := func(key string) *client {
		c := r.dial()
		c.ask("POST", "/run", "{}", key)
		if resp := c.response(); resp.StatusCode != 200 {
			t.Errorf("status %d", resp.StatusCode)
		}
		return c
	}
	first := open(asAlice)
	if resp, body := r.post("/run", "{}", asBob); resp.StatusCode != 503 {
		t.Errorf("status %d %s", resp.StatusCode, body)
	}
	first.Close()
	r.awaitEnds(1)
	open(asBob).Close()
	r.awaitEnds(2)
}

// TestQuotaOfRefusedRuns: a run for which there is no place counts against no account of its client.
func TestQuotaOfRefusedRuns(t *testing.T) {
	t.Parallel()
	r := start(t, limited(silentAgent(t, nil).url(), "{streams: 1, principal: {streams: 1}}", "{}"))
	open := func(key string, status int) *client {
		t.Helper()
		c := r.dial()
		c.ask("POST", "/run", "{}", key)
		if resp := c.response(); resp.StatusCode != status {
			t.Errorf("status %d, want %d: %s", resp.StatusCode, status, resp.Header.Get("X-Sabir-Error"))
		}
		return c
	}
	bob := open(asBob, 200)
	open(asAlice, 503)
	bob.Close()
	r.awaitEnds(1)
	open(asAlice, 200).Close()
	r.awaitEnds(2)
}
