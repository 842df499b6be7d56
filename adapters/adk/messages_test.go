package adk_test

import (
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/adk"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

// TestTextsInARow: sessions keep two texts in a row apart, which fragments would join.
func TestTextsInARow(t *testing.T) {
	text := func(s string) hub.Part { return hub.Part{Kind: hub.PartText, Text: []byte(s)} }
	var l hub.Losses
	list := adk.Dialect.Messages.AppendMessages(nil, []hub.Message{{Role: hub.RoleAgent, Parts: []hub.Part{text("One."), text("Two.")}}}, &l)
	got, err := adk.Dialect.Messages.DecodeMessages(nil, list)
	if err != nil || len(got) != 1 || len(got[0].Parts) != 2 || string(got[0].Parts[1].Text) != "Two." {
		t.Errorf("%v, %+v of %s", err, got, list)
	}
}

// TestArguments: arguments that are no object are wrapped, which is a loss.
func TestArguments(t *testing.T) {
	for args, want := range map[string]bool{`{"a":1}`: false, `[1]`: true, `"x"`: true} {
		var l hub.Losses
		call := hub.Part{Kind: hub.PartCall, ID: []byte("c"), Name: []byte("f"), Value: []byte(args), Result: &hub.CallResult{Status: hub.StatusOK}}
		adk.Dialect.Messages.AppendMessages(nil, []hub.Message{{Role: hub.RoleAgent, Parts: []hub.Part{call}}}, &l)
		if got := slices.Contains(l.Names, "messages.arguments"); got != want {
			t.Errorf("%s: losses %q", args, l.Names)
		}
	}
}
