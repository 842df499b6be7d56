package hub

import (
	"fmt"
	"strings"
)

// Class groups the kinds of events that a client can do without, so that a route can say what becomes of them.
type Class uint8

// Classes.
const (
	ClassNone      Class = iota // the run, its answers and what clients must act on
	ClassReasoning              // text.* of channel reasoning
	ClassTools                  // tool.* of calls that the agent runs itself
	ClassProgress               // tool.update and tool.output
	ClassSubAgents              // agent.*
	ClassSteps                  // step.*
	ClassAsks                   // ask and answer
	ClassPlan                   // plan
	ClassUsage                  // usage
	ClassNotice                 // notice
	ClassSource                 // source
	ClassFile                   // file
	ClassData                   // data
	ClassRaw                    // raw

	classCount
)

var classNames = [classCount]string{
	"none", "reasoning", "tools", "progress", "lanes", "steps", "asks", "plan", "usage", "notice", "source", "file", "data", "raw",
}

func (c Class) String() string { return name(classNames[:], int(c)) }

// Classes lists the classes that a route can set.
func Classes() []Class {
	all := make([]Class, 0, classCount-1)
	for c := ClassReasoning; c < classCount; c++ {
		all = append(all, c)
	}
	return all
}

// ParseClass returns the class of that name.
func ParseClass(s string) (Class, error) {
	for c := ClassReasoning; c < classCount; c++ {
		if classNames[c] == s {
			return c, nil
		}
	}
	return ClassNone, fmt.Errorf("there is no class %q of events; there is: %s", s, strings.Join(classNames[1:], ", "))
}

// Policy says what becomes of the events of a class.
type Policy uint8

// Policies.
const (
	PolicyDefault   Policy = iota // native where the dialect has a form for the event, otherwise what the dialect says
	PolicyNative                  // as the dialect has it, otherwise dropped
	PolicyExtension               // in the extension place, for clients that know it
	PolicyFold                    // as text that people can read
	PolicyDrop                    // not at all

	policyCount
)

var policyNames = [policyCount]string{"default", "native", "extension", "fold", "drop"}

func (p Policy) String() string { return name(policyNames[:], int(p)) }

// ParsePolicy returns the policy of that name.
func ParsePolicy(s string) (Policy, error) {
	for p := range policyCount {
		if policyNames[p] == s {
			return p, nil
		}
	}
	return PolicyDefault, fmt.Errorf("there is no policy %q; there is: %s", s, strings.Join(policyNames[:], ", "))
}

// classes of the kinds that have one; those of text and tools depend on the event.
var classes = [kindCount]Class{
	StepStart: ClassSteps, StepEnd: ClassSteps, AgentStart: ClassSubAgents, AgentEnd: ClassSubAgents,
	ToolStart: ClassTools, ToolArgs: ClassTools, ToolReady: ClassTools, ToolEnd: ClassTools,
	ToolUpdate: ClassProgress, ToolOutput: ClassProgress, Ask: ClassAsks, Answer: ClassAsks,
	Plan: ClassPlan, Usage: ClassUsage, Notice: ClassNotice, Source: ClassSource, File: ClassFile, Data: ClassData, Raw: ClassRaw,
}

// ClassOf returns the class of an event. Calls that the client runs have none, but only their start says so: whoever
// needs to know remembers it.
func ClassOf(ev *Event) Class {
	switch ev.Kind {
	case TextStart, TextDelta, TextEnd:
		if ev.Chan == Reasoning {
			return ClassReasoning
		}
		return ClassNone
	case ToolStart:
		if ev.Flags.Has(ClientRuns) {
			return ClassNone
		}
	}
	return classes[ev.Kind]
}
