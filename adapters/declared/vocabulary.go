package declared

import (
	"slices"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// A word means something on some kinds of events only: a run ends as done or failed, a tool as ok or error.

// reasons are why a run or step ends.
var reasons = []string{"done", "length", "limit", "refused", "filtered", "tools", "paused", "cancelled", "failed", "truncated"}

// outcomes are how a tool or an agent ends.
var outcomes = []string{"ok", "error", "denied", "aborted", "client", "paused", "unknown"}

// vocabulary lists the words that a field can have on a kind. The first is what an event has that says nothing, or that a
// rule for encoding means that says nothing.
func vocabulary(k hub.Kind, f field) []string {
	switch f {
	case fieldStatus:
		return statusWords(k)
	case fieldChan:
		if k == hub.ToolOutput {
			return []string{"result", "stdout", "stderr"}
		}
		return []string{"answer", "reasoning", "refusal"}
	case fieldOp:
		if k == hub.Data {
			return []string{"emit", "set", "patch", "merge"}
		}
		return []string{"append", "replace"}
	case fieldLevel:
		return []string{"info", "status", "intent", "warning", "error"}
	case fieldScope:
		return []string{"run", "step", "session"}
	}
	return []string{"question", "permission", "input", "auth"}
}

func statusWords(k hub.Kind) []string {
	switch k {
	case hub.RunEnd, hub.StepEnd:
		return reasons
	case hub.ToolUpdate:
		return []string{"running", "pending"}
	case hub.Answer:
		return []string{"chosen", "cancelled", "expired", "unresolved"}
	}
	return outcomes
}

// defaults are the words of an event of this kind that says nothing.
func defaults(k hub.Kind) (ev hub.Event) {
	ev.Kind = k
	for f := fieldStatus; f <= fieldWhat; f++ {
		if kindInfos[k].fields.has(f) && k != hub.ToolUpdate && k != hub.StepEnd {
			v, _ := wordFields[f].parse(vocabulary(k, f)[0])
			wordFields[f].set(&ev, v)
		}
	}
	return ev
}

// mean reports whether a word can stand on one of the kinds.
func mean(kinds []hub.Kind, f field, word string) bool {
	return slices.ContainsFunc(kinds, func(k hub.Kind) bool {
		return kindInfos[k].fields.has(f) && slices.Contains(vocabulary(k, f), word)
	})
}

// wordsOf lists what can stand on one of the kinds.
func wordsOf(kinds []hub.Kind, f field) (all []string) {
	for _, k := range kinds {
		for _, w := range vocabulary(k, f) {
			if kindInfos[k].fields.has(f) && !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}
