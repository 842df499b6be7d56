package proxy

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/config"
)

// TestTurns tells what is new in a conversation.
func TestTurns(t *testing.T) {
	say := func(role hub.Role, parts ...hub.Part) hub.Message { return hub.Message{Role: role, Parts: parts} }
	call := hub.Part{Kind: hub.PartCall, ID: []byte("c")}
	done, approved := call, call
	done.Result = &hub.CallResult{Status: hub.StatusOK}
	approved.Approval = &hub.Approval{Decided: true, Approved: true}
	user, system := say(hub.RoleUser), say(hub.RoleSystem)
	f := func(want string, req hub.Request, ms ...hub.Message) {
		t.Helper()
		req.Messages = ms
		if got := turnOf(&req); got.news != want || got.messages != len(ms) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
	f("", hub.Request{})
	f("message", hub.Request{}, user)
	f("message", hub.Request{}, user, system)
	f("message", hub.Request{}, user, system, system)
	f("other", hub.Request{}, system, system)
	f("other", hub.Request{}, system)
	f("other", hub.Request{}, user, say(hub.RoleAgent, call))
	f("results", hub.Request{}, user, say(hub.RoleAgent, call, done))
	f("answers", hub.Request{}, user, say(hub.RoleAgent, approved))
	f("answers", hub.Request{Answers: []hub.Decision{{}}}, user)
	f("regenerate", hub.Request{Trigger: hub.TriggerRegenerate}, user)
}

// TestModelOfAgents: an agent that is a program gets the model of the configuration, and what the client named beside it counts as lost,
// unless it is the agent itself, or nothing.
func TestModelOfAgents(t *testing.T) {
	t.Parallel()
	cfg := &config.Route{}
	cfg.Requests.Model, cfg.Agent.Name = "ours", "helper"
	for asked, losses := range map[string]int{"": 0, "helper": 0, "ours": 0, "theirs": 1} {
		c, l, req := &call{route: &route{cfg: cfg}}, hub.Losses{}, &hub.Request{Model: []byte(asked)}
		if c.chooseModel(req, &l); len(l.Names) != losses || string(req.Model) != "ours" {
			t.Errorf("%q: losses %v, model %q", asked, l.Names, req.Model)
		}
	}
}
