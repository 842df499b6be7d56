package proxy

import (
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/config"
)

// endsRuns are the operations that end runs, by what their paths have in them; and those by DELETE.
var endsRuns = []string{"/stop/", "/cancel"}

// tryLimits: whatever a client asks for counts against every limit of requests, and is refused when that is used up, but
// for what ends runs. Another client is refused by the limits that it shares, and by no other.
func tryLimits(t *testing.T, table guardTable) {
	t.Helper()
	a := newAgent(t, func(p *peer) { p.request() })
	for scope, limits := range map[string][2]string{
		scopeAll: {"rate: 1/h", ""}, scopeRoute: {"", "rate: 1/h"}, scopePrincipal: {"principal: {rate: 1/h}", ""}, scopeRoutePrincipal: {"", "principal: {rate: 1/h}"},
	} {
		text := "listen: 127.0.0.1:0\n" + keysYAML() + "limits: {" + limits[0] + "}\nupstreams:\n  agent: {url: '" + a.url() + "', dialect: native}\nroutes:\n"
		for _, route := range operationRoutes {
			text += "  - {path: " + route + ", upstream: agent, auth: [keys], limits: {" + limits[1] + "}}\n"
		}
		r := start(t, text+"# requests are translated\n")
		shared := scope == scopeAll || scope == scopeRoute
		for _, op := range operations {
			c := r.dial()
			c.ask(op.method, op.path, op.body, append([]string{asAlice}, headerOf(op.header)...)...)
			c.response() // whatever it is: it uses up the limit
			c.Close()
		}
		for _, op := range operations {
			ends := op.method == "DELETE" || strings.Contains(op.path, endsRuns[0]) || strings.Contains(op.path, endsRuns[1])
			for _, key := range []string{asAlice, asBob} {
				if key == asBob && !shared {
					continue
				}
				c := r.dial()
				c.ask(op.method, op.path, op.body, append([]string{key}, headerOf(op.header)...)...)
				resp := c.response()
				if refused := resp.StatusCode == 429 || resp.Header.Get("X-Sabir-Error") == "too_many_requests"; refused == ends {
					t.Errorf("%s: %s %s has status %d, %s", scope, op.method, op.path, resp.StatusCode, resp.Header.Get("X-Sabir-Error"))
				}
				if key == asBob {
					table.note(op, scope+", another", resp)
				} else {
					table.note(op, scope, resp)
				}
				c.Close()
			}
		}
		before := r.metric("sabir_limited_total", "scope="+scope)
		if resp, _ := r.post("/run", "{}", asBob); (resp.StatusCode == 429) != shared {
			t.Errorf("%s: another client has status %d", scope, resp.StatusCode)
		}
		if before == 0 || r.metric("sabir_limited_total") != r.metric("sabir_limited_total", "scope="+scope) {
			t.Errorf("%s: %v are counted, of %v in all", scope, before, r.metric("sabir_limited_total"))
		}
		r.close()
	}
}

// headerOf are the lines of a header.
func headerOf(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// BenchmarkLimits is what four accounts cost one run, of many clients.
func BenchmarkLimits(b *testing.B) {
	quota := config.Quota{Rate: config.Rate{Count: 1_000_000_000, Per: time.Second}, Streams: 1000, TokensPerMinute: 1_000_000_000}
	r := &route{name: "/run", hasQuotas: true, cfg: &config.Route{}, global: &config.Config{}}
	r.cfg.Limits = config.RouteLimits{Rate: quota.Rate, TokensPerMinute: quota.TokensPerMinute, Principal: quota}
	r.global.Limits = config.Limits{Rate: quota.Rate, TokensPerMinute: quota.TokensPerMinute, Principal: quota}
	var q quotas
	peers := []string{"192.0.2.1:1", "192.0.2.2:1", "[2001:db8::1]:1", "[2001:db8:1::1]:1"}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		now, all := time.Now(), r.claims(nil, peers[n%len(peers)])
		if q.request(all, now) != nil || q.begin(all, now) != nil {
			b.Fatal("refused")
		}
		q.charge(all, 100, now)
		q.end(all)
	}
}
