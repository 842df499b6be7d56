package draft

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// role is what a member is for, known by the names that it mostly has.
type role struct {
	names   []string // the likeliest first
	generic []string // names that other things have as well: they count near what is known already
	fits    func(value any) bool
}

var (
	callID = role{
		names:   []string{"tool_call_id", "toolCallId", "call_id", "callId", "tool_use_id", "toolUseId", "tool_id", "toolId"},
		generic: []string{"id"}, fits: func(v any) bool { return isText(v) || isNumber(v) },
	}
	toolName = role{names: []string{"tool_name", "toolName", "tool", "function_name", "function", "action", "fn"}, generic: []string{"name"}, fits: isText}
	toolArgs = role{
		names: []string{"arguments", "args", "tool_args", "tool_input", "toolInput", "input", "parameters", "params"}, fits: isArguments,
	}
	toolResult = role{
		names:   []string{"tool_result", "toolResult", "tool_output", "toolOutput", "result", "output", "observation"},
		generic: []string{"content", "response", "value"}, fits: func(v any) bool { return v != nil },
	}
	toolFault = role{names: []string{"error", "err"}, fits: isText}
)

// counters are the numbers of a usage, by the field that has them. Generic names count where the record or the object is named for it.
var counters = []struct {
	field string
	role
}{
	{"usage.in", numbers("input_tokens inputTokens prompt_tokens promptTokens promptTokenCount tokens_in", "input prompt in")},
	{"usage.out", numbers("output_tokens outputTokens completion_tokens completionTokens candidatesTokenCount tokens_out", "output completion out")},
	{"usage.total", numbers("total_tokens totalTokens totalTokenCount", "total")},
	{"usage.cached", numbers("cached_tokens cachedTokens cache_read_input_tokens cached_input_tokens cachedInputTokens", "cached")},
	{"usage.reasoning", numbers("reasoning_tokens reasoningTokens", "reasoning")},
}

func numbers(names, generic string) role {
	return role{names: strings.Fields(names), generic: strings.Fields(generic), fits: isNumber}
}

func isText(v any) bool {
	text, ok := v.(string)
	return ok && text != ""
}

func isNumber(v any) bool {
	_, ok := v.(float64)
	return ok
}

// isArguments reports whether a value can be all arguments of a call: an object, or the text of one. A piece of that text is not.
func isArguments(v any) bool {
	if text, ok := v.(string); ok {
		var object map[string]any
		return json.Unmarshal([]byte(text), &object) == nil
	}
	_, ok := v.(map[string]any)
	return ok
}

// member is a value in a record.
type member struct {
	path  []string
	value any
}

// outermost stands for the members of a record itself.
var outermost = &member{path: []string{""}}

func (m *member) name() string { return m.path[len(m.path)-1] }

// written is the path of the member as rules have it.
func (m *member) written() (path string) {
	for _, name := range m.path {
		path = join(path, name)
	}
	return path
}

// deepest is how many objects may lie within each other.
const deepest = 4

// membersOf are the members of an object, and of those in it, the outer ones first.
func membersOf(object map[string]any) (all []member) {
	outer := []member{{nil, object}}
	for range deepest {
		var inner []member
		for i := range outer {
			inner = append(inner, outer[i].members()...)
		}
		all = append(all, inner...)
		outer = inner
	}
	return all
}

// members are those of the member itself, by name, where it is an object.
func (m *member) members() (inner []member) {
	object, _ := m.value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		inner = append(inner, member{append(slices.Clip(m.path), name), object[name]})
	}
	return inner
}

// all are the members that may have the role, the likeliest first: by a name of its own, or by a generic one near to another member; nil is none
// that is known.
func (r *role) all(among []member, near *member) (found []member) {
	for i := range among {
		if m := &among[i]; r.fits(m.value) && (slices.Contains(r.names, m.name()) || near != nil && slices.Contains(r.generic, m.name())) {
			found = append(found, *m)
		}
	}
	slices.SortStableFunc(found, func(a, b member) int {
		return cmp.Or(
			cmp.Compare(rank(slices.Contains(r.generic, a.name())), rank(slices.Contains(r.generic, b.name()))),
			cmp.Compare(apart(&a, near), apart(&b, near)),
			cmp.Compare(slices.Index(r.names, a.name()), slices.Index(r.names, b.name())),
		)
	})
	return found
}

// find is the likeliest of them, nil for none.
func (r *role) find(among []member, near *member) *member {
	if found := r.all(among, near); len(found) > 0 {
		return &found[0]
	}
	return nil
}

// apart is how many objects lie between two members.
func apart(a, b *member) int {
	if b == nil {
		return len(a.path)
	}
	same := 0
	for same < min(len(a.path), len(b.path))-1 && a.path[same] == b.path[same] {
		same++
	}
	return len(a.path) + len(b.path) - 2*same - 2
}
