package declared_test

import (
	"testing"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A dialect that has no record for the start of a run has no rule for it either; one that has a record for an end has.
func TestGrammar(t *testing.T) {
	g := example(t, "homemade").Grammar
	for _, r := range []hub.Rule{hub.RuleStart, hub.RuleClosed, hub.RulePartStarted} {
		if g.Has(r) {
			t.Errorf("it has the rule %s", r)
		}
	}
	for _, r := range []hub.Rule{hub.RuleEnd, hub.RuleReady, hub.RuleResult, hub.RuleOrder} {
		if !g.Has(r) {
			t.Errorf("it lacks the rule %s", r)
		}
	}
}
