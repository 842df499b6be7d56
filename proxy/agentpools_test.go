package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sabir-proxy/sabir/adapters/redact"
	"github.com/sabir-proxy/sabir/config"
)

// TestStderrIsBounded: an agent that writes much to stderr fills no log, and is logged again later.
func TestStderrIsBounded(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	o := &agentObserver{log: zap.New(core), logStderr: true}
	lines := o.Stderr()
	for period := range 2 {
		for range 2 * stderrLines {
			lines.Line([]byte("line"), true)
		}
		if n := logs.Len(); n != (period+1)*stderrLines {
			t.Errorf("%d lines are logged by the end of period %d", n, period)
		}
		o.since = time.Now().Add(-stderrTime - time.Second)
	}
}

// TestStderrLines: what comes in pieces is logged by lines, each once.
func TestStderrLines(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	lines := &stderrLog{of: &agentObserver{log: zap.New(core), logStderr: true}}
	for _, piece := range []string{"a", "b", "c\n", "d\ne", "\n", "f"} {
		lines.write([]byte(piece))
	}
	lines.End()
	var got []string
	for _, entry := range logs.All() {
		got = append(got, entry.ContextMap()["line"].(string))
	}
	if want := []string{"abc", "d", "e", "f"}; !slices.Equal(got, want) {
		t.Errorf("logged %q, want %q", got, want)
	}
}

// TestStderrBeforeReload: what a process has written before its routes change is logged as they said, and hides nothing of what follows.
func TestStderrBeforeReload(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	of := &agentObserver{log: zap.New(core), logStderr: true}
	changed := func() *[]*route {
		rules, err := redact.New([]string{"keys"}, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return &[]*route{{cfg: new(config.Route), redact: rules, metrics: newMetrics("").forRoute("/run")}}
	}
	of.routes.Store(changed())
	lines := of.Stderr()
	lines.Line([]byte("before"), true)
	lines.Line([]byte("-----BEGIN PRIVATE KEY-----"), true)
	of.routes.Store(changed())
	lines.Line([]byte("behind"), true)
	lines.End()
	var got []any
	for _, entry := range logs.All() {
		got = append(got, entry.ContextMap()["line"])
	}
	if want := "[before [redacted:keys] behind]"; fmt.Sprint(got) != want {
		t.Errorf("logged %q, want %q", got, want)
	}
}

// TestStderrIsMasked: what the routes to an agent must not let leave does not get into the log by its stderr, also from line to line. A
// reload changes it for a process that goes on.
func TestStderrIsMasked(t *testing.T) {
	t.Parallel()
	yaml := "log: {upstream_errors: true}" + agentConfig(t, "agui", t.TempDir(), "", ", redact: {builtin: [keys, emails]}") +
		"  - {path: /other, upstream: coder, client: agui, requests: {mode: translate}, redact: {patterns: [{name: staff, regexp: 'E-[0-9]{6}', action: block}]}}\n"
	r := start(t, yaml)
	logged := func() (all string) {
		for _, entry := range r.logs.FilterMessage("agent wrote to stderr").All() {
			all += entry.ContextMap()["line"].(string) + "\n"
		}
		return all
	}
	complain := func(thread, want string) {
		t.Helper()
		status, body := r.aguiTurn(thread, saidByUser(1, "complain"))
		wantSaid(t, status, body, "complained")
		await(t, "stderr to be logged", func() bool { return strings.HasSuffix(logged(), "that is all\n") })
		if got := logged(); got != want {
			t.Errorf("logged is\n%swant\n%s", got, want)
		}
		r.partOfLog = true
		r.logs.TakeAll()
	}
	complain("t1", "[redacted:emails] is unknown, [redacted:staff] too\n[redacted:keys]\nthat is all\n")
	for name, want := range map[string]float64{"emails": 1, "staff": 1, "keys": 1} {
		if n := r.metric("sabir_redactions_total", "name="+name); n != want {
			t.Errorf("%s is counted %v times", name, n)
		}
	}
	if n := r.metric("sabir_redactions_total", "route=/other", "name=staff"); n != 1 {
		t.Errorf("%v matches are counted for the route that asks", n)
	}
	if err := r.Reload(parse(t, strings.Replace(yaml, "builtin: [keys, emails]", "builtin: [keys]", 1))); err != nil {
		t.Fatal(err)
	}
	complain("t2", "jane@example.com is unknown, [redacted:staff] too\n[redacted:keys]\nthat is all\n")
}
