// Package adapters lists the dialects that Sabir speaks.
package adapters

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/a2a"
	"github.com/sabir-proxy/sabir/adapters/acp"
	"github.com/sabir-proxy/sabir/adapters/adk"
	"github.com/sabir-proxy/sabir/adapters/agentevent"
	"github.com/sabir-proxy/sabir/adapters/agui"
	"github.com/sabir-proxy/sabir/adapters/aisdk"
	"github.com/sabir-proxy/sabir/adapters/anthropic"
	"github.com/sabir-proxy/sabir/adapters/bedrock"
	"github.com/sabir-proxy/sabir/adapters/claudecli"
	"github.com/sabir-proxy/sabir/adapters/codexappserver"
	"github.com/sabir-proxy/sabir/adapters/codexcli"
	"github.com/sabir-proxy/sabir/adapters/copilot"
	"github.com/sabir-proxy/sabir/adapters/cursorcli"
	"github.com/sabir-proxy/sabir/adapters/datastream"
	"github.com/sabir-proxy/sabir/adapters/evolve"
	"github.com/sabir-proxy/sabir/adapters/gemini"
	"github.com/sabir-proxy/sabir/adapters/geminicli"
	"github.com/sabir-proxy/sabir/adapters/geminiinteractions"
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/langgraph"
	"github.com/sabir-proxy/sabir/adapters/mastra"
	"github.com/sabir-proxy/sabir/adapters/native"
	"github.com/sabir-proxy/sabir/adapters/openaiagents"
	"github.com/sabir-proxy/sabir/adapters/openaichat"
	"github.com/sabir-proxy/sabir/adapters/openairesponses"
	"github.com/sabir-proxy/sabir/adapters/opencode"
	"github.com/sabir-proxy/sabir/adapters/pydantic"
	"github.com/sabir-proxy/sabir/adapters/simplified"
)

// all is the registry: one line per dialect, in the order of tables and help texts.
var all = []*hub.Dialect{
	&a2a.Dialect,
	&acp.Dialect,
	&adk.Dialect,
	&agentevent.Dialect,
	&agui.Dialect,
	&aisdk.Dialect,
	&anthropic.Dialect,
	&bedrock.Dialect,
	&claudecli.Dialect,
	&codexappserver.Dialect,
	&codexcli.Dialect,
	&copilot.Dialect,
	&cursorcli.Dialect,
	&datastream.Dialect,
	&evolve.Dialect,
	&gemini.Dialect,
	&geminicli.Dialect,
	&geminiinteractions.Dialect,
	&langgraph.Dialect,
	&mastra.Dialect,
	&native.Dialect,
	&openaiagents.Dialect,
	&openaichat.Dialect,
	&openairesponses.Dialect,
	&opencode.Dialect,
	&pydantic.Dialect,
	&simplified.Dialect,
}

// All returns every dialect. The slice is shared; do not change it.
func All() []*hub.Dialect { return all }

// Lookup returns the dialect of that name, or an [UnknownError].
func Lookup(name string) (*hub.Dialect, error) {
	for _, d := range all {
		if d.Name == name {
			return d, nil
		}
	}
	return nil, &UnknownError{Name: name, Known: Names(), meant: aliased(name)}
}

// Names lists the names of all dialects, sorted.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	slices.Sort(names)
	return names
}
