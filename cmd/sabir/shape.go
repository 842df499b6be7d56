package main

import (
	"fmt"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/policy"
	"github.com/sabir-proxy/sabir/proxy/engine"
)

// shapes reads the flags that say what is done to a stream before it is written.
func (f *translateFlags) shapes(c *engine.Config) (problems []error) {
	c.Policy = f.shape
	c.Policy.Classes = map[hub.Class]hub.Policy{}
	subAgents, ok := hub.ParseSubAgentMode(f.subAgents)
	if !ok && f.subAgents != "" {
		problems = append(problems, fmt.Errorf("--lanes: want one of %s, not %q", strings.Join(hub.SubAgentModeNames(), ", "), f.subAgents))
	}
	c.Policy.SubAgents = subAgents
	for _, word := range f.policies {
		if err := addPolicy(c.Policy.Classes, word); err != nil {
			problems = append(problems, fmt.Errorf("--policy %s: %w", word, err))
		}
	}
	return problems
}

func addPolicy(to map[hub.Class]hub.Policy, word string) error {
	name, value, ok := strings.Cut(word, "=")
	if !ok {
		return fmt.Errorf("want CLASS=POLICY, such as plan=fold")
	}
	class, err := hub.ParseClass(name)
	if err != nil {
		return err
	}
	p, err := hub.ParsePolicy(value)
	if err != nil {
		return err
	}
	if p == hub.PolicyFold && !policy.Foldable(class) {
		return fmt.Errorf("%s cannot be folded into text", class)
	}
	to[class] = p
	return nil
}
