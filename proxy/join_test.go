package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestHasAnswer: a client has an answer whose history ends with anything but the words of its user.
func TestHasAnswer(t *testing.T) {
	t.Parallel()
	f := func(want bool, roles ...hub.Role) {
		t.Helper()
		var messages []hub.Message
		for _, role := range roles {
			messages = append(messages, hub.Message{Role: role})
		}
		if got := hasAnswer(messages); got != want {
			t.Errorf("%v: %t", roles, got)
		}
	}
	f(false)
	f(false, hub.RoleUser)
	f(true, hub.RoleAgent)
	f(true, hub.RoleUser, hub.RoleAgent)
	f(false, hub.RoleUser, hub.RoleAgent, hub.RoleUser)
}
