package config

import (
	"strings"
	"time"
)

// Policies say what becomes of events that a client can do without, by class. default is native where the client's
// dialect has a form for the event, and otherwise what the dialect does with it; native drops what has no form; extension
// writes it where clients that do not know it ignore it; fold makes a text of it that people can read; drop takes it away.
// Everything that is dropped or folded is counted.
type Policies struct {
	// What the model thinks. Folded, it stands between <think> and </think>.
	Reasoning string `yaml:"reasoning" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Calls that the agent runs itself. Those that the client must run are always passed on.
	Tools string `yaml:"tools" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Progress and partial output of calls.
	Progress string `yaml:"progress" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Turns of the model, or nodes of a graph.
	Steps string `yaml:"steps" jsonschema:"enum=default,enum=native,enum=extension,enum=drop"`
	// Questions to the user, and permissions.
	Asks string `yaml:"asks" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Plans and to-do lists.
	Plan string `yaml:"plan" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Tokens and costs.
	Usage string `yaml:"usage" jsonschema:"enum=default,enum=native,enum=extension,enum=drop"`
	// What the agent says it is doing, and errors that do not end the run.
	Notice string `yaml:"notice" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Citations.
	Source string `yaml:"source" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Images and files.
	File string `yaml:"file" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// State, activities and events of the application.
	Data string `yaml:"data" jsonschema:"enum=default,enum=native,enum=extension,enum=fold,enum=drop"`
	// Records of the upstream that Sabir does not know.
	Raw string `yaml:"raw" jsonschema:"enum=default,enum=native,enum=extension,enum=drop"`
}

// Classes returns the policies by the names of their classes.
func (p *Policies) Classes() map[string]string {
	return map[string]string{
		"reasoning": p.Reasoning, "tools": p.Tools, "progress": p.Progress, "steps": p.Steps, "asks": p.Asks, "plan": p.Plan,
		"usage": p.Usage, "notice": p.Notice, "source": p.Source, "file": p.File, "data": p.Data, "raw": p.Raw,
	}
}

// Shape is what a route does to a stream before it is written in the client's dialect.
type Shape struct {
	// What becomes of what the client's dialect cannot carry.
	Policy Policies `yaml:"policy"`
	// Send the whole canonical stream along, where clients that do not know it ignore it, in dialects that have a place
	// for it. A Sabir that reads the answer gets everything back. It more than doubles the bytes.
	Extension bool `yaml:"extension"`
	// How sub-agents are shown: nested, as one call each, as if the root agent had done it all, or not at all. default is
	// what suits the client's dialect.
	SubAgents string `yaml:"lanes" jsonschema:"enum=default,enum=nest,enum=tool,enum=flatten,enum=hide"`
	// What becomes of a text that the upstream, repeating it in full, says otherwise than before, where the client's
	// dialect cannot replace what was shown: keep what was shown, or repeat it in a part of its own.
	Corrections string `yaml:"corrections" jsonschema:"enum=keep,enum=repeat"`
	// Ids that a client keeps over turns: unique over the thread, so that what an agent that counts anew each turn says
	// does not overwrite what it said before; or as the agent gives them. default is thread, and agent for native.
	IDs string `yaml:"ids" jsonschema:"enum=default,enum=thread,enum=agent"`
	// One part or call after the other: what comes meanwhile waits. Dialects that need it have it in any case.
	Linear bool `yaml:"linear"`
	// Deltas of a text, of arguments or of a tool's output that follow each other within this time are joined, for clients to which
	// events are dear; 0 for none. At most 1s.
	Coalesce time.Duration `yaml:"coalesce" jsonschema:"minimum=0,maximum=1000000000"`
	// What clients must not see.
	Filter Filter `yaml:"filter"`
}

// Filter takes events away. What is taken away is counted as dropped.
type Filter struct {
	// Classes of events, as under policy.
	Classes []string `yaml:"classes" jsonschema:"enum=reasoning,enum=tools,enum=progress,enum=steps,enum=asks,enum=plan,enum=usage,enum=notice,enum=source,enum=file,enum=data,enum=raw"`
	// Calls of tools with these names, which may end in *. Calls that the client must run stay.
	Tools []string `yaml:"tools"`
	// Data with these names, which may end in *.
	Data []string `yaml:"data"`
}

// shape checks what tags cannot say.
func (v *validator) shape(at string, s *Shape) {
	v.distinct(at+".filter.classes", s.Filter.Classes)
	v.patterns(at+".filter.tools", s.Filter.Tools)
	v.patterns(at+".filter.data", s.Filter.Data)
}

// patterns checks names that may end in *.
func (v *validator) patterns(at string, list []string) {
	for i, p := range list {
		v.check(p != "", index(at, i), "must not be empty")
		v.check(!strings.Contains(strings.TrimSuffix(p, "*"), "*"), index(at, i), "can have a * only at its end")
	}
	v.distinct(at, list)
}

// unsetShape is the shape of a route that says nothing.
func unsetShape() Shape {
	const d = "default"
	return Shape{SubAgents: d, Corrections: "keep", IDs: d, Policy: Policies{
		Reasoning: d, Tools: d, Progress: d, Steps: d, Asks: d, Plan: d, Usage: d, Notice: d, Source: d, File: d, Data: d, Raw: d,
	}}
}
