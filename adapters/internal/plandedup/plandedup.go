// Package plandedup removes the second of two reports of one plan: the plan itself, and the call of a tool that keeps it.
package plandedup

import (
	"bytes"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// IsTodoTool reports whether a tool keeps a list of todos, as far as its name tells: todo_list, TodoWrite, write_todos.
// name is a string body.
func IsTodoTool(name []byte) bool { return bytes.Contains(bytes.ToLower(name), []byte("todo")) }

// maxPlan bounds the plan that a Filter remembers; a longer one passes as often as it comes.
const maxPlan = 64 << 10

// Filter remembers the plan that was written last. Some sources report a plan twice, as a plan and by the call of a
// tool that keeps it, in either order; encoders that have a place for both ask it, and write the second not at all. The zero
// value is ready.
type Filter struct {
	emitted []byte // the plan as it was written last; empty if none was, or by both
	byCall  bool
	next    []byte // scratch
}

// Reset forgets the plan.
func (t *Filter) Reset() { t.emitted, t.byCall = t.emitted[:0], false }

// Plan notes a Plan event, and reports whether a call has shown the same just before.
func (t *Filter) Plan(ev *hub.Event) (again bool) {
	t.next = appendKey(t.next[:0], ev.SubAgent)
	if ev.More != nil {
		for i := range ev.More.Items {
			t.next = appendKey(appendKey(t.next, ev.More.Items[i].Content), ev.More.Items[i].Status)
		}
	}
	return t.note(false)
}

// Call notes the ToolReady of a call. isPlan reports whether its arguments are a list of todos, again whether a plan has
// shown the same just before.
func (t *Filter) Call(ev *hub.Event) (isPlan, again bool) {
	todos := rawjson.Get(ev.Value, "todos")
	if rawjson.Kind(todos) != '[' {
		return false, false
	}
	t.next = appendKey(t.next[:0], ev.SubAgent)
	for v := range rawjson.Each(todos) {
		content, _ := rawjson.Str(rawjson.Get(v, "content"))
		status, _ := rawjson.Str(rawjson.Get(v, "status"))
		t.next = appendKey(appendKey(t.next, content), status)
	}
	return true, t.note(true)
}

// note compares the plan in next with the last, and takes its place unless they are the same from both sides: then the two
// have found each other, and whoever says it once more says it anew.
func (t *Filter) note(byCall bool) (again bool) {
	if again = len(t.emitted) > 0 && t.byCall != byCall && bytes.Equal(t.emitted, t.next); again || len(t.next) > maxPlan {
		t.emitted = t.emitted[:0]
		return again
	}
	t.emitted, t.byCall = append(t.emitted[:0], t.next...), byCall
	return false
}

// appendKey appends a string body as plain text, with an end that no text has.
func appendKey(dst, body []byte) []byte { return append(rawjson.AppendUnescaped(dst, body), 0xff) }
