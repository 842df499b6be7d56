package approval_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/approval"
)

func TestApproves(t *testing.T) {
	own := approval.Allowing(&hub.Event{More: &hub.More{Options: approval.AppendOptions(nil)}})
	answer := func(option, value string) *hub.Event {
		ev := &hub.Event{Status: hub.StatusChosen, Name: []byte(option)}
		if value != "" {
			ev.Value = []byte(value)
		}
		return ev
	}
	for _, test := range []struct {
		name  string
		allow [][]byte
		ev    *hub.Event
		want  bool
	}{
		{"yes", own, answer(string(approval.Option(true)), ""), true},
		{"no", own, answer(string(approval.Option(false)), ""), false},
		{"another option", own, answer("later", "true"), false},
		{"any choice where there were none", nil, answer("", ""), true},
		{"a no where there were none", nil, answer("", "false"), false},
		{"no choice", own, &hub.Event{Status: hub.StatusExpired, Name: []byte(approval.Approve)}, false},
	} {
		if got := approval.Approves(test.allow, test.ev); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
	}
	if ids := approval.Allowing(&hub.Event{}); ids != nil {
		t.Errorf("%q was not offered", ids)
	}
}
