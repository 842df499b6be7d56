package proxy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// TestTokenLimitsAlone: wherever a limit of tokens stands alone, and however low it is, the tokens of a stream that is copied are counted for it.
func TestTokenLimitsAlone(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(lines(lineStart, lineHello, lineUsage(1, 1), lineEnd)))
	for scope, c := range map[string]struct{ top, route string }{
		scopeAll:                  {"{tokens_per_minute: 1}", "{}"},
		scopePrincipal:            {"{principal: {tokens_per_minute: 1}}", "{}"},
		scopePrincipal + " alice": {"{principals: {alice: {tokens_per_minute: 1}}}", "{}"},
		scopeRoute:                {"{}", "{tokens_per_minute: 1}"},
		scopeRoutePrincipal:       {"{}", "{principal: {tokens_per_minute: 1}}"},
	} {
		yaml := strings.Replace(limited(a.url(), c.top, c.route), "client: twin", "client: native", 1)
		r := start(t, yaml)
		r.allowed("/run", asAlice)
		r.awaitEnds(1)
		scope, _, _ := strings.Cut(scope, " ")
		r.over("/run", hub.CodeTokens, scope, asAlice)
		r.close()
	}
}

// TestOtherLimitsMeasureNothing: where no tokens are limited, a stream that is copied is not decoded for them.
func TestOtherLimitsMeasureNothing(t *testing.T) {
	t.Parallel()
	r := start(t, limited("http://127.0.0.1:1/", "{rate: 1/s, principal: {rate: 1/s}, principals: {alice: {rate: 1/s}}}", "{rate: 1/s, principal: {rate: 1/s}}"))
	if route := r.table.Load().exact["/run"]; !route.hasQuotas || route.limitsTokens() {
		t.Errorf("it has limits: %t, of tokens: %t", route.hasQuotas, route.limitsTokens())
	}
}

// TestTokensThatAreUsedUp: an account without tokens is not overdrawn, and lets one more run begin; one that is overdrawn says for how long.
func TestTokensThatAreUsedUp(t *testing.T) {
	t.Parallel()
	var q quotas
	now, all := time.Now(), claims{{accountKey{"/run", ""}, config.Quota{TokensPerMinute: 60}}}
	q.request(all, now) // makes the account
	for i, step := range []struct {
		used int64
		want string
	}{{59, ""}, {1, ""}, {1, "1 s"}, {1, "2 s"}, {30, "32 s"}, {1000 * maxDebt, "3600 s"}} {
		q.charge(all, step.used, now)
		for name, f := range map[string]func(claims, time.Time) *limitError{"begin": q.begin, "mayRun": q.mayRun} {
			got := ""
			if over := f(all, now); over != nil {
				got = fmt.Sprintf("%d s", over.wait)
			}
			if got != step.want {
				t.Errorf("step %d, %s: %q, want %q", i, name, got, step.want)
			}
		}
	}
}

// TestRunsBeyondOpenFiles: clients that need no connection for each run do not get more of them than there are files for their upstreams, and are
// counted; where no limit is known, there is none.
func TestRunsBeyondOpenFiles(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	r := start(t, simple(a.url(), "", "", "client: twin\n"))
	running := func(n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.running += n
	}
	most := connectionLimit(config.Limits{}, r.files)
	if most == 0 {
		t.Skip("no limit is known here")
	}
	running(most - 1)
	r.allowed("/run")
	r.awaitEnds(1)
	running(1)
	resp, body := r.post("/run", "{}")
	if resp.StatusCode != 503 || resp.Header.Get("X-Sabir-Error") != string(hub.CodeLimit) || resp.Header.Get("Retry-After") == "" {
		t.Errorf("status %d, %v: %s", resp.StatusCode, resp.Header, body)
	}
	if n := r.metric("sabir_limited_total", "scope=all", "code="+string(hub.CodeLimit), "route=/run"); n != 1 {
		t.Errorf("%v are counted", n)
	}
	if log := fmt.Sprint(r.logs.FilterMessage("request rejected").All()); !strings.Contains(log, fmt.Sprintf("leaves room for %d runs", most)) {
		t.Errorf("the log says %s", log)
	}
	running(-most)
	if f := (&Server{running: most}).withoutFile(nil); f != nil {
		t.Errorf("where no limit is known: %v", f)
	}
}
