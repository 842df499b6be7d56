package proxy

import (
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// TestPositionOfOtherDialect: a position counts records of one dialect. A client that has gone over to another gets neither a part twice nor
// a hole, but learns that it has to begin anew.
func TestPositionOfOtherDialect(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	r := start(t, simple(a.url(), "", "", "client: auto\ndefault: agui\nrequests: {mode: translate}\nresume: {grace: 1m}"))
	c, resp := r.openRun()
	had := firstHalf(t, resp)
	run := resp.Header.Get(runHeader)
	c.reset()
	close(goOn)
	at := alice + "\r\nLast-Event-ID: " + lastID(had)
	r.call(t, 400, at+"\r\nX-Sabir-Dialect: aisdk", "GET", "/run", "", "another dialect")
	r.call(t, 200, alice+"\r\nX-Sabir-Run: "+run+"\r\nX-Sabir-Dialect: aisdk", "GET", "/run", "", `"delta":"Hello"`, `"delta":", world"`)
	if rest := r.call(t, 200, at, "GET", "/run", "", "world"); strings.Contains(rest, "Hello") {
		t.Errorf("the rest is\n%s", rest)
	}
	agui, err := adapters.Lookup("agui")
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(at, formMark+formOfPosition(agui), "", 1)
	if rest := r.call(t, 200, older, "GET", "/run", "", "world"); older == at || strings.Contains(rest, "Hello") {
		t.Errorf("by a position of an older version, the rest is\n%s", rest)
	}
}

// TestDialectsWithoutEventIDs: clients that fail on ids of events get none, and all others of event streams do.
func TestDialectsWithoutEventIDs(t *testing.T) {
	t.Parallel()
	a, goOn, _ := gatedAgent(t)
	close(goOn)
	r := resumingAny(t, a, "grace: 1m")
	_, opened := r.openRun()
	run := opened.Header.Get(runHeader)
	rest(t, opened)
	for _, d := range adapters.All() {
		if d.NewEncoder == nil || d.Framing == wire.WebSocket {
			continue
		}
		resp := r.comeAs(d.Name, run)
		body := rest(t, resp)
		if has, want := strings.Contains("\n"+body, "\nid: "), d.Framing == wire.SSE && !d.NoEventIDs; resp.StatusCode != 200 || has != want {
			t.Errorf("%s: status %d, ids %t, want %t:\n%s", d.Name, resp.StatusCode, has, want, body)
		}
	}
}

// TestFormsOfPositions: no two dialects have one form.
func TestFormsOfPositions(t *testing.T) {
	seen := map[string]string{}
	for _, d := range adapters.All() {
		form := formOfPosition(d)
		if other := seen[form]; other != "" || len(form) != 4 {
			t.Errorf("%s and %s have the form %q", d.Name, other, form)
		}
		seen[form] = d.Name
	}
}
