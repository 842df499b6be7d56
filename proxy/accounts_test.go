package proxy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sabir-proxy/sabir/config"
)

func claimOf(client string, quota config.Quota) claims {
	return claims{{accountKey{client: client}, quota}}
}

// TestAccountsAreBounded: however many clients come, no more than maxAccounts are kept, and those with open runs are.
func TestAccountsAreBounded(t *testing.T) {
	t.Parallel()
	var q quotas
	now := time.Now()
	quota := config.Quota{Rate: config.Rate{Count: 1, Per: time.Hour}, Streams: 1}
	first := claimOf("first", quota)
	if q.begin(first, now) != nil {
		t.Fatal("the first run is refused")
	}
	for i := range maxAccounts + 1000 {
		if i == maxAccounts && q.forgotten > 1 {
			t.Errorf("%v are forgotten while there is room", q.forgotten)
		}
		if over := q.request(claimOf(fmt.Sprint(i), quota), now); over != nil {
			t.Fatalf("client %d: %+v", i, over)
		}
	}
	if n := len(q.clients); n > maxAccounts+1 || n != q.recent.Len() {
		t.Errorf("%d accounts, %d in the list", n, q.recent.Len())
	}
	if q.forgotten < 999 {
		t.Errorf("%v are counted as forgotten", q.forgotten)
	}
	if over := q.begin(first, now); over == nil || over.scope != scopePrincipal {
		t.Errorf("a second run: %+v", over)
	}
	q.end(first)
	if over := q.begin(first, now); over != nil {
		t.Errorf("after the end: %+v", over)
	}
	q.end(first)
}

// TestAccountsExpire: a client that has recovered is forgotten when others come, and one that has not is kept.
func TestAccountsExpire(t *testing.T) {
	t.Parallel()
	var q quotas
	now := time.Now()
	quota := config.Quota{Rate: config.Rate{Count: 60, Per: time.Hour}, TokensPerMinute: 60}
	q.request(claimOf("soon", quota), now)
	q.request(claimOf("late", quota), now)
	q.charge(claimOf("late", quota), 60*30, now)
	later := now.Add(2 * time.Minute)
	q.request(claimOf("another", quota), later)
	if q.find(accountKey{client: "soon"}) != nil || q.find(accountKey{client: "late"}) == nil || q.forgotten != 0 {
		t.Errorf("%d accounts are kept, %v forgotten", len(q.clients), q.forgotten)
	}
	if over := q.begin(claimOf("late", quota), later); over == nil || over.wait != 27*60 {
		t.Errorf("a debt of 27 minutes: %+v", over)
	}
}

// TestDebtIsBounded: an agent that reports any number of tokens keeps a client out for an hour at most.
func TestDebtIsBounded(t *testing.T) {
	t.Parallel()
	var q quotas
	now := time.Now()
	quota := config.Quota{TokensPerMinute: 10}
	all := claimOf("a", quota)
	if q.begin(all, now) != nil {
		t.Fatal("refused")
	}
	for range 3 {
		q.charge(all, 1<<62, now)
	}
	q.end(all)
	if over := q.mayRun(all, now); over == nil || over.wait != maxDebt*60 {
		t.Errorf("the debt is %+v", over)
	}
}

// TestQuotasChange: what a quota allows after it was changed comes as fast, and as much at once, as the new one says.
func TestQuotasChange(t *testing.T) {
	t.Parallel()
	var q quotas
	now := time.Now()
	hourly := func(n, burst, tokens int) claims {
		return claimOf("a", config.Quota{Rate: config.Rate{Count: n, Per: time.Hour}, Burst: burst, TokensPerMinute: tokens})
	}
	q.request(hourly(60, 1, 60), now)
	q.charge(hourly(60, 1, 60), 120, now)
	if over := q.request(hourly(60, 1, 60), now); over == nil || over.wait != 60 {
		t.Errorf("before: %+v", over)
	}
	if over := q.mayRun(hourly(60, 1, 60), now); over == nil || over.wait != 60 {
		t.Errorf("before, the debt of tokens: %+v", over)
	}
	if over := q.request(hourly(3600, 5, 600), now); over == nil || over.wait != 1 {
		t.Errorf("a faster rate: %+v", over)
	}
	if over := q.mayRun(hourly(3600, 5, 600), now); over == nil || over.wait != 6 {
		t.Errorf("with more tokens in a minute: %+v", over)
	}
	for i := range 6 {
		if over := q.request(hourly(3600, 5, 600), now.Add(time.Hour)); (over != nil) != (i == 5) {
			t.Errorf("request %d at once: %+v", i+1, over)
		}
	}
	if a := q.find(accountKey{client: "a"}); a == nil || q.request(claimOf("a", config.Quota{}), now) != nil || a.rate != nil || a.tokens != nil {
		t.Errorf("without limits there is %+v", a)
	}
}

// TestEditorIsCounted: each turn of an editor that has started the program is a request, as it is by any other connection.
func TestEditorIsCounted(t *testing.T) {
	t.Parallel()
	a := newAgent(t, streaming(smallRun))
	e := startEditor(t, simple(a.url(), "", "", "client: acp\nrequests: {mode: translate}\nlimits: {rate: 2/h}\n"))
	session := e.begin()
	for n, want := range []string{"end_turn", "end_turn", "too_many_requests"} {
		if got := e.prompt(session, "one"); !strings.Contains(got, want) {
			t.Errorf("turn %d: %s", n+1, got)
		}
	}
}
