package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/proxy/internal/auth"
)

// TestFieldsOnSockets: which header fields a message on a WebSocket may say: those that the route lets through, and none by which Sabir, what stands in
// front of it, or a guard knows the client, but for credentials that no guard has used.
func TestFieldsOnSockets(t *testing.T) {
	t.Parallel()
	r := start(t, simple("http://127.0.0.1:1/", "threads: {principal: [X-User, Authorization]}\n", "", "client: aisdk\n")).table.Load().exact["/run"]
	r.vouched, r.allow = map[string]bool{"x-group": true}, map[string]bool{}
	for _, name := range []string{"x-free", "x-user", "authorization", "x-api-key", "x-forwarded-for", "connection", "x-group"} {
		r.allow[name] = true
	}
	who := &auth.Identity{Scope: "s", Used: []string{"authorization"}}
	for name, want := range map[string][2]bool{ // without a guard, and with one that has used Authorization
		"X-Free": {true, true}, "X_Free": {false, false}, "X-Other": {false, false}, "X-User": {false, false}, "Authorization": {true, false},
		"X-Api-Key": {true, true}, "X-Forwarded-For": {false, false}, "Connection": {false, false}, "X-Group": {false, false},
	} {
		if got := [2]bool{r.takes(name, nil), r.takes(name, who)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
