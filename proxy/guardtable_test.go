package proxy

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// operation is a request for something that routes answer.
type operation = struct{ method, path, body, header string } //nolint:unused // by what takes it

// guardTable is what operations are answered, by operation and guard.
type guardTable map[operation]map[string]string

func (g guardTable) note(op operation, guard string, resp *http.Response) {
	if g[op] == nil {
		g[op] = map[string]string{}
	}
	g[op][guard] = strings.TrimSpace(strconv.Itoa(resp.StatusCode) + " " + resp.Header.Get("X-Sabir-Error"))
}

// TestEachOperationEachGuard plays an attacker with credentials that are not valid, and two clients, of whom one has used up the limits, on everything that
// routes answer; docs/guards.md is what they get.
func TestEachOperationEachGuard(t *testing.T) {
	t.Parallel()
	table := guardTable{}
	tryGuards(t, table)
	tryLimits(t, table)
	const file = "../docs/guards.md"
	if *updateFiles {
		if err := os.WriteFile(file, []byte(table.page()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != table.page() {
		t.Errorf("%s is stale, rewrite it with -update and read the diff (%v)", file, err)
	}
}

var (
	guardColumns = []string{"[keys]", "[jwt]", "[mtls]", "[forward]", "[keys, jwt, mtls]", "{all: [keys, forward]}", "{all: [forward, keys]}"}
	limitColumns = []string{scopeAll, scopeAll + ", another", scopeRoute, scopeRoute + ", another", scopePrincipal, scopeRoutePrincipal}
)

const guardPage = `<!-- Written by go test ./proxy -run TestEachOperationEachGuard -update. Do not edit. -->
# Every operation, every guard

A test asks for everything that routes answer: each row is a request, and each cell what came back, its status and the code of
` + "`X-Sabir-Error`" + `. The clients of each dialect, who know the names of another's conversations and runs, are in ` + "`TestPrincipalsOnAllFaces`" + `,
with every endpoint and method that the dialect has: they get what they get for names of nothing.

## An attacker

The attacker sends a key or token that is not valid, and no certificate. Nothing is let in by any guard, and the agent is not called.

`

const limitPage = `
## Two principals

The first has used up a limit of one request in an hour of each scope: in all, of the route, of the principal, of the principal on the route. What
ends runs is free: it is answered that there is nothing to end. Another principal is refused by what both share, and by nothing else: its ` + "`POST /run`" + ` is let in
where the limits are those of a principal.

`

func (g guardTable) page() string {
	return guardPage + g.columns(guardColumns) + limitPage + g.columns(limitColumns)
}

// columns is a part of the table.
func (g guardTable) columns(names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| operation | %s |\n|---|%s\n", strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	for _, op := range operations {
		fmt.Fprintf(&b, "| `%s %s`%s |", op.method, op.path, aboutOf(op))
		for _, name := range names {
			fmt.Fprintf(&b, " %s |", g[op][name])
		}
		b.WriteString("\n")
	}
	return b.String()
}

// aboutOf is what tells a request from another with the same path.
func aboutOf(op operation) string {
	switch {
	case strings.Contains(op.header, "websocket"):
		return ", WebSocket"
	case strings.Contains(op.body, `"method"`):
		_, rest, _ := strings.Cut(op.body, `"method":"`)
		method, _, _ := strings.Cut(rest, `"`)
		return ", " + method
	case strings.HasPrefix(op.header, "Last-Event-ID"):
		return ", comes back"
	}
	return ""
}
